//! `windfall import TRACE -o FILE.toml`

use crate::cli::{ImportArgs, Source};
use crate::output::{apart, print, write_file};
use crate::{Answer, Trouble};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use windfall_programs::learn::convert;
use windfall_scenario::{Recording, Reserving, Scenario, import, import_rtapp};
use windfall_trace::import::{Format, Report, rtapp};

pub(crate) fn run(args: &ImportArgs) -> Result<Answer, Trouble> {
    apart(&args.trace, &args.output)?;
    let trouble = |why: String| Trouble(format!("windfall: {}: {why}", args.trace.display()));
    let is_rtapp = args.from == Some(Source::RtApp)
        || (args.from.is_none() && args.trace.extension().is_some_and(|e| e == "json"));
    let (scenario, words) = if is_rtapp {
        let text =
            std::fs::read_to_string(&args.trace).map_err(|error| trouble(error.to_string()))?;
        let file = rtapp::parse(&text).map_err(|refusal| trouble(refusal.to_string()))?;
        from_rtapp(&file)
    } else {
        let format = match args.from {
            Some(Source::Ftrace) => Format::Ftrace,
            Some(Source::Perf) => Format::Perf,
            _ => Format::Auto,
        };
        let recording = Recording::read(&args.trace, format).map_err(trouble)?;
        from_recording(args, &recording)?
    };
    scenario.check().map_err(|mistakes| trouble(mistakes.render(false)))?;
    write_file(&args.output, |out| out.write_all(scenario.write().as_bytes()))?;
    let next = format!("windfall simulate {}", args.output.display());
    print(&format!("{words}wrote {}; next: {next}\n", args.output.display()))?;
    Ok(Answer::Yes)
}

fn from_rtapp(file: &rtapp::RtApp) -> (Scenario, String) {
    let converted = convert(file);
    let highest = file.tasks.iter().flat_map(|task| task.scheduling.cpus.iter().flatten()).max();
    let processors = highest.map_or(1, |cpu| u16::try_from(*cpu + 1).unwrap_or(u16::MAX));
    let mut words = String::new();
    for warning in &file.warnings {
        words.push_str(&format!("warning: {warning}\n"));
    }
    for unconverted in &converted.unconverted {
        words.push_str(&format!("{unconverted}\n"));
    }
    let why = highest.map_or("no task names one", |_| "the highest that a task names is the last");
    words.push_str(&format!(
        "threads: {}; processors: {processors} ({why})\n",
        converted.threads.len()
    ));
    (import_rtapp(&converted, processors), words)
}

fn from_recording(args: &ImportArgs, recording: &Recording) -> Result<(Scenario, String), Trouble> {
    let reserving = if args.reserve { Reserving::Periodic } else { Reserving::Nobody };
    let file = seen_from(&args.trace, &args.output)?;
    let imported = import(recording, &file, reserving);
    let mut words = imported.proposal.to_string();
    words.push('\n');
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
    if let Some(report) = &recording.report {
        words.push_str(&what_became_of_lines(report));
    }
    Ok((imported.scenario, words))
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
        text.push_str(&format!("  not understood: line {}: {}\n", example.line, example.text));
    }
    if lost.gaps > 0 {
        let more = if lost.uncounted > 0 { ", others uncounted" } else { "" };
        text.push_str(&format!(
            "LOST: {} gaps told by the source, {} events counted{more}; there the trace is unknown\n",
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
fn seen_from(trace: &Path, output: &Path) -> Result<String, Trouble> {
    let trouble = |path: &Path, error: std::io::Error| {
        Trouble(format!("windfall: {}: {error}", path.display()))
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
        Trouble(format!("windfall: {}: the path is not text; rename it", trace.display()))
    })
}
