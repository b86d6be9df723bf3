//! The hierarchy as a table: promise, what was received with a tick at the promise, and its state.
//!
//! All bars of the page share one scale, from nothing to the largest share, so that rows compare.

use super::escape::html;
use super::{NodeRow, Report, RowStatus, ThreadRow, standing};
use crate::export::promise::part;
use crate::export::text::{grouped, percent, short};
use std::io::{self, Write};
use windfall_time::{Ratio, Span};

/// What a row of the table says, of a node or of a thread.
struct Line<'a> {
    depth: usize,
    name: &'a str,
    kind: Option<&'a str>,
    promise: Option<&'a str>,
    share: Option<Ratio>,
    received: Span,
    runnable: Span,
    missed: Option<u64>,
    standing: Option<RowStatus>,
}

pub(super) fn write(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if report.nodes.is_empty() && report.threads.is_empty() {
        return Ok(());
    }
    let span = short(report.span);
    write!(
        out,
        "<section aria-labelledby=\"tree\"><h2 id=\"tree\">Who was promised what, and got it</h2>\n\
         <div class=\"wide\"><table class=\"tree\"><thead><tr><th>Name</th><th>Promise</th>\
         <th class=\"gauge\">Received in {span} <small>tick: promised</small></th>\
         <th class=\"n\">Of one cpu</th><th class=\"n\" title=\"received less promised\">Margin</th>\
         <th class=\"n\" title=\"ready, without a processor\">Waited</th>\
         <th class=\"n\">Missed</th><th>State</th></tr></thead><tbody>\n"
    )?;
    let mut lines = Vec::new();
    for (at, node) in report.nodes.iter().enumerate() {
        let root = node.parent.is_none_or(|parent| parent >= report.nodes.len());
        if root {
            below(report, at, 0, &mut lines);
        }
    }
    let orphan = |parent: Option<usize>| parent.is_none_or(|parent| parent >= report.nodes.len());
    for row in report.threads.iter().filter(|row| orphan(row.parent)) {
        lines.push(of_thread(row, 0, report.span));
    }
    let scale = scale(&lines, report.span);
    for line in &lines {
        write_line(out, line, report.span, scale)?;
    }
    out.write_all(b"</tbody></table></div></section>\n")
}

fn below<'a>(report: &'a Report, at: usize, depth: usize, lines: &mut Vec<Line<'a>>) {
    lines.push(of_node(&report.nodes[at], depth));
    for row in report.threads.iter().filter(|row| row.parent == Some(at)) {
        lines.push(of_thread(row, depth + 1, report.span));
    }
    for (child, node) in report.nodes.iter().enumerate() {
        // A circle of parents has no root and is not reached; the depth only bounds the stack.
        if node.parent == Some(at) && depth < 64 {
            below(report, child, depth + 1, lines);
        }
    }
}

fn of_node(row: &NodeRow, depth: usize) -> Line<'_> {
    Line {
        depth,
        name: &row.name,
        kind: Some(&row.kind),
        promise: row.promise.as_deref(),
        share: row.share,
        received: row.received,
        runnable: row.runnable,
        missed: row.missed,
        standing: row.standing,
    }
}

fn of_thread(row: &ThreadRow, depth: usize, span: Span) -> Line<'_> {
    Line {
        depth,
        name: &row.name,
        kind: None,
        promise: row.promise.as_deref(),
        share: row.share,
        received: row.received,
        runnable: row.runnable,
        missed: Some(row.deadlines_missed),
        standing: standing(row, span),
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

fn write_line(out: &mut impl Write, line: &Line<'_>, span: Span, scale: Span) -> io::Result<()> {
    let class = if line.kind.is_some() { "node" } else { "thread" };
    let name = html(line.name);
    write!(out, "<tr class=\"{class}\"><th scope=\"row\" style=\"--depth:{}\">", line.depth)?;
    write!(out, "<span class=\"name\">{name}</span>")?;
    if let Some(kind) = line.kind {
        write!(out, " <span class=\"kind\">{}</span>", html(kind))?;
    }
    let promise = line.promise.map_or_else(|| "<span class=\"none\">–</span>".to_owned(), html);
    write!(out, "</th><td class=\"promise\">{promise}</td><td class=\"gauge\">")?;
    let promised = line.share.and_then(|share| part(share, span));
    let state = line.standing.map_or("plain", class_of);
    let fill = position(line.received.min(scale), scale);
    let label = match promised {
        Some(promised) => {
            format!("{} received, {} promised", short(line.received), short(promised))
        }
        None => format!("{} received", short(line.received)),
    };
    write!(
        out,
        "<div class=\"track {state}\" role=\"img\" aria-label=\"{label}\" title=\"{label}\">"
    )?;
    write!(out, "<i style=\"width:{fill}%\"></i>")?;
    if let Some(promised) = promised {
        write!(out, "<b style=\"left:{}%\"></b>", position(promised.min(scale), scale))?;
    }
    write!(out, "<span>{}</span></div></td>", short(line.received))?;
    write!(out, "<td class=\"n\">{}</td>", percent(line.received, span))?;
    write!(out, "<td class=\"n\">{}</td>", margin(line.received, promised))?;
    let waited = line.runnable.saturating_sub(line.received);
    write!(out, "<td class=\"n\">{}</td>", short(waited))?;
    match line.missed {
        Some(0) => out.write_all(b"<td class=\"n\">0</td>")?,
        Some(count) => write!(out, "<td class=\"n bad\">{}</td>", grouped(count))?,
        None => out.write_all(b"<td class=\"n none\">&#8211;</td>")?,
    }
    match line.standing {
        Some(standing) => {
            let (class, word) = (class_of(standing), word(standing));
            writeln!(out, "<td><span class=\"chip {class}\">{word}</span></td></tr>")
        }
        None => out.write_all(b"<td class=\"none\">no promise</td></tr>\n"),
    }
}

fn margin(received: Span, promised: Option<Span>) -> String {
    match promised {
        None => "<span class=\"none\">–</span>".to_owned(),
        Some(promised) if received >= promised => {
            format!("+{}", short(received.saturating_sub(promised)))
        }
        Some(promised) => format!("−{}", short(promised.saturating_sub(received))),
    }
}

fn class_of(standing: RowStatus) -> &'static str {
    match standing {
        RowStatus::Met => "met",
        RowStatus::NotAsking => "quiet",
        RowStatus::Over => "over",
        RowStatus::Missed => "missed",
        RowStatus::Unknown => "unknown",
    }
}

fn word(standing: RowStatus) -> &'static str {
    match standing {
        RowStatus::Met => "kept",
        RowStatus::NotAsking => "not asking",
        RowStatus::Over => "exceeded",
        RowStatus::Missed => "MISSED",
        RowStatus::Unknown => "unknown",
    }
}
