//! The plain tables: what went wrong, expectations, threads in detail, processors.

use super::{CpuRow, Report, ThreadRow};
use crate::admission::others;
use crate::figures::{grouped, percent, short};
use crate::html::Shown;
use maud::{Markup, html};
use windfall_time::Span;
use windfall_trace::timeline::LostCount;

/// Missing events, in words; `None` if there are none.
pub(super) fn lost(lost: LostCount) -> Option<String> {
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    match (lost.gaps, lost.events, lost.uncounted) {
        (0, ..) => None,
        (gaps, 0, _) => Some(format!("events lost {}", times(gaps))),
        (gaps, events, 0) => Some(format!("{} events lost, {}", grouped(events), times(gaps))),
        (gaps, events, _) => {
            Some(format!("at least {} events lost, {}", grouped(events), times(gaps)))
        }
    }
}

pub(super) fn warnings(report: &Report) -> Markup {
    html! {
        @if let Some(lost) = lost(report.lost) {
            p.warning.unknown {
                (lost) ": what happened there is drawn in hatched grey and counts as unknown."
            }
        }
        @for (name, reason) in &report.quarantined {
            p.warning.bad {
                "Scheduler " b { (Shown(name)) } " was quarantined: " (Shown(reason))
                ". Its children continued under the default scheduler."
            }
        }
    }
}

pub(super) fn expectations(report: &Report) -> Markup {
    html! {
        @if !report.expectations.is_empty() {
            section aria-labelledby="expected" {
                h2 #expected { "Expectations" }
                ul.expectations {
                    @for expectation in &report.expectations {
                        @let (class, word) =
                            if expectation.held { ("met", "held") } else { ("missed", "FAILED") };
                        li {
                            span.chip.(class) { (word) } " " b { (Shown(&expectation.name)) } " "
                            span { (Shown(&expectation.text)) }
                        }
                    }
                }
            }
        }
    }
}

const THREAD_HEADS: [&str; 14] = [
    "Received",
    "Runnable",
    "Unknown",
    "Wake-ups",
    "Dispatches",
    "Preempted",
    "Migrated",
    "Done",
    "Missed",
    "Response min",
    "mean",
    "p50",
    "p99",
    "max",
];

/// Columns of the table of admissions: the head, whether it holds a number, and the cell.
type Column = (&'static str, bool, fn(&ThreadRow) -> String);

/// A number, or nothing where there was none.
fn some(count: u64) -> String {
    if count == 0 { String::new() } else { grouped(count) }
}

/// A column in which no thread has anything is left out.
const ADMISSION_COLUMNS: [Column; 9] = [
    ("Asked", true, |row| grouped(row.submitted)),
    ("Admitted", true, |row| grouped(row.submitted - row.refused)),
    ("Refused", true, |row| grouped(row.refused)),
    ("Why", false, |row| row.reasons.clone()),
    ("Lost", true, |row| some(row.lost)),
    ("Tasks in time", true, |row| some(row.tasks.in_time)),
    ("Tasks late", true, |row| some(row.tasks_late)),
    ("By", false, |row| row.lateness.clone()),
    ("Other tasks", false, |row| others(&row.tasks).join(", ")),
];

/// Jobs and tasks submitted to schedulers with admission control, the answers, and what became of tasks.
pub(super) fn admissions(report: &Report) -> Markup {
    let submitters: Vec<_> = report.threads.iter().filter(|row| row.submitted > 0).collect();
    let has = |column: &&Column| submitters.iter().any(|row| !column.2(row).is_empty());
    let columns: Vec<_> = ADMISSION_COLUMNS.iter().filter(has).collect();
    let bad = |head: &str, cell: &str| matches!(head, "Lost" | "Tasks late") && !cell.is_empty();
    html! {
        @if !submitters.is_empty() {
            section aria-labelledby="admission" {
                h2 #admission { "Jobs and tasks asked for, admitted and refused" }
                div.wide {
                    table.names {
                        thead {
                            tr {
                                th { "Thread" }
                                @for (head, number, _) in &columns { th.n[*number] { (head) } }
                            }
                        }
                        tbody {
                            @for row in &submitters {
                                tr {
                                    th scope="row" { (Shown(&row.name)) }
                                    @for (head, number, cell) in &columns {
                                        @let cell = cell(row);
                                        td.n[*number].bad[bad(head, &cell)] { (cell) }
                                    }
                                }
                            }
                        }
                    }
                }
                @for row in submitters.iter().filter(|row| !row.lost_tasks.is_empty()) {
                    p { "Lost by " (Shown(&row.name)) " after they were admitted:" }
                    ul { @for lost in &row.lost_tasks { li { (lost) } } }
                }
            }
        }
    }
}

/// Replicas that were wrong or absent, if any was.
pub(super) fn replicas(report: &Report) -> Markup {
    html! {
        @if !report.replicas.is_empty() {
            section aria-labelledby="replicas" {
                h2 #replicas { "Replicas that were wrong or absent" }
                ul { @for sentence in &report.replicas { li { (Shown(sentence)) } } }
            }
        }
    }
}

/// Counters of schedulers, for those that have any.
pub(super) fn counted(report: &Report) -> Markup {
    let counters = report.nodes.iter().filter(|row| !row.counted.is_empty());
    let counters: Vec<_> = counters.collect();
    html! {
        @if !counters.is_empty() {
            section aria-labelledby="counted" {
                h2 #counted { "Counted by schedulers" }
                div.wide {
                    table.names {
                        tbody {
                            @for row in counters {
                                tr {
                                    th scope="row" { (Shown(&row.name)) }
                                    td { (row.counted) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn threads(report: &Report) -> Markup {
    html! {
        @if !report.threads.is_empty() {
            section aria-labelledby="detail" {
                h2 #detail { "Threads in numbers" }
                div.wide {
                    table.names {
                        thead {
                            tr { th { "Thread" } @for head in THREAD_HEADS { th.n { (head) } } }
                        }
                        tbody { @for row in &report.threads { (thread(row)) "\n" } }
                    }
                }
            }
        }
    }
}

fn thread(row: &super::ThreadRow) -> Markup {
    let counts = [row.wakeups, row.dispatches, row.preemptions, row.migrations, row.jobs];
    html! {
        tr {
            th scope="row" { (Shown(&row.name)) }
            @for span in [row.received, row.runnable, row.unknown] { td.n { (short(span)) } }
            @for count in counts { td.n { (grouped(count)) } }
            td.n.bad[row.deadlines_missed > 0] { (grouped(row.deadlines_missed)) }
            @match &row.response {
                Some(response) => {
                    @for span in [response.min, response.mean, response.p50, response.p99, response.max] {
                        td.n { (short(span)) }
                    }
                }
                None => { @for _ in 0..5 { td.n.none { "–" } } }
            }
        }
    }
}

/// Where a processor's time may have gone: class, head.
const PARTS: [(&str, &str); 6] = [
    ("received", "Threads"),
    ("switching", "Switching"),
    ("scheduling", "Scheduling"),
    ("stations", "Stations"),
    ("stolen", "Stolen"),
    ("idle", "Idle"),
];

pub(super) fn cpus(report: &Report) -> Markup {
    // Few machines have stations.
    let visits = report.cpus.iter().any(|row| !row.stations.is_zero());
    let shows = |class: &str| visits || class != "stations";
    html! {
        @if !report.cpus.is_empty() {
            section aria-labelledby="cpus" {
                h2 #cpus { "Where the processors' time went" }
                div.wide {
                    table {
                        thead {
                            tr {
                                th { "Processor" } th.gauge { "Share" }
                                @for (class, head) in PARTS.into_iter().filter(|(class, _)| shows(class)) {
                                    th.n { span.key.(class) {} (head) }
                                }
                            }
                        }
                        tbody { @for row in &report.cpus { (cpu(row, &shows)) "\n" } }
                    }
                }
            }
        }
    }
}

fn cpu(row: &CpuRow, shows: &impl Fn(&str) -> bool) -> Markup {
    let parts = [row.received, row.switching, row.scheduling, row.stations, row.stolen, row.idle];
    let all = parts.iter().fold(Span::ZERO, |sum, part| sum.saturating_add(*part));
    let named = PARTS.into_iter().zip(parts);
    html! {
        tr {
            th scope="row" { (Shown(&row.name)) }
            td.gauge {
                div.stack {
                    @for ((class, _), part) in named.clone().filter(|(_, part)| !part.is_zero()) {
                        i.(class) style={ "flex-grow:" (part.as_nanos()) }
                            title={ (class) " " (percent(part, all)) } {}
                    }
                }
            }
            @for (_, part) in named.filter(|((class, _), _)| shows(class)) { td.n { (short(part)) " " small { (percent(part, all)) } } }
        }
    }
}
