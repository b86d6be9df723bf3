//! The timeline's place in the page, and the data that the script draws in it.
//!
//! Invariant: the place is as high as it will be when drawn.

use super::embed;
use super::escape::json;
use crate::export::story::Row;
use crate::export::{Outcome, Story};
use std::io::{self, Write};

/// Pixels of a lane; `report.js` has the same number.
const LANE: usize = 24;
/// Pixels of the time axis.
const AXIS: usize = 28;
/// Lanes that are seen at once; the others are scrolled to.
const SEEN: usize = 26;

pub(super) fn section(out: &mut impl Write, story: &Story) -> io::Result<()> {
    let lanes = story.rows().len() + story.timeline.cpus.len();
    let height = lanes.min(SEEN) * LANE + AXIS + 4;
    let missed = story.jobs.iter().filter(|job| job.outcome == Outcome::Missed).count();
    writeln!(
        out,
        "<section aria-labelledby=\"when\"><div class=\"bar\"><h2 id=\"when\">What happened \
         when</h2><div class=\"tools\"><output id=\"window\"></output>\
         <button type=\"button\" id=\"fit\">Whole</button>\
         <button type=\"button\" id=\"closer\" aria-label=\"closer\">+</button>\
         <button type=\"button\" id=\"farther\" aria-label=\"farther\">−</button>\
         <button type=\"button\" id=\"miss\"{}>Next miss</button></div></div>",
        if missed == 0 { " disabled" } else { "" }
    )?;
    writeln!(
        out,
        "<div id=\"timeline\" tabindex=\"0\" role=\"application\" aria-label=\"Timeline. W and S \
         zoom, A and D move, up and down choose a row, left and right go from slice to slice, 0 \
         shows everything.\" style=\"height:{height}px\"><div id=\"spacer\"><canvas></canvas></div>\
         <div id=\"tip\" hidden></div></div>\n<p class=\"legend\">\
         <span><i class=\"k run\"></i>running</span><span><i class=\"k wait\"></i>ready, waiting \
         for a processor</span><span><i class=\"k device\"></i>waiting for a device, or stopped\
         </span><span><i class=\"k stolen\"></i>stolen by an interrupt or the hypervisor</span>\
         <span><i class=\"k own\"></i>scheduling, switching</span>\
         <span><i class=\"k unknown\"></i>unknown: events lost</span>\
         <span><i class=\"k late\"></i>late</span><span>↑ release</span><span>↓ deadline</span>\
         <span class=\"keys\"><kbd>W</kbd><kbd>S</kbd> or wheel: zoom · <kbd>A</kbd><kbd>D</kbd> or \
         drag: move · <kbd>0</kbd> whole · arrows: from slice to slice</span></p>\
         <p id=\"said\" class=\"said\" aria-live=\"polite\"></p>\
         <noscript><p>The timeline needs script; the tables do not.</p></noscript></section>"
    )
}

/// Names and order of the lanes as JSON, slices as base64.
pub(super) fn data(out: &mut impl Write, story: &Story) -> io::Result<()> {
    let timeline = &story.timeline;
    let (from, span) = (timeline.from.as_nanos(), timeline.span().as_nanos());
    write!(
        out,
        "<script type=\"application/json\" id=\"names\">{{\"from\":{from},\"span\":{span},\
         \"lost\":{},\"cpus\":[",
        timeline.lost.gaps
    )?;
    let cpus: Vec<String> = timeline.cpus.iter().map(|line| line.cpu.0.to_string()).collect();
    write!(out, "{}],\"threads\":[", cpus.join(","))?;
    let names: Vec<String> = timeline.threads.iter().map(|line| json(&line.name)).collect();
    write!(out, "{}],\"rows\":[", names.join(","))?;
    let rows: Vec<String> = story
        .rows()
        .into_iter()
        .map(|(depth, row)| match row {
            Row::Node(node) => {
                let node = &story.nodes[node];
                format!("[{depth},-1,{},{}]", json(&node.name), json(&node.kind))
            }
            Row::Thread(thread) => format!("[{depth},{thread}]"),
        })
        .collect();
    write!(out, "{}]}}</script>\n<script type=\"text/plain\" id=\"slices\">", rows.join(","))?;
    out.write_all(embed::pack(story).as_bytes())?;
    out.write_all(b"</script>\n")
}
