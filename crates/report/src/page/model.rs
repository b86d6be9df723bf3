//! The contents of a report: plain data, filled in from a run or a recording.
//!
//! Invariant: nothing here refers outside itself; parents are indices into the same list or into
//! the list of nodes, and one that leads nowhere means "at the root".

use crate::figures::short;
use crate::{Story, promises};
use windfall_guarantees::Length;
use windfall_scenario::outcome::{PromiseStatus, PromiseVerdict, Refused, TaskCounts};
use windfall_time::{Ratio, Span};
use windfall_trace::timeline::LostCount;

/// Everything on the page.
// Fields: keys of a JSON document, which stand beside each other there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The title of the page.
    pub title: String,
    /// The question that was asked, if one was.
    pub question: Option<String>,
    /// The answer that was expected or found.
    pub answer: Option<String>,
    /// The machine in words: `2 cpus at speed 1, switch 2us, simulated`.
    pub machine: String,
    /// How long was looked at; rates refer to it.
    pub span: Span,
    /// The schedulers.
    pub nodes: Vec<NodeRow>,
    /// The threads.
    pub threads: Vec<ThreadRow>,
    /// The processors.
    pub cpus: Vec<CpuRow>,
    /// Expectations, and whether each held.
    pub expectations: Vec<Expectation>,
    /// Promises and their verdicts; of a group of similar threads, the worst one.
    pub promises: Vec<PromiseRow>,
    /// Guarantees that were requested and refused.
    pub not_promised: Vec<Refused>,
    /// Replicas that were wrong or absent, a sentence each.
    pub replicas: Vec<String>,
    /// Schedulers that were taken out of the tree: name and reason.
    pub quarantined: Vec<(String, String)>,
    /// Events that are missing.
    pub lost: LostCount,
    /// Events in time; without them the page has no timeline.
    pub story: Option<Story>,
}

/// A scheduler in the tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct NodeRow {
    /// Its name.
    pub name: String,
    /// The kind of scheduler.
    pub kind: String,
    /// Index of its parent among the nodes.
    pub parent: Option<usize>,
    /// Its promise, as text.
    pub promise: Option<String>,
    /// That promise as a share of one processor, where it is one.
    pub share: Option<Ratio>,
    /// Processor time that the threads below it received.
    pub received: Span,
    /// Time that it asked for a processor, whether it had one or not.
    pub runnable: Span,
    /// How often its promise was broken; `None` when it was not checked.
    pub missed: Option<u64>,
    /// The worst verdict of its promises, where they were judged.
    pub judged: Option<PromiseRow>,
    /// Its counters, as text; empty without any.
    pub counted: String,
}

/// A thread and what became of it.
// Fields: keys of a JSON document, which stand beside each other there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ThreadRow {
    /// Its name.
    pub name: String,
    /// Index of its scheduler among the nodes.
    pub parent: Option<usize>,
    /// Its promise, as text.
    pub promise: Option<String>,
    /// That promise as a share of one processor, where it is one.
    pub share: Option<Ratio>,
    /// Processor time received.
    pub received: Span,
    /// Time running or waiting for a processor.
    pub runnable: Span,
    /// Time of which nothing is known.
    pub unknown: Span,
    /// How often it began to wait for a processor after it had waited for something else.
    pub wakeups: u64,
    /// How often it got a processor.
    pub dispatches: u64,
    /// How often it lost one against its will.
    pub preemptions: u64,
    /// How often it got another one than the last.
    pub migrations: u64,
    /// Jobs completed.
    pub jobs: u64,
    /// Jobs and tasks submitted to a scheduler that admits or refuses each.
    pub submitted: u64,
    /// How many of them were refused.
    pub refused: u64,
    /// Why, in words.
    pub reasons: String,
    /// How many were lost after they had been admitted.
    pub lost: u64,
    /// The first of those, each in words.
    pub lost_tasks: Vec<String>,
    /// Counts of its tasks by their ends, but for those that were late.
    pub tasks: TaskCounts,
    /// Tasks of a process that it did not finish by their deadlines.
    pub tasks_late: u64,
    /// How late at most, in words.
    pub lateness: String,
    /// Jobs too late or given up.
    pub deadlines_missed: u64,
    /// Whether any of its jobs had a deadline.
    pub due: bool,
    /// Response times of its jobs, if it had any.
    pub response: Option<Response>,
    /// The worst verdict of its promises, where they were judged; otherwise [`standing`] says what totals say.
    pub judged: Option<PromiseRow>,
}

/// A promise and its verdict over all windows, in the words of the text and of JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PromiseRow {
    /// The guarantee.
    pub guarantee: String,
    /// Its owner.
    pub owner: String,
    /// How it fared.
    pub status: PromiseStatus,
    /// Whether it counts as broken: a promise that was not granted does not, nor one that was broken by stolen time or
    /// overhead.
    pub failure: bool,
    /// Whether the checker granted it.
    pub granted: bool,
    /// The status in words.
    pub state: String,
    /// By how much it was kept, or, with a minus, broken.
    pub margin: String,
    /// How many windows were tested.
    pub tested: u64,
    /// The window in which it came closest to failing, or failed most.
    pub worst: String,
}

/// A length of time as on the rest of the page.
fn length(length: Length) -> String {
    length.floor().map_or_else(|| length.to_string(), short)
}

impl PromiseRow {
    /// The row of a verdict.
    #[must_use]
    pub fn new(owner: impl Into<String>, verdict: &PromiseVerdict) -> PromiseRow {
        PromiseRow {
            guarantee: verdict.promise.guarantee.to_string(),
            owner: owner.into(),
            status: verdict.status(),
            failure: verdict.is_failure(),
            granted: verdict.promise.granted,
            state: promises::state(verdict),
            margin: promises::margin(verdict, length),
            tested: promises::tested(verdict),
            worst: promises::worst(verdict, length),
        }
    }
}

/// How long jobs took from release to completion.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Response {
    /// The shortest.
    pub min: Span,
    /// The mean.
    pub mean: Span,
    /// Half took no longer.
    pub p50: Span,
    /// 99 of 100 took no longer.
    pub p99: Span,
    /// The longest.
    pub max: Span,
    /// Counts by length, in order, not overlapping.
    pub buckets: Vec<Bucket>,
}

/// How many responses took from `from` up to `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Bucket {
    /// The shortest of them.
    pub from: Span,
    /// Longer than each of them.
    pub to: Span,
    /// How many.
    pub count: u64,
}

/// Where a processor's time went.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CpuRow {
    /// Its name (`cpu 0`).
    pub name: String,
    /// It was idle.
    pub idle: Span,
    /// Threads received it.
    pub received: Span,
    /// Going from one thread to another.
    pub switching: Span,
    /// Standing still at stations.
    pub stations: Span,
    /// Deciding who runs.
    pub scheduling: Span,
    /// Interrupts and the hypervisor.
    pub stolen: Span,
}

/// An expectation of the scenario, and whether it held.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Expectation {
    /// Its name.
    pub name: String,
    /// Whether it held.
    pub held: bool,
    /// The expectation, the value found, and the reason for it.
    pub text: String,
}

/// The state of a row by its totals, for a promise that was not judged. There are five, since "kept" and "broken" leave out the usual
/// cases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RowStatus {
    /// It asked and got what it was promised.
    Met,
    /// It hardly asked: a thread that sleeps is not starved.
    Unused,
    /// It got more than it was promised.
    Over,
    /// It asked and did not get it, or was late.
    Missed,
    /// Events are missing, so it is unknown.
    Unknown,
}

/// The state of a row by its numbers. A row that was late, or lost what was admitted, is `Missed`; else, with
/// time or the end of tasks unknown, `Unknown`; else, if it asked for less than a hundredth of its promise, `Unused`;
/// else, if it received less although it asked all the time, `Missed`; else, if it received over a
/// hundredth more, `Over`; else `Met`. `None` without a promise and without deadlines.
#[must_use]
pub fn standing(row: &ThreadRow, span: Span) -> Option<RowStatus> {
    if row.deadlines_missed + row.tasks_late + row.lost > 0 {
        return Some(RowStatus::Missed);
    }
    if row.tasks.unknown > 0 {
        return Some(RowStatus::Unknown);
    }
    if row.promise.is_none() && !row.due {
        return None;
    }
    if !row.unknown.is_zero() {
        return Some(RowStatus::Unknown);
    }
    let promised = row.share.and_then(|share| crate::promised_share::part(share, span));
    let Some(promised) = promised else {
        let requested = !row.runnable.is_zero();
        return Some(if requested { RowStatus::Met } else { RowStatus::Unused });
    };
    let hundredth = promised.as_nanos() / 100;
    let received = row.received.as_nanos();
    let always = row.runnable.as_nanos() >= span.as_nanos() - span.as_nanos() / 100;
    Some(if row.runnable.as_nanos() <= hundredth {
        RowStatus::Unused
    } else if always && received.saturating_add(hundredth) < promised.as_nanos() {
        RowStatus::Missed
    } else if row.received.as_nanos() > promised.as_nanos().saturating_add(hundredth) {
        RowStatus::Over
    } else {
        RowStatus::Met
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(received: u32, runnable: u32) -> ThreadRow {
        ThreadRow {
            promise: Some("RESBH 3ms 10ms".to_owned()),
            share: Ratio::new(3, 10),
            received: Span::from_millis(received),
            runnable: Span::from_millis(runnable),
            ..ThreadRow::default()
        }
    }

    #[test]
    fn standing_tells_five_cases_apart() {
        let of = |row: &ThreadRow| standing(row, Span::from_millis(1_000)).unwrap();
        assert_eq!(of(&row(300, 400)), RowStatus::Met);
        assert_eq!(of(&row(200, 200)), RowStatus::Met, "it asked for less");
        assert_eq!(of(&row(0, 3)), RowStatus::Unused);
        assert_eq!(of(&row(304, 900)), RowStatus::Over);
        assert_eq!(of(&row(290, 1_000)), RowStatus::Missed, "it asked all the time");
        assert_eq!(of(&ThreadRow { deadlines_missed: 1, ..row(300, 400) }), RowStatus::Missed);
        let unknown = Span::from_nanos(1);
        assert_eq!(of(&ThreadRow { unknown, ..row(300, 400) }), RowStatus::Unknown);
    }

    #[test]
    fn thread_without_promise_or_jobs_has_no_standing() {
        assert_eq!(standing(&ThreadRow::default(), Span::from_millis(1)), None);
    }
}
