//! A report: one HTML page that holds everything and fetches nothing.
//!
//! Invariants: no name or text of the report can leave its place in the page (see `escape.rs`);
//! tables and histograms are there without script, which only draws the timeline; the place of
//! the timeline is reserved, so nothing jumps.
//!
//! Absent on purpose: judgement beyond [`standing`]; a way to change the machine. Read next:
//! `report/model.rs` for what goes in, `report.js` for the timeline.

mod embed;
mod escape;
mod histogram;
mod lanes;
mod model;
mod tables;
mod tree;

pub use self::model::{
    Bucket, CpuRow, Expectation, NodeRow, Report, Response, RowStatus, ThreadRow, standing,
};

use self::escape::html;
use crate::export::text::{grouped, short};
use std::io::{self, Write};

const STYLE: &str = include_str!("report/report.css");
/// One function, so that the page gets no names but those that it is given.
const SCRIPT: [&str; 3] = [
    include_str!("report/report.js"),
    include_str!("report/draw.js"),
    include_str!("report/input.js"),
];

/// Writes the page.
///
/// # Errors
/// What `out` refused.
pub fn write(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let title = html(&report.title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    )?;
    head(out, report)?;
    out.write_all(b"<main>\n")?;
    tables::warnings(out, report)?;
    tables::expectations(out, report)?;
    tree::write(out, report)?;
    if let Some(story) = &report.story {
        lanes::section(out, story)?;
    }
    histogram::section(out, report)?;
    tables::threads(out, report)?;
    tables::cpus(out, report)?;
    out.write_all(b"</main>\n")?;
    if let Some(story) = &report.story {
        lanes::data(out, story)?;
    }
    out.write_all(b"<script>\n'use strict';\n(() => {\n")?;
    for part in SCRIPT {
        out.write_all(part.as_bytes())?;
    }
    out.write_all(b"})();\n</script>\n</body>\n</html>\n")
}

/// Title, question and answer, and what matters most in a line of chips.
fn head(out: &mut impl Write, report: &Report) -> io::Result<()> {
    write!(out, "<header>\n<div class=\"bar\"><h1>{}</h1>", html(&report.title))?;
    out.write_all(b"<button id=\"theme\" type=\"button\" hidden>Dark or light</button></div>\n")?;
    for (label, text) in [("Question", &report.question), ("Answer", &report.answer)] {
        if let Some(text) = text {
            let text = html(text);
            writeln!(out, "<p class=\"ask\"><span>{label}</span> {text}</p>")?;
        }
    }
    out.write_all(b"<ul class=\"facts\">\n")?;
    if !report.machine.is_empty() {
        writeln!(out, "<li>{}</li>", html(&report.machine))?;
    }
    writeln!(out, "<li>{} looked at</li>", short(report.span))?;
    let held = report.expectations.iter().filter(|expectation| expectation.held).count();
    if !report.expectations.is_empty() {
        let all = report.expectations.len();
        let class = if held == all { "good" } else { "bad" };
        writeln!(out, "<li class=\"{class}\">{held} of {all} expectations held</li>")?;
    }
    let jobs: u64 = report.threads.iter().map(|thread| thread.jobs).sum();
    let missed: u64 = report.threads.iter().map(|thread| thread.deadlines_missed).sum();
    if jobs + missed > 0 {
        let class = if missed == 0 { "good" } else { "bad" };
        let (missed, jobs) = (grouped(missed), grouped(jobs));
        writeln!(out, "<li class=\"{class}\">{missed} deadlines missed, {jobs} jobs done</li>")?;
    }
    let lost = tables::lost(report.lost);
    if let Some(lost) = lost {
        writeln!(out, "<li class=\"unknown\">{lost}</li>")?;
    }
    if !report.quarantined.is_empty() {
        let count = report.quarantined.len();
        writeln!(out, "<li class=\"bad\">{count} quarantined</li>")?;
    }
    out.write_all(b"</ul>\n</header>\n")
}

#[cfg(test)]
mod tests;
