//! `windfall import TRACE -o FILE.toml`

use super::new::{place_schema, with_schema};
use crate::cli::{ImportArgs, Source};
use crate::output::{Destinations, is_standard};
use crate::verbs::recording::{read_recording, unreadable};
use crate::{Answer, VerbError};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use windfall_report::import::{json, remarks, rtapp_remarks};
use windfall_report::proposal;
use windfall_scenario::rtapp::{self, convert};
use windfall_scenario::{
    Imported, Recording, Reserving, RtAppImportError, Scenario, import, import_rtapp, read_text,
};
use windfall_schedulers::kinds;

pub(crate) fn run(args: &ImportArgs) -> Result<Answer, VerbError> {
    let mut outputs = Destinations::new(args.force.force, [args.trace.as_path()])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = outputs.claim("--output", &args.output)?;
    let trouble = |why: String| unreadable(&args.trace, why);
    let is_rtapp = args.from == Some(Source::RtApp)
        || (args.from.is_none() && args.trace.extension().is_some_and(|e| e == "json"));
    if is_rtapp && args.reserve {
        let why = "--reserve is for recordings; an rt-app file says itself what it reserves";
        return Err(trouble(why.to_owned()));
    }
    let (scenario, proposal, words) = if is_rtapp {
        let text = read_text(&args.trace).map_err(|why| trouble(why.to_string()))?;
        let file = rtapp::parse(&text).map_err(|refusal| trouble(refusal.to_string()))?;
        let (scenario, words) =
            from_rtapp(&file, args.processors).map_err(|why| trouble(why.to_string()))?;
        (scenario, None, words)
    } else if is_standard(&args.trace) {
        let why = "the scenario names its recording, which needs a file; keep the recording in one, or say `--from rt-app`";
        return Err(trouble(why.to_owned()));
    } else {
        if args.processors.is_some() {
            let why = "--processors is for rt-app files; a recording says how many it has";
            return Err(trouble(why.to_owned()));
        }
        let format = args.from.and_then(|source| match source {
            Source::Text(format) => Some(format),
            Source::RtApp => None,
        });
        let recording = read_recording(&args.trace, &args.trace, format)?;
        let imported = from_recording(args, &recording)?;
        (imported.scenario, Some(imported.proposal), remarks(&recording))
    };
    scenario.check().map_err(|mistakes| trouble(mistakes.render(false)))?;
    output.write(|out| out.write_all(with_schema(&scenario).as_bytes()))?;
    let beside = place_schema(&args.output)?;
    let table = |width| {
        let text = |proposal| proposal::text(proposal, width) + "\n";
        proposal.as_ref().map_or_else(String::new, text)
    };
    outputs.show(
        args.json,
        || json(&scenario, proposal.as_ref(), &words, &output.name()),
        |width| format!("{}{words}{}", table(width), output.wrote(&beside)),
    )?;
    Ok(Answer::Yes)
}

fn from_rtapp(
    file: &rtapp::RtApp,
    requested: Option<u16>,
) -> Result<(Scenario, String), RtAppImportError> {
    let (processors, why) = processors(file, requested);
    let imported = import_rtapp(&convert(file), processors)?;
    let words = rtapp_remarks(file, &imported, processors, why);
    Ok((imported.scenario, words))
}

/// As many as asked for, else as there are here, but not fewer than tasks name; and why.
fn processors(file: &rtapp::RtApp, requested: Option<u16>) -> (u16, &'static str) {
    let phases = file.tasks.iter().flat_map(|task| &task.phases).map(|phase| &phase.scheduling);
    let all = file.tasks.iter().map(|task| &task.scheduling).chain(phases);
    let highest = all.flat_map(|own| own.cpus.iter().flatten()).max();
    let named = highest.map_or(1, |cpu| {
        u16::try_from(cpu + 1).expect("a file that was read names none above 1,023")
    });
    if let Some(requested) = requested {
        return (requested, "as asked for");
    }
    let here = std::thread::available_parallelism().map_or(1, usize::from);
    let here =
        u16::try_from(here.min(1024)).expect("at most 1,024, as many as a scenario may have");
    if named > here {
        (named, "up to the highest that a task names")
    } else {
        (here, "as many as there are here")
    }
}

fn from_recording(args: &ImportArgs, recording: &Recording) -> Result<Imported, VerbError> {
    let reserving = if args.reserve { Reserving::Periodic } else { Reserving::Nobody };
    let file = seen_from(&args.trace, &args.output)?;
    Ok(import(recording, &file, reserving, kinds::TIME_SHARING))
}

/// The recording's path as the scenario, which may lie elsewhere, names it.
pub(super) fn seen_from(trace: &Path, output: &Path) -> Result<String, VerbError> {
    let trouble = |path: &Path, error: std::io::Error| {
        VerbError(format!("windfall: {}: {error}", path.display()))
    };
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let from = folder.canonicalize().map_err(|error| trouble(folder, error))?;
    let to = trace.canonicalize().map_err(|error| trouble(trace, error))?;
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(common)).collect();
    path.to_str().map(str::to_owned).ok_or_else(|| {
        VerbError(format!("windfall: {}: the path is not text; rename it", trace.display()))
    })
}
