//! `windfall import TRACE -o FILE.toml`

mod json;

use super::new::{place_schema, with_schema};
use crate::cli::{ImportArgs, Source};
use crate::output::{Destinations, document, input_name, is_standard, print};
use crate::{Answer, VerbError};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use windfall_programs::learn::Clock;
use windfall_scenario::rtapp::{self, convert};
use windfall_scenario::{
    Imported, Recording, Reserving, Scenario, import, import_rtapp, read_text,
};
use windfall_trace::escape::escaped;
use windfall_trace::import::{Format, Report};

pub(crate) fn run(args: &ImportArgs) -> Result<Answer, VerbError> {
    let mut outputs = Destinations::new(args.force.force, [args.trace.as_path()])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = outputs.claim("--output", &args.output)?;
    let trouble = |why: String| VerbError(format!("windfall: {}: {why}", input_name(&args.trace)));
    let is_rtapp = args.from == Some(Source::RtApp)
        || (args.from.is_none() && args.trace.extension().is_some_and(|e| e == "json"));
    let (scenario, proposal, words) = if is_rtapp {
        let text = read_text(&args.trace).map_err(trouble)?;
        let file = rtapp::parse(&text).map_err(|refusal| trouble(refusal.to_string()))?;
        let (scenario, words) = from_rtapp(&file, args.processors).map_err(trouble)?;
        (scenario, None, words)
    } else if is_standard(&args.trace) {
        let why = "the scenario names its recording, which needs a file; keep the recording in one, or say `--from rt-app`";
        return Err(trouble(why.to_owned()));
    } else {
        if args.processors.is_some() {
            let why = "--processors is for rt-app files; a recording says how many it has";
            return Err(trouble(why.to_owned()));
        }
        let format = match args.from {
            Some(Source::Ftrace) => Format::Ftrace,
            Some(Source::Perf) => Format::Perf,
            _ => Format::Auto,
        };
        let recording = Recording::read(&args.trace, format).map_err(trouble)?;
        let imported = from_recording(args, &recording)?;
        (imported.scenario, Some(imported.proposal), remarks(&recording))
    };
    scenario.check().map_err(|mistakes| trouble(mistakes.render(false)))?;
    output.write(|out| out.write_all(with_schema(&scenario).as_bytes()))?;
    let beside = place_schema(&args.output)?;
    if args.json {
        let value = json::data(&scenario, proposal.as_ref(), &words, &output.name());
        print(&document(value))?;
        return Ok(Answer::Yes);
    }
    let proposal = proposal.map_or_else(String::new, |proposal| format!("{proposal}\n"));
    let next = format!("windfall simulate {}", args.output.display());
    outputs.print(&format!("{proposal}{words}wrote {}{beside}; next: {next}\n", output.name()))?;
    Ok(Answer::Yes)
}

fn from_rtapp(file: &rtapp::RtApp, asked: Option<u16>) -> Result<(Scenario, String), String> {
    let converted = convert(file);
    let (processors, why) = processors(file, asked);
    let imported = import_rtapp(&converted, processors)?;
    let mut words = String::new();
    for warning in &file.warnings {
        words.push_str(&format!("warning: {warning}\n"));
    }
    for loss in &imported.losses {
        words.push_str(&format!("{loss}\n"));
    }
    for wait in &imported.waits {
        words.push_str(&format!("{wait}\n"));
    }
    let waiting = imported.waits.iter().map(|wait| wait.threads).sum::<usize>();
    match (waiting, imported.scenario.threads.len()) {
        (0, _) => {}
        (some, all) if some == all => words.push_str("all threads come to wait for ever\n"),
        (some, all) => words.push_str(&format!("{some} of {all} threads come to wait for ever\n")),
    }
    let length = if file.global.duration.is_some() { "" } else { " (the file has no `duration`)" };
    words.push_str(&format!(
        "threads: {}; processors: {processors} ({why}); length: {}{length}; not as in the file: {}\n",
        imported.scenario.threads.len(),
        imported.scenario.length,
        imported.losses.len(),
    ));
    Ok((imported.scenario, words))
}

/// As many as asked for, else as there are here, but not fewer than tasks name; and why.
fn processors(file: &rtapp::RtApp, asked: Option<u16>) -> (u16, &'static str) {
    let phases = file.tasks.iter().flat_map(|task| &task.phases).map(|phase| &phase.scheduling);
    let all = file.tasks.iter().map(|task| &task.scheduling).chain(phases);
    let highest = all.flat_map(|own| own.cpus.iter().flatten()).max();
    let named = highest.map_or(1, |cpu| {
        u16::try_from(cpu + 1).expect("a file that was read names none above 1,023")
    });
    if let Some(asked) = asked {
        return (asked, "as asked for");
    }
    let here = std::thread::available_parallelism().map_or(1, usize::from);
    let here =
        u16::try_from(here.min(1024)).expect("at most 1,024, as many as a scenario may have");
    if named > here {
        (named, "the highest that a task names is the last")
    } else {
        (here, "as many as there are here")
    }
}

fn from_recording(args: &ImportArgs, recording: &Recording) -> Result<Imported, VerbError> {
    let reserving = if args.reserve { Reserving::Periodic } else { Reserving::Nobody };
    let file = seen_from(&args.trace, &args.output)?;
    Ok(import(recording, &file, reserving))
}

/// What is doubtful or missing in a recording.
pub(super) fn remarks(recording: &Recording) -> String {
    let mut words = String::new();
    if recording.environment > 0 {
        words.push_str(&format!(
            "the threads of the recorded command; {} others of the machine woke them when they did, and are not repeated\n",
            recording.environment
        ));
    }
    if let Some(why) = &recording.cut {
        words.push_str(&format!(
            "LOST: the recording ends early ({why}); what came before is used\n"
        ));
    }
    if let Some(clock) = &recording.clock {
        words.push_str(&whose_wakeups(clock));
    }
    if let Some(report) = &recording.report {
        words.push_str(&what_became_of_lines(report));
    }
    words
}

/// What is doubtful about wake-ups where a source does not say whether an interrupt did them.
fn whose_wakeups(clock: &Clock) -> String {
    let Clock { periodic, late, doubtful, .. } = clock;
    let mut text = "the source does not say which wake-ups interrupts did: ".to_owned();
    text.push_str(&format!("{periodic} are strictly periodic and taken for the clock's"));
    if *late > 0 {
        text.push_str(&format!(", as are {late} of the same threads at other times"));
    }
    text.push_str(&format!(
        "; {doubtful} are left to the thread that ran, which is DOUBTFUL (ftrace text says it)\n"
    ));
    text
}

/// Nothing is ignored in silence: what was read, what was not, what is missing.
fn what_became_of_lines(report: &Report) -> String {
    let lost = report.lost_in_all();
    let mut text = format!(
        "{} lines: {} events imported of {} threads, {} of no use, {} not understood\n",
        report.lines,
        report.imported(),
        report.threads,
        report.not_imported.values().sum::<u64>(),
        report.malformed.count + report.unknown.count,
    );
    for (name, count) in &report.not_imported {
        text.push_str(&format!("  of no use: {count} {name}\n"));
    }
    for example in report.malformed.first.iter().chain(&report.unknown.first) {
        text.push_str(&format!(
            "  not understood: line {}: {}\n",
            example.line,
            escaped(&example.text)
        ));
    }
    if lost.gaps > 0 {
        let more = if lost.uncounted > 0 { ", others uncounted" } else { "" };
        text.push_str(&format!(
            "LOST: {} gaps reported by the source, {} events counted{more}; the trace is unknown there\n",
            lost.gaps, lost.events
        ));
    }
    if report.mismatches.count > 0 {
        text.push_str(&format!(
            "LOST: {} switches are missing without a word; there the trace is unknown\n",
            report.mismatches.count
        ));
    }
    if report.clamped > 0 {
        text.push_str(&format!(
            "{} lines came too late to be sorted in and were moved, by {} at most\n",
            report.clamped, report.longest_clamp
        ));
    }
    text
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
