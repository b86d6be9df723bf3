//! The timeline's place in the page, and the data that the script draws in it: one run, or several on one axis.
//!
//! Invariant: the place is as high as it will be when drawn.

use super::embed;
use crate::html::{Shown, data as script_data};
use crate::rows::{Line, lines};
use crate::{Outcome, Story};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use windfall_trace::timeline::{ThreadLine, Timeline};

/// Pixels of a lane; `draw.js` has the same number.
const LANE: usize = 24;
/// Pixels of the time axis.
const AXIS: usize = 28;
/// Lanes that are seen at once; the others are scrolled to.
const SEEN: usize = 26;

/// A run on the axis, and what it is called.
pub(super) type Run<'a> = (&'a str, &'a Story);

/// The legend of the colours: class, words.
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
                     go from slice to slice, Enter opens or closes a row or explains a slice, X sums \
                     up what is seen, 0 shows everything.";

pub(super) fn section(runs: &[Run<'_>]) -> Markup {
    let of = |(_, story): &Run<'_>| {
        let lines = lines(story);
        let hidden: usize = lines.iter().map(|(_, line)| line.hides()).sum();
        lines.len() - hidden + story.timeline.cpus.len() + usize::from(runs.len() > 1)
    };
    let lanes: usize = runs.iter().map(of).sum();
    let height = lanes.min(SEEN) * LANE + AXIS + 4;
    let bad = |outcome| matches!(outcome, Outcome::Missed | Outcome::GivenUp);
    let is_late = |(_, story): &Run<'_>| story.jobs.iter().any(|job| bad(job.outcome));
    html! {
        section aria-labelledby="when" {
            div.bar {
                h2 #when {
                    "Timeline"
                    @if let [(first, _), (second, _)] = runs {
                        " " small { (Shown(first)) " above " (Shown(second)) ", each from its beginning" }
                    }
                }
                div.tools {
                    output #window {}
                    input #search type="search" placeholder="Search names" aria-label="Search names";
                    button #fit type="button" { "Whole" }
                    button #closer type="button" aria-label="closer" { "+" }
                    button #farther type="button" aria-label="farther" { "−" }
                    button #sum type="button" title="or drag with Shift over a stretch" { "Sum up" }
                    button #miss type="button" disabled[!runs.iter().any(is_late)] { "Next miss" }
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
                    " or drag: move · " kbd { "0" } " whole · arrows: from slice to slice · click or "
                    kbd { "Enter" } ": explain · " kbd { "Shift" } "-drag or " kbd { "X" } ": sum up"
                }
            }
            div #panel aria-live="polite" hidden {}
            p #said.said aria-live="polite" {}
            noscript { p { "The timeline needs script; the tables do not." } }
        }
    }
}

/// Names and order of the lanes as JSON, slices as base64, a word for each run.
pub(super) fn data(runs: &[Run<'_>]) -> Markup {
    let slices: Vec<String> = runs.iter().map(|(_, story)| embed::pack(story)).collect();
    let names: Vec<Value> = runs.iter().map(names).collect();
    html! {
        (script_data("names", &json!({ "runs": names })))
        script type="text/plain" id="slices" { (slices.join(" ")) }
    }
}

/// The labels of threads whose name others have, too: with the number of each.
fn labels(timeline: &Timeline) -> Vec<Option<String>> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    timeline.threads.iter().for_each(|line| *counts.entry(&line.name).or_default() += 1);
    let is_shared = |line: &ThreadLine| counts[line.name.as_str()] > 1;
    let label = |line: &ThreadLine| is_shared(line).then(|| format!("{} {}", line.name, line.tid));
    timeline.threads.iter().map(label).collect()
}

fn names((name, story): &Run<'_>) -> Value {
    let timeline = &story.timeline;
    let labels = labels(timeline);
    let rows = lines(story).into_iter().map(|(depth, line)| match line {
        Line::Node(node) => json!({ "depth": depth, "label": node.name, "kind": node.kind }),
        Line::Group { name, members, open } => {
            json!({ "depth": depth, "label": name, "members": members, "open": open })
        }
        Line::Thread(thread) | Line::Member(thread) => match &labels[thread] {
            Some(label) => json!({ "depth": depth, "thread": thread, "label": label }),
            None => json!({ "depth": depth, "thread": thread }),
        },
    });
    json!({
        "name": name,
        "from": timeline.from.as_nanos(),
        "span": timeline.span().as_nanos(),
        "lost": timeline.lost.gaps,
        "cpus": timeline.cpus.iter().map(|line| line.cpu.0).collect::<Vec<_>>(),
        "threads": timeline.threads.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_time::Instant;
    use windfall_trace::{Event, Record, ThreadId};

    #[test]
    fn law_threads_of_one_name_are_told_apart_by_their_numbers() {
        let threads = [("video-enc", 18_831), ("video-enc", 18_851), ("lame", 18_833)];
        let events = (0..).zip(threads).map(|(number, (name, tid))| Event::Thread {
            thread: ThreadId(number),
            tid,
            pid: 0,
            name: name.to_owned(),
            node: None,
        });
        let story = Story::build(events.map(|event| Record { at: Instant::ZERO, event }));
        let names = names(&("run", &story));
        let labels: Vec<Option<&str>> = names["rows"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|row| row["label"].as_str())
            .collect();
        assert_eq!(labels, [Some("video-enc 18831"), Some("video-enc 18851"), None]);
    }
}
