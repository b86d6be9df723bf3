//! The hierarchy as a table: promise, time received with a tick at the promise, and state.
//!
//! All bars of the page share one scale, from nothing to the largest share, so that rows compare.

use super::promised::chip;
use super::{NodeRow, PromiseRow, Report, RowStatus, ThreadRow, standing};
use crate::figures::{grouped, percent, short};
use crate::html::Shown;
use crate::promised_share::part;
use maud::{Markup, html};
use windfall_scenario::outcome::Refused;
use windfall_time::{Ratio, Span};

/// The meaning of the column.
const MARGIN: &str = "by how much the promise was kept where it came closest to failing; with a minus, by how much it was broken";

/// A row of the table, for a scheduler or a thread.
// Fields: the cells of a row, which stand beside each other there.
struct Line<'a> {
    depth: usize,
    name: &'a str,
    kind: Option<&'a str>,
    promise: Option<&'a str>,
    /// A guarantee that it asked for and was refused.
    refused: Option<&'a Refused>,
    share: Option<Ratio>,
    received: Span,
    runnable: Span,
    missed: Option<u64>,
    judged: Option<&'a PromiseRow>,
    /// Its state by totals, where nothing was judged.
    standing: Option<RowStatus>,
}

pub(super) fn section(report: &Report) -> Markup {
    let lines = lines(report);
    let scale = scale(&lines, report.span);
    html! {
        @if !lines.is_empty() {
            section aria-labelledby="tree" {
                h2 #tree { "Promised and received" }
                div.wide {
                    table.tree.names {
                        thead {
                            tr {
                                th { "Name" } th { "Promise" }
                                th.gauge {
                                    "Received in " (short(report.span)) " " small { "(tick: promised)" }
                                }
                                th.n { "Of one cpu" }
                                th { "State" }
                                th.n title="deadlines" { "Missed" }
                                th.n title=(MARGIN) { "Margin" }
                                th.n title="ready, waiting for a processor" { "Waited" }
                            }
                        }
                        tbody { @for line in &lines { (row(line, report.span, scale)) "\n" } }
                    }
                }
            }
        }
    }
}

/// The rows in the order of the tree; threads without a scheduler come last.
fn lines(report: &Report) -> Vec<Line<'_>> {
    let orphan = |parent: Option<usize>| parent.is_none_or(|parent| parent >= report.nodes.len());
    let mut lines = Vec::new();
    for (at, _) in report.nodes.iter().enumerate().filter(|(_, node)| orphan(node.parent)) {
        below(report, at, 0, &mut lines);
    }
    for row in report.threads.iter().filter(|row| orphan(row.parent)) {
        lines.push(of_thread(report, row, 0));
    }
    lines
}

fn below<'a>(report: &'a Report, at: usize, depth: usize, lines: &mut Vec<Line<'a>>) {
    lines.push(of_node(report, &report.nodes[at], depth));
    for row in report.threads.iter().filter(|row| row.parent == Some(at)) {
        lines.push(of_thread(report, row, depth + 1));
    }
    for (child, node) in report.nodes.iter().enumerate() {
        // A circle of parents has no root and is not reached; the depth only bounds the stack.
        if node.parent == Some(at) && depth < 64 {
            below(report, child, depth + 1, lines);
        }
    }
}

/// A request that was refused to this scheduler, or to this thread.
fn refused<'a>(report: &'a Report, owner: &str, is_scheduler: bool) -> Option<&'a Refused> {
    let is_its =
        |refused: &&Refused| refused.owner == owner && refused.own.is_some() == is_scheduler;
    report.not_promised.iter().find(is_its)
}

fn of_node<'a>(report: &'a Report, row: &'a NodeRow, depth: usize) -> Line<'a> {
    Line {
        depth,
        name: &row.name,
        kind: Some(&row.kind),
        promise: row.promise.as_deref(),
        refused: refused(report, &row.name, true),
        share: row.share,
        received: row.received,
        runnable: row.runnable,
        missed: row.missed,
        judged: row.judged.as_ref(),
        standing: None,
    }
}

fn of_thread<'a>(report: &'a Report, row: &'a ThreadRow, depth: usize) -> Line<'a> {
    Line {
        depth,
        name: &row.name,
        kind: None,
        promise: row.promise.as_deref(),
        refused: refused(report, &row.name, false),
        share: row.share,
        received: row.received,
        runnable: row.runnable,
        missed: (row.due || row.deadlines_missed > 0).then_some(row.deadlines_missed),
        judged: row.judged.as_ref(),
        standing: standing(row, report.span),
    }
}

/// The time that fills a bar: the largest received or promised, at least a tenth of the span.
fn scale(lines: &[Line<'_>], span: Span) -> Span {
    let tenth = Span::from_nanos(span.as_nanos() / 10);
    let promised = |line: &Line<'_>| line.share.and_then(|share| part(share, span));
    let largest = lines.iter().flat_map(|line| [Some(line.received), promised(line)]).flatten();
    largest.max().unwrap_or(tenth).max(tenth)
}

/// `part` of `whole` in hundredths of a percent, for positions.
fn position(part: Span, whole: Span) -> String {
    let hundredths = u128::from(part.as_nanos()) * 10_000 / u128::from(whole.as_nanos().max(1));
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn row(line: &Line<'_>, span: Span, scale: Span) -> Markup {
    let promised = line.share.and_then(|share| part(share, span));
    html! {
        tr.(if line.kind.is_some() { "node" } else { "thread" }) {
            th scope="row" style={ "--depth:" (line.depth) } {
                span.name { (Shown(line.name)) }
                @if let Some(kind) = line.kind { " " span.kind { (Shown(kind)) } }
            }
            td.promise {
                @match (line.promise, line.refused) {
                    (Some(promise), _) => (Shown(promise)),
                    (None, Some(refused)) => {
                        span.chip.missed title=(Shown(&refused.why)) { "refused" } " " (refused.requested)
                    }
                    (None, None) => span.none { "–" },
                }
            }
            td.gauge { (gauge(line, promised, scale)) }
            td.n { (percent(line.received, span)) }
            @match (line.judged, line.standing) {
                (Some(judged), _) => td { (chip(judged)) },
                (None, Some(standing)) => td { span.chip.(class_of(standing)) { (word(standing, line.promise)) } },
                (None, None) => td.none { "no promise" },
            }
            @match line.missed {
                Some(count) => td.n.bad[count > 0] { (grouped(count)) },
                None => td.n.none { "–" },
            }
            td.n { (margin(line, promised)) }
            td.n { (short(line.runnable.saturating_sub(line.received))) }
        }
    }
}

/// Time received as a bar, with a tick at the promise.
fn gauge(line: &Line<'_>, promised: Option<Span>, scale: Span) -> Markup {
    let received = short(line.received);
    let label = match promised {
        Some(promised) if line.received > promised => {
            let more = short(line.received.saturating_sub(promised));
            format!("{received} received, {} promised: {more} more than promised", short(promised))
        }
        Some(promised) => format!("{received} received, {} promised", short(promised)),
        None => format!("{received} received"),
    };
    html! {
        @let class = line.judged.map(super::promised::class_of).or(line.standing.map(class_of));
        div.track.(class.unwrap_or("plain")) role="img" aria-label=(label) title=(label) {
            i style={ "width:" (position(line.received.min(scale), scale)) "%" } {}
            @if let Some(promised) = promised {
                b style={ "left:" (position(promised.min(scale), scale)) "%" } {}
            }
            span { (received) }
        }
    }
}

/// The margin of the verdict. Without one, what was received more than promised, or, if the promise was missed, the
/// shortfall; a row that asked for less than its promise needs no more.
fn margin(line: &Line<'_>, promised: Option<Span>) -> Markup {
    if let Some(judged) = line.judged {
        // The worst one of several is not the one that its row names.
        return html! { span.bad[judged.failure] title=(judged.guarantee) { (judged.margin) } };
    }
    let lacks = promised.map(|promised| promised.min(line.runnable).saturating_sub(line.received));
    let missed =
        line.standing == Some(RowStatus::Missed) && lacks.is_some_and(|lacks| !lacks.is_zero());
    html! {
        @match promised {
            None => span.none { "–" },
            Some(promised) if line.received >= promised => {
                span title="more than promised" { "+" (short(line.received.saturating_sub(promised))) }
            }
            Some(_) if missed => span.bad { "−" (lacks.map(short).unwrap_or_default()) },
            Some(_) => span.none title="it asked for less than it was promised" { "not needed" },
        }
    }
}

fn class_of(standing: RowStatus) -> &'static str {
    match standing {
        RowStatus::Met => "met",
        RowStatus::Unused => "quiet",
        RowStatus::Over => "over",
        RowStatus::Missed => "missed",
        RowStatus::Unknown => "unknown",
    }
}

/// The words of what totals say. Without a promise they speak of deadlines.
fn word(standing: RowStatus, promise: Option<&str>) -> &'static str {
    match standing {
        RowStatus::Met if promise.is_none() => "in time",
        RowStatus::Met => "kept",
        RowStatus::Unused => "unused",
        RowStatus::Over => "more than promised",
        RowStatus::Missed => "missed",
        RowStatus::Unknown => "unknown",
    }
}
