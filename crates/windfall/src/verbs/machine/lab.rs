//! `windfall lab list | NAME | validate`: a paper's table or figure, measured again; what this machine can be trusted with.

use crate::cli::{LabArgs, LabVerb};
use crate::output::{Destination, Destinations, errors_are_read, is_standard, print_error, show};
use crate::verbs::keep::is_page;
use crate::verbs::meant::meant;
use crate::{Answer, VerbError};
use std::io::Write;
use std::path::Path;
use windfall_lab::{
    Catalogue, ClaimStatus, Experiment, Findings, Host, Settings, find, json, page, text,
};

mod validate;

pub(crate) fn run(args: &LabArgs) -> Result<Answer, VerbError> {
    if let Some(LabVerb::Validate(args)) = &args.verb {
        return validate::run(args);
    }
    let name = args.name.as_deref().unwrap_or("list");
    if name == "list" {
        if args.report.is_some() || args.keep.is_some() || args.host.is_some() || args.quick {
            return Err(VerbError(
                "windfall: `lab list` runs nothing; name an experiment to run it".to_owned(),
            ));
        }
        show(args.json, json::list, text::list)?;
        return Ok(Answer::Yes);
    }
    let experiment = find(name).ok_or_else(|| unknown(name))?;
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
    let shown = outputs.show(
        args.json,
        || json::findings(experiment, &findings),
        |width| text::findings(experiment, &findings, width),
    );
    let kept = args.keep.as_ref().map_or(Ok(()), |folder| keep(folder, &findings, &mut outputs));
    let reported = report.map_or(Ok(()), |report| {
        let page = page(experiment, &findings);
        report.write(|out| out.write_all(page.as_bytes()))
    });
    VerbError::of_all([shown, kept, reported])?;
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
        let why = "windfall: `--keep` writes several files, which cannot go to standard output; name a folder";
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
    if name == "validate" {
        let first = "windfall: write `validate` first, and its options behind it: `windfall lab validate --quick`";
        return VerbError(first.to_owned());
    }
    let names: Vec<_> = Catalogue::default().kinds().flat_map(Experiment::names).collect();
    let meant = meant(name, names.iter().copied());
    let all = names.join(", ");
    VerbError(format!("windfall: unknown experiment `{name}`; {meant}there are: {all}"))
}

/// Raw numbers and pictures into a folder.
fn keep(folder: &Path, findings: &Findings, outputs: &mut Destinations) -> Result<(), VerbError> {
    let mut write = |name: &str, text: &str| {
        let kept = outputs.claim("--keep", &folder.join(name))?;
        kept.write(|out| out.write_all(text.as_bytes()))
    };
    let raw = findings.raw.iter().map(|raw| (raw.name.clone(), raw.text.clone()));
    let figures = findings.figures.iter();
    let figures = figures.map(|figure| (format!("{}.svg", figure.name), figure.picture.svg()));
    VerbError::of_all(raw.chain(figures).map(|(name, text)| write(&name, &text)))
}
