//! Jobs that threads submitted to schedulers with admission control, and the answers (PORTS 2.2). Missed deadlines are
//! counted elsewhere.

use crate::terminal::short;
use windfall_scenario::outcome::{LateTasks, Outcome, Refusals, ThreadOutcome};

/// The threads that submitted jobs.
pub(crate) fn submitters(outcome: &Outcome) -> impl Iterator<Item = &ThreadOutcome> {
    outcome.threads.iter().filter(|thread| thread.submitted > 0)
}

/// Why jobs were refused, in words; empty if none was.
pub(crate) fn reasons(refusals: &Refusals) -> String {
    let reasons = [
        (refusals.no_time, "no time before the deadline"),
        (refusals.full, "all slots taken"),
        (refusals.other, "see the refused requests"),
    ];
    let reasons = reasons.into_iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> = reasons.map(|(count, why)| format!("{count} {why}")).collect();
    reasons.join(", ")
}

/// The lateness of the latest of a process's tasks, in words; empty if none was late.
pub(crate) fn lateness(late: &LateTasks) -> String {
    match late.count {
        0 => String::new(),
        _ => format!("at most {}, {} of that stolen", short(late.most), short(late.stolen)),
    }
}

/// A line for each thread that submitted jobs.
pub(crate) fn text(outcome: &Outcome) -> String {
    let lines = submitters(outcome).map(|thread| {
        let (requested, refused) = (thread.submitted, thread.refusals.all());
        let why = match refused {
            0 => String::new(),
            _ => format!(" ({})", reasons(&thread.refusals)),
        };
        let late = match thread.late_tasks.count {
            0 => String::new(),
            late => format!(", {late} ended late ({})", lateness(&thread.late_tasks)),
        };
        let (name, admitted) = (&thread.name, requested - refused);
        format!(
            "{name} submitted {requested} jobs: {admitted} admitted, {refused} refused{why}{late}\n"
        )
    });
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}
