//! The timeline's place in the page, and the data that the script draws in it.
//!
//! Invariant: the place is as high as it will be when drawn.

use super::embed;
use crate::html::data as script_data;
use crate::{Outcome, Row, Story};
use maud::{Markup, html};
use serde_json::json;

/// Pixels of a lane; `report.js` has the same number.
const LANE: usize = 24;
/// Pixels of the time axis.
const AXIS: usize = 28;
/// Lanes that are seen at once; the others are scrolled to.
const SEEN: usize = 26;

/// What the colours mean: class, words.
const LEGEND: [(&str, &str); 7] = [
    ("run", "running"),
    ("wait", "ready, waiting for a processor"),
    ("device", "waiting for a device, or stopped"),
    ("stolen", "stolen by an interrupt or the hypervisor"),
    ("own", "scheduling, switching"),
    ("unknown", "unknown: events lost"),
    ("late", "late"),
];

const LABEL: &str = "Timeline. W and S zoom, A and D move, up and down choose a row, left and right \
                     go from slice to slice, 0 shows everything.";

pub(super) fn section(story: &Story) -> Markup {
    let lanes = story.rows().len() + story.timeline.cpus.len();
    let height = lanes.min(SEEN) * LANE + AXIS + 4;
    let missed = story.jobs.iter().any(|job| job.outcome == Outcome::Missed);
    html! {
        section aria-labelledby="when" {
            div.bar {
                h2 #when { "What happened when" }
                div.tools {
                    output #window {}
                    button #fit type="button" { "Whole" }
                    button #closer type="button" aria-label="closer" { "+" }
                    button #farther type="button" aria-label="farther" { "−" }
                    button #miss type="button" disabled[!missed] { "Next miss" }
                }
            }
            div #timeline tabindex="0" role="application" aria-label=(LABEL)
                style={ "height:" (height) "px" } {
                div #spacer { canvas {} }
                div #tip hidden {}
            }
            p.legend {
                @for (class, words) in LEGEND { span { i.k.(class) {} (words) } }
                span { "↑ release" } span { "↓ deadline" }
                span.keys {
                    kbd { "W" } kbd { "S" } " or wheel: zoom · " kbd { "A" } kbd { "D" }
                    " or drag: move · " kbd { "0" } " whole · arrows: from slice to slice"
                }
            }
            p #said.said aria-live="polite" {}
            noscript { p { "The timeline needs script; the tables do not." } }
        }
    }
}

/// Names and order of the lanes as JSON, slices as base64.
pub(super) fn data(story: &Story) -> Markup {
    let timeline = &story.timeline;
    let rows = story.rows().into_iter().map(|(depth, row)| match row {
        Row::Node(node) => {
            let node = &story.nodes[node];
            json!([depth, -1, node.name, node.kind])
        }
        Row::Thread(thread) => json!([depth, thread]),
    });
    let names = json!({
        "from": timeline.from.as_nanos(),
        "span": timeline.span().as_nanos(),
        "lost": timeline.lost.gaps,
        "cpus": timeline.cpus.iter().map(|line| line.cpu.0).collect::<Vec<_>>(),
        "threads": timeline.threads.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
    });
    html! {
        (script_data("names", &names))
        script type="text/plain" id="slices" { (embed::pack(story)) }
    }
}
