//! `windfall lab list | NAME`: a paper's table or figure, measured again.

use crate::cli::LabArgs;
use crate::output::{errors_are_read, print, table, write_file};
use crate::{Answer, Trouble};
use std::io::Write;
use std::path::Path;
use windfall_lab::{EXPERIMENTS, Experiment, Findings, Host, Settings, Standing, find, page};

pub(crate) fn run(args: &LabArgs) -> Result<Answer, Trouble> {
    if args.name == "list" {
        if args.report.is_some() || args.keep.is_some() || args.host.is_some() || args.quick {
            return Err(Trouble(
                "windfall: `lab list` runs nothing; name an experiment to run it".to_owned(),
            ));
        }
        print(&list())?;
        return Ok(Answer::Yes);
    }
    let experiment = find(&args.name).ok_or_else(|| unknown(&args.name))?;
    ready(args)?;
    let read = errors_are_read();
    let progress = |what: &str| {
        if read {
            eprintln!("{what}");
        }
    };
    let host = args.host.map(Host::from);
    let findings = experiment.run(&Settings { host, quick: args.quick, progress: &progress })?;
    print(&text(experiment, &findings))?;
    if let Some(folder) = &args.keep {
        keep(folder, &findings)?;
    }
    if let Some(path) = &args.report {
        let page = page(experiment, &findings);
        write_file(path, |out| out.write_all(page.as_bytes()))?;
    }
    Ok(match findings.verdict.standing {
        Standing::Refuted => Answer::No,
        Standing::Stands | Standing::Open => Answer::Yes,
    })
}

/// Whether what is to be written can be, before hours are spent on it.
fn ready(args: &LabArgs) -> Result<(), Trouble> {
    let trouble = |path: &Path, why: &dyn std::fmt::Display| {
        Trouble(format!("windfall: {}: {why}", path.display()))
    };
    if let Some(path) = &args.report {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if !matches!(extension, Some("html" | "htm")) {
            return Err(trouble(path, &"a report is a page; end its name in `.html`"));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(trouble(path, &format!("there is no folder `{}`", folder.display())));
        }
    }
    if let Some(folder) = &args.keep {
        std::fs::create_dir_all(folder).map_err(|why| trouble(folder, &why))?;
    }
    Ok(())
}

fn unknown(name: &str) -> Trouble {
    let names: Vec<_> = EXPERIMENTS.iter().flat_map(|one| one.names()).collect();
    Trouble(format!("windfall: unknown experiment `{name}`; there are: {}", names.join(", ")))
}

fn list() -> String {
    let row = |one: &&Experiment| {
        let hosts: Vec<_> = one.hosts.iter().map(|host| host.name()).collect();
        let names: Vec<_> = one.names().collect();
        vec![names.join(", "), hosts.join(", "), one.title.to_owned(), one.source.to_owned()]
    };
    table(&["NAME", "HOSTS", "ABOUT", "SOURCE"], 4, EXPERIMENTS.iter().map(row).collect())
}

/// Raw numbers and pictures into a folder.
fn keep(folder: &Path, findings: &Findings) -> Result<(), Trouble> {
    for raw in &findings.raw {
        write_file(&folder.join(&raw.name), |out| out.write_all(raw.text.as_bytes()))?;
    }
    for figure in &findings.figures {
        let path = folder.join(format!("{}.svg", figure.name));
        write_file(&path, |out| out.write_all(figure.picture.svg().as_bytes()))?;
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
        Standing::Stands => "stands",
        Standing::Refuted => "REFUTED",
        Standing::Open => "not decided",
    };
    text.push_str(&format!("\nClaim {word}: {}\n", findings.verdict.why));
    text
}
