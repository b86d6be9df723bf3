//! `windfall lab list | NAME`: a paper's table or figure, measured again.

use crate::cli::LabArgs;
use crate::output::{
    Destination, Destinations, document, errors_are_read, is_standard, print, print_error, table,
};
use crate::verbs::keep::is_page;
use crate::{Answer, VerbError};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use windfall_lab::{
    ClaimStatus, EXPERIMENTS, Experiment, Findings, Host, Settings, Table, find, page,
};

pub(crate) fn run(args: &LabArgs) -> Result<Answer, VerbError> {
    if args.name == "list" {
        if args.report.is_some() || args.keep.is_some() || args.host.is_some() || args.quick {
            return Err(VerbError(
                "windfall: `lab list` runs nothing; name an experiment to run it".to_owned(),
            ));
        }
        print(&if args.json { document(listed()) } else { list() })?;
        return Ok(Answer::Yes);
    }
    let experiment = find(&args.name).ok_or_else(|| unknown(&args.name))?;
    let mut outputs = Destinations::new(args.force.force, [])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let report = ready(args, experiment, &mut outputs)?;
    let read = errors_are_read();
    let progress = |what: &str| {
        if read {
            print_error(&format!("{what}\n"));
        }
    };
    let host = args.host.map(Host::from);
    let findings = experiment.run(&Settings { host, quick: args.quick, progress: &progress })?;
    if args.json {
        print(&document(data(experiment, &findings)))?;
    } else {
        outputs.print(&text(experiment, &findings))?;
    }
    if let Some(folder) = &args.keep {
        keep(folder, &findings, &mut outputs)?;
    }
    if let Some(report) = report {
        let page = page(experiment, &findings);
        report.write(|out| out.write_all(page.as_bytes()))?;
    }
    Ok(match findings.verdict.standing {
        ClaimStatus::Refuted => Answer::No,
        ClaimStatus::Stands | ClaimStatus::Calibrated | ClaimStatus::Open => Answer::Yes,
    })
}

/// The page, where one is wanted. Makes sure that all that is to be written can be, before hours are spent on it.
fn ready(
    args: &LabArgs,
    experiment: &Experiment,
    outputs: &mut Destinations,
) -> Result<Option<Destination>, VerbError> {
    let report = args.report.as_deref().map(|path| outputs.claim("--report", path)).transpose()?;
    report.as_ref().map_or(Ok(()), is_page)?;
    let Some(folder) = &args.keep else { return Ok(report) };
    if is_standard(folder) {
        let why = "windfall: `--keep -`: many files are kept, which standard output is not; name a folder";
        return Err(VerbError(why.to_owned()));
    }
    let trouble = |why| VerbError(format!("windfall: {}: {why}", folder.display()));
    std::fs::create_dir_all(folder).map_err(trouble)?;
    for entry in std::fs::read_dir(folder).map_err(trouble)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !args.force.force && experiment.names().any(|own| name.starts_with(own)) {
            let there = entry.path();
            return Err(VerbError(format!(
                "windfall: {} exists; replace what was kept there with `--force`, or name another folder",
                there.display()
            )));
        }
    }
    Ok(report)
}

fn unknown(name: &str) -> VerbError {
    let names: Vec<_> = EXPERIMENTS.iter().flat_map(|one| one.names()).collect();
    VerbError(format!("windfall: unknown experiment `{name}`; there are: {}", names.join(", ")))
}

fn list() -> String {
    let row = |one: &&Experiment| {
        let hosts: Vec<_> = one.hosts.iter().map(|host| host.name()).collect();
        let names: Vec<_> = one.names().collect();
        vec![names.join(", "), hosts.join(", "), one.title.to_owned(), one.source.to_owned()]
    };
    table(&["NAME", "HOSTS", "ABOUT", "SOURCE"], 4, EXPERIMENTS.iter().map(row).collect())
}

/// The experiments, for programs.
fn listed() -> Value {
    let one = |one: &&Experiment| {
        json!({
            "names": one.names().collect::<Vec<_>>(),
            "hosts": one.hosts.iter().map(|host| host.name()).collect::<Vec<_>>(),
            "title": one.title,
            "source": one.source,
        })
    };
    json!({ "experiments": EXPERIMENTS.iter().map(one).collect::<Vec<_>>() })
}

/// Findings for programs; the raw numbers are what `--keep` keeps.
fn data(experiment: &Experiment, findings: &Findings) -> Value {
    let table =
        |table: &Table| json!({ "title": table.title, "head": table.head, "rows": table.rows });
    json!({
        "names": experiment.names().collect::<Vec<_>>(),
        "source": experiment.source,
        "question": experiment.question,
        "claim": experiment.claim,
        "standing": standing(findings.verdict.standing),
        "why": findings.verdict.why,
        "measured": findings.circumstances,
        "tables": findings.tables.iter().map(table).collect::<Vec<_>>(),
        "notes": findings.notes,
    })
}

const fn standing(standing: ClaimStatus) -> &'static str {
    match standing {
        ClaimStatus::Stands => "stands",
        ClaimStatus::Calibrated => "calibrated",
        ClaimStatus::Refuted => "refuted",
        ClaimStatus::Open => "open",
    }
}

/// Raw numbers and pictures into a folder.
fn keep(folder: &Path, findings: &Findings, outputs: &mut Destinations) -> Result<(), VerbError> {
    let mut write = |name: &str, text: &str| {
        let kept = outputs.claim("--keep", &folder.join(name))?;
        kept.write(|out| out.write_all(text.as_bytes()))
    };
    for raw in &findings.raw {
        write(&raw.name, &raw.text)?;
    }
    for figure in &findings.figures {
        write(&format!("{}.svg", figure.name), &figure.picture.svg())?;
    }
    Ok(())
}

/// Findings for people.
fn text(experiment: &Experiment, findings: &Findings) -> String {
    let names: Vec<_> = experiment.names().collect();
    let mut text = format!(
        "{}: {}\nSource:   {}\nQuestion: {}\nClaim:    {}\n",
        names.join(", "),
        experiment.title,
        experiment.source,
        experiment.question,
        experiment.claim,
    );
    for line in &findings.circumstances {
        text.push_str(&format!("Measured: {line}\n"));
    }
    for one in &findings.tables {
        let head: Vec<&str> = one.head.iter().map(String::as_str).collect();
        text.push_str(&format!("\n{}\n", one.title));
        text.push_str(&table(&head, one.words, one.rows.clone()));
    }
    if !findings.notes.is_empty() {
        text.push('\n');
    }
    for note in &findings.notes {
        text.push_str(&format!("Note: {note}\n"));
    }
    let word = match findings.verdict.standing {
        ClaimStatus::Stands => "stands",
        ClaimStatus::Calibrated => "calibrated with the paper's figures, not confirmed",
        ClaimStatus::Refuted => "REFUTED",
        ClaimStatus::Open => "not decided",
    };
    text.push_str(&format!("\nClaim {word}: {}\n", findings.verdict.why));
    text
}
