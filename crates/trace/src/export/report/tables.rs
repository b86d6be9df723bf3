//! The plain tables: what went wrong, expectations, threads in detail, processors.

use super::escape::html;
use super::{CpuRow, Report};
use crate::export::text::{grouped, percent, short};
use crate::timeline::LostCount;
use std::io::{self, Write};
use windfall_time::Span;

/// What is missing, in words; nothing when nothing is.
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

pub(super) fn warnings(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if let Some(lost) = lost(report.lost) {
        writeln!(
            out,
            "<p class=\"warning unknown\">{lost}: what happened there is drawn hatched grey and \
             counts as unknown, not as calm.</p>"
        )?;
    }
    for (name, reason) in &report.quarantined {
        let (name, reason) = (html(name), html(reason));
        writeln!(
            out,
            "<p class=\"warning bad\">Scheduler <b>{name}</b> was quarantined: {reason}. Its \
             children went on under the default scheduler.</p>"
        )?;
    }
    Ok(())
}

pub(super) fn expectations(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if report.expectations.is_empty() {
        return Ok(());
    }
    out.write_all(
        b"<section aria-labelledby=\"expected\"><h2 id=\"expected\">Expectations</h2>\n\
          <ul class=\"expectations\">\n",
    )?;
    for expectation in &report.expectations {
        let (class, word) = if expectation.held { ("met", "held") } else { ("missed", "FAILED") };
        let (name, text) = (html(&expectation.name), html(&expectation.text));
        writeln!(
            out,
            "<li><span class=\"chip {class}\">{word}</span> <b>{name}</b> <span>{text}</span></li>"
        )?;
    }
    out.write_all(b"</ul></section>\n")
}

pub(super) fn threads(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if report.threads.is_empty() {
        return Ok(());
    }
    out.write_all(
        b"<section aria-labelledby=\"detail\"><h2 id=\"detail\">Threads in numbers</h2>\n\
          <div class=\"wide\"><table><thead><tr><th>Thread</th><th class=\"n\">Received</th>\
          <th class=\"n\">Runnable</th><th class=\"n\">Unknown</th><th class=\"n\">Wake-ups</th>\
          <th class=\"n\">Dispatches</th><th class=\"n\">Preempted</th>\
          <th class=\"n\">Migrated</th><th class=\"n\">Jobs</th><th class=\"n\">Missed</th>\
          <th class=\"n\">Response min</th><th class=\"n\">mean</th><th class=\"n\">p50</th>\
          <th class=\"n\">p99</th><th class=\"n\">max</th></tr></thead><tbody>\n",
    )?;
    for row in &report.threads {
        write!(out, "<tr><th scope=\"row\">{}</th>", html(&row.name))?;
        for span in [row.received, row.runnable, row.unknown] {
            write!(out, "<td class=\"n\">{}</td>", short(span))?;
        }
        for count in [row.wakeups, row.dispatches, row.preemptions, row.migrations, row.jobs] {
            write!(out, "<td class=\"n\">{}</td>", grouped(count))?;
        }
        let class = if row.deadlines_missed == 0 { "n" } else { "n bad" };
        write!(out, "<td class=\"{class}\">{}</td>", grouped(row.deadlines_missed))?;
        match &row.response {
            Some(response) => {
                for span in [response.min, response.mean, response.p50, response.p99, response.max]
                {
                    write!(out, "<td class=\"n\">{}</td>", short(span))?;
                }
            }
            None => out.write_all("<td class=\"n none\">–</td>".repeat(5).as_bytes())?,
        }
        out.write_all(b"</tr>\n")?;
    }
    out.write_all(b"</tbody></table></div></section>\n")
}

pub(super) fn cpus(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if report.cpus.is_empty() {
        return Ok(());
    }
    out.write_all(
        b"<section aria-labelledby=\"cpus\"><h2 id=\"cpus\">Where the processors' time went</h2>\n\
          <div class=\"wide\"><table><thead><tr><th>Processor</th><th class=\"gauge\">Share</th>\
          <th class=\"n\"><span class=\"key received\"></span>Threads</th>\
          <th class=\"n\"><span class=\"key switching\"></span>Switching</th>\
          <th class=\"n\"><span class=\"key scheduling\"></span>Scheduling</th>\
          <th class=\"n\"><span class=\"key stolen\"></span>Stolen</th>\
          <th class=\"n\"><span class=\"key idle\"></span>Idle</th></tr></thead><tbody>\n",
    )?;
    for row in &report.cpus {
        cpu(out, row)?;
    }
    out.write_all(b"</tbody></table></div></section>\n")
}

fn cpu(out: &mut impl Write, row: &CpuRow) -> io::Result<()> {
    let parts = [
        ("received", row.received),
        ("switching", row.switching),
        ("scheduling", row.scheduling),
        ("stolen", row.stolen),
        ("idle", row.idle),
    ];
    let all = parts.iter().fold(Span::ZERO, |sum, (_, part)| sum.saturating_add(*part));
    write!(out, "<tr><th scope=\"row\">{}</th><td class=\"gauge\">", html(&row.name))?;
    out.write_all(b"<div class=\"stack\">")?;
    for (class, part) in parts.iter().filter(|(_, part)| !part.is_zero()) {
        let title = format!("{class} {}", percent(*part, all));
        let grow = part.as_nanos();
        write!(out, "<i class=\"{class}\" style=\"flex-grow:{grow}\" title=\"{title}\"></i>")?;
    }
    out.write_all(b"</div></td>")?;
    for (_, part) in parts {
        let (part, share) = (short(part), percent(part, all));
        write!(out, "<td class=\"n\">{part} <small>{share}</small></td>")?;
    }
    out.write_all(b"</tr>\n")
}
