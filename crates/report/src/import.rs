//! Result of importing a recording or an rt-app file, with everything in it that is doubtful or
//! missing.

use crate::plural::count;
use crate::proposal;
use serde_json::{Value, json};
use windfall_programs::learn::{Clock, Proposal};
use windfall_scenario::rtapp::RtApp;
use windfall_scenario::{ImportedRtApp, Recording, Scenario};
use windfall_trace::escape::escaped;
use windfall_trace::import::Report;
use windfall_trace::timeline::LostCount;

/// For programs: the scenario, what is proposed for each thread of a recording, and what there is to say of how it was made.
#[must_use]
pub fn json(scenario: &Scenario, proposal: Option<&Proposal>, remarks: &str, wrote: &str) -> Value {
    let threads = scenario.threads.iter().map(|thread| {
        json!({
            "name": thread.name,
            "count": thread.count,
            "parent": thread.parent,
            "guarantee": thread.requires.guarantee.map(|guarantee| guarantee.to_string()),
        })
    });
    json!({
        "wrote": wrote,
        "processors": scenario.machine.speeds.len(),
        "length_ns": scenario.length.as_nanos(),
        "threads": threads.collect::<Vec<_>>(),
        "proposal": proposal.map(proposal::json),
        "remarks": remarks.lines().collect::<Vec<_>>(),
    })
}

/// Everything doubtful or missing in a recording, one line each.
#[must_use]
pub fn remarks(recording: &Recording) -> String {
    let mut words = String::new();
    if recording.environment > 0 {
        words.push_str(&format!(
            "only the threads of the recorded command are repeated; wake-ups by {} other threads come at their recorded times\n",
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
    let lost = recording.learned.lost;
    match &recording.report {
        Some(report) => words.push_str(&what_became_of_lines(report)),
        None if lost.gaps > 0 => words.push_str(&gaps(lost)),
        None => {}
    }
    words
}

/// Doubts about wake-ups, for sources that do not say whether an interrupt caused them.
fn whose_wakeups(clock: &Clock) -> String {
    let Clock { periodic, late, doubtful, .. } = clock;
    let mut text = "the source does not say which wake-ups came from interrupts: ".to_owned();
    text.push_str(&format!("{periodic} are strictly periodic and attributed to the clock"));
    if *late > 0 {
        text.push_str(&format!(", as are {late} more of the same threads"));
    }
    text.push_str(&format!(
        "; {doubtful} are attributed to the thread that ran, which is DOUBTFUL (text of ftrace has this information)\n"
    ));
    text
}

/// Counts of what was read, what was not needed or not understood, and what is missing.
fn what_became_of_lines(report: &Report) -> String {
    let lost = report.lost_in_all();
    let mut text = format!(
        "{} lines: {} of {} imported, {} not needed, {} not understood\n",
        report.lines,
        count(report.imported(), "event"),
        count(report.threads, "thread"),
        report.not_imported.values().sum::<u64>(),
        report.malformed.count + report.unknown.count,
    );
    for (name, count) in &report.not_imported {
        text.push_str(&format!("  not needed: {count} {name}\n"));
    }
    for example in report.malformed.first.iter().chain(&report.unknown.first) {
        text.push_str(&format!(
            "  not understood: line {}: {}\n",
            example.line,
            escaped(&example.text)
        ));
    }
    if lost.gaps > 0 {
        text.push_str(&gaps(lost));
    }
    if report.mismatches.count > 0 {
        text.push_str(&format!(
            "LOST: {} switches that the source does not report; the time around them is unknown\n",
            report.mismatches.count
        ));
    }
    if report.clamped > 0 {
        text.push_str(&format!(
            "{} lines came too late to be sorted and were moved, by {} at most\n",
            report.clamped, report.longest_clamp
        ));
    }
    text
}

fn gaps(lost: LostCount) -> String {
    let more = if lost.uncounted > 0 { ", others uncounted" } else { "" };
    let LostCount { gaps, events, .. } = lost;
    format!(
        "LOST: {gaps} gaps reported by the source, {events} events counted{more}; the time in them is unknown\n"
    )
}

/// Doubts about an rt-app file, steps that were replaced by others, the number of `processors` assumed, and `why`.
#[must_use]
pub fn rtapp_remarks(file: &RtApp, imported: &ImportedRtApp, processors: u16, why: &str) -> String {
    let ImportedRtApp { scenario, losses, waits, .. } = imported;
    let mut words = String::new();
    for warning in &file.warnings {
        words.push_str(&format!("warning: {warning}\n"));
    }
    for loss in losses {
        words.push_str(&format!("{loss}\n"));
    }
    for wait in waits {
        words.push_str(&format!("{wait}\n"));
    }
    let waiting = waits.iter().map(|wait| wait.threads).sum::<usize>();
    match (waiting, scenario.threads.len()) {
        (0, _) => {}
        (some, all) if some == all => words.push_str("all threads come to wait for ever\n"),
        (some, all) => words.push_str(&format!("{some} of {all} threads come to wait for ever\n")),
    }
    let length =
        if file.global.duration.is_some() { "" } else { " (the file sets no end by `duration`)" };
    words.push_str(&format!(
        "threads: {}; processors: {processors} ({why}); length: {}{length}; not as in the file: {}\n",
        scenario.threads.len(),
        scenario.length,
        losses.len(),
    ));
    words
}
