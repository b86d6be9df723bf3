//! The promises and their verdicts as a table: what the text says of each, in the same words.
//!
//! Invariant: a promise looks like a failure if and only if it counts as one for the exit status.

use super::{PromiseRow, Report};
use crate::figures::grouped;
use crate::html::Shown;
use crate::promises::meaning;
use maud::{Markup, html};
use windfall_scenario::outcome::PromiseStatus;

pub(super) fn section(report: &Report) -> Markup {
    html! {
        @if !report.promises.is_empty() {
            section aria-labelledby="promises" {
                h2 #promises { "Promises " small { "over all windows of the run" } }
                div.wide {
                    table.names {
                        thead {
                            tr {
                                th { "Owner" } th { "Promise" } th { "State" } th.n { "Margin" }
                                th.n title="how many windows were long enough to promise something" { "Windows tested" }
                                th title="received of promised: where it came closest to failing, or failed most" {
                                    "Worst window"
                                }
                            }
                        }
                        tbody { @for promise in &report.promises { (row(promise)) "\n" } }
                    }
                }
            }
        }
        (refused(report))
    }
}

/// Each request that was refused: its owner, the scheduler that it was asked of, and the reason.
fn refused(report: &Report) -> Markup {
    html! {
        @if !report.not_promised.is_empty() {
            section aria-labelledby="refused" {
                h2 #refused { "Refused, and so not promised" }
                div.wide {
                    table.names {
                        thead { tr { th { "Owner" } th { "Asked for" } th { "Of" } th { "Why refused" } } }
                        tbody {
                            @for refused in report.not_promised.iter().take(SHOWN) {
                                tr {
                                    th scope="row" { (Shown(&refused.name)) }
                                    td.promise { (refused.requested) }
                                    td { (Shown(&refused.parent)) }
                                    td { (Shown(&refused.why)) }
                                }
                                "\n"
                            }
                        }
                    }
                }
                @if report.not_promised.len() > SHOWN {
                    p { (report.not_promised.len() - SHOWN) " more were refused; `windfall check` explains each" }
                }
            }
        }
    }
}

/// How many refused requests are listed.
const SHOWN: usize = 1_000;

fn row(row: &PromiseRow) -> Markup {
    html! {
        tr {
            th scope="row" { (Shown(&row.owner)) }
            td.promise { (row.guarantee) }
            td { (chip(row)) }
            td.n { span.bad[row.failure] { (row.margin) } }
            td.n { (grouped(row.tested)) }
            td { (row.worst) }
        }
    }
}

/// The state of a promise, and on demand what it means.
pub(super) fn chip(row: &PromiseRow) -> Markup {
    html! { span.chip.(class_of(row)) title=[reason(row)] { (row.state) } }
}

/// The class of its colours.
pub(super) fn class_of(row: &PromiseRow) -> &'static str {
    match row.status {
        _ if row.failure => "missed",
        PromiseStatus::Kept => "met",
        PromiseStatus::Unused | PromiseStatus::NotTested => "quiet",
        _ => "excused",
    }
}

/// The reason of a status that says too little in a word.
fn reason(row: &PromiseRow) -> Option<&'static str> {
    match row.status {
        PromiseStatus::Missed | PromiseStatus::Exceeded if !row.granted => {
            Some("it was requested and not granted, so this does not count as missed")
        }
        PromiseStatus::Exceeded => Some("it got more than its hard reservation allows"),
        status => meaning(status),
    }
}
