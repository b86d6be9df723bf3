//! A report: one HTML page that holds everything and fetches nothing.
//!
//! Invariants: no name or text of the report can leave its place in the page (`html.rs`);
//! tables and histograms are there without script, which only draws the timeline; the place of
//! the timeline is reserved, so nothing jumps.
//!
//! Absent on purpose: judgement beyond [`standing`], which is for pages without verdicts; a way to change the machine. Read next:
//! `page/model.rs` for what goes in, `page/outcome.rs` for how a run fills it in, `report.js` for the timeline.

mod embed;
mod histogram;
mod lanes;
mod model;
mod outcome;
mod promised;
mod tables;
mod tree;

pub use self::model::{
    Bucket, CpuRow, Expectation, NodeRow, PromiseRow, Report, Response, RowStatus, ThreadRow,
    standing,
};
pub use self::outcome::report;

use crate::Story;
use crate::figures::{grouped, short};
use crate::html::{Page, Shown};
use maud::{Markup, html};

const STYLE: &str = include_str!("page/report.css");
/// One function, so that the page gets no names but those that it is given.
const SCRIPT: &str = concat!(
    "'use strict';\n(() => {\n",
    include_str!("page/report.js"),
    include_str!("page/rows.js"),
    include_str!("page/draw.js"),
    include_str!("page/explain.js"),
    include_str!("page/input.js"),
    "})();\n"
);

/// The page as a file.
#[must_use]
pub fn text(report: &Report) -> String {
    let body = html! {
        (head(report))
        main {
            (tables::warnings(report))
            (tables::expectations(report))
            (tables::replicas(report))
            (tree::section(report))
            (promised::section(report))
            @if let Some(story) = &report.story { (lanes::section(&[("", story)])) }
            (histogram::section(report))
            (tables::admissions(report))
            (tables::counted(report))
            (tables::threads(report))
            (tables::cpus(report))
        }
        @if let Some(story) = &report.story { (lanes::data(&[("", story)])) }
    };
    Page { title: &report.title, style: STYLE, script: SCRIPT, body }.text()
}

/// The page of runs on one axis, one below the other, each from its own beginning: what each is called, and what happened.
#[must_use]
pub fn beside(title: &str, runs: &[(&str, &Story)]) -> String {
    let lost =
        runs.iter().filter_map(|(name, story)| Some((name, tables::lost(story.timeline.lost)?)));
    let body = html! {
        header {
            div.bar {
                h1 { (Shown(title)) }
                button #theme type="button" hidden { "Dark or light" }
            }
            ul.facts {
                @for (name, story) in runs {
                    li { (Shown(name)) ": " (short(story.timeline.span())) }
                }
                @for (name, lost) in lost { li.unknown { (Shown(name)) ": " (lost) } }
            }
        }
        main { (lanes::section(runs)) }
        (lanes::data(runs))
    };
    Page { title, style: STYLE, script: SCRIPT, body }.text()
}

/// Title, question and answer, and what matters most in a line of chips.
fn head(report: &Report) -> Markup {
    html! {
        header {
            div.bar {
                h1 { (Shown(&report.title)) }
                button #theme type="button" hidden { "Dark or light" }
            }
            @for (label, text) in [("Question", &report.question), ("Answer", &report.answer)] {
                @if let Some(text) = text { p.ask { span { (label) } " " (Shown(text)) } }
            }
            (facts(report))
        }
    }
}

fn facts(report: &Report) -> Markup {
    let held = report.expectations.iter().filter(|expectation| expectation.held).count();
    let all = report.expectations.len();
    let jobs: u64 = report.threads.iter().map(|thread| thread.jobs).sum();
    let missed: u64 = report.threads.iter().map(|thread| thread.deadlines_missed).sum();
    let good = |good: bool| if good { "good" } else { "bad" };
    html! {
        ul.facts {
            @if !report.machine.is_empty() { li { (Shown(&report.machine)) } }
            li { (short(report.span)) " looked at" }
            @if all > 0 { li.(good(held == all)) { (held) " of " (all) " expectations held" } }
            @let refused = report.not_promised.len();
            @if !report.promises.is_empty() {
                @let broken = report.promises.iter().any(|promise| promise.failure);
                li.(good(!broken)) {
                    @if broken { "not all promises kept" }
                    @else if refused > 0 { "no promise missed that was granted" }
                    @else { "no promise missed" }
                }
            }
            @if refused > 0 {
                li.bad { (refused) @if refused == 1 { " guarantee refused" } @else { " guarantees refused" } }
            }
            @if jobs + missed > 0 {
                li.(good(missed == 0)) {
                    (grouped(missed)) @if missed == 1 { " deadline" } @else { " deadlines" } " missed, "
                    (grouped(jobs)) @if jobs == 1 { " job done" } @else { " jobs done" }
                }
            }
            @let submitted = report.threads.iter().map(|thread| thread.submitted).sum::<u64>();
            @if submitted > 0 {
                @let refused = report.threads.iter().map(|thread| thread.refused).sum::<u64>();
                @let tasks = report.threads.iter().any(|thread| thread.tasks.submitted > 0);
                @let what = if tasks { "jobs and tasks" } else { "jobs" };
                li { (grouped(refused)) " of " (grouped(submitted)) " submitted " (what) " refused" }
            }
            @let lost = report.threads.iter().map(|thread| thread.lost).sum::<u64>();
            @if lost > 0 { li.bad { (grouped(lost)) " lost after they were admitted" } }
            @if let Some(lost) = tables::lost(report.lost) { li.unknown { (lost) } }
            @if !report.quarantined.is_empty() {
                li.bad { (report.quarantined.len()) " quarantined" }
            }
        }
    }
}

#[cfg(test)]
mod tests;
