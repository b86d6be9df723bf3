//! The rows of a timeline: the tree, in which many threads that are alike have a row together above their own.

use crate::{Node, Row, Story};
use std::collections::BTreeMap;

/// More threads that are alike than this have a row together, which is closed at first.
const ALIKE: usize = 8;

/// A row.
pub(super) enum Line<'a> {
    Node(&'a Node),
    /// A group of this many similar threads, each of which follows.
    Group(String, usize),
    /// By its place in the timeline.
    Thread(usize),
    /// One of a group.
    Member(usize),
}

/// The rows in the order of the tree, each with its depth; those of a group follow its first one.
pub(super) fn lines(story: &Story) -> Vec<(usize, Line<'_>)> {
    let rows = story.rows();
    let is_thread = |(_, row): &(usize, Row)| matches!(row, Row::Thread(_));
    let mut lines = Vec::new();
    for siblings in rows.chunk_by(|one, next| is_thread(one) && is_thread(next) && one.0 == next.0)
    {
        let depth = siblings[0].0;
        let threads = siblings.iter().filter_map(|(_, row)| match row {
            Row::Thread(thread) => Some(*thread),
            Row::Node(node) => {
                lines.push((depth, Line::Node(&story.nodes[*node])));
                None
            }
        });
        let threads: Vec<usize> = threads.collect();
        below(story, depth, &threads, &mut lines);
    }
    lines
}

/// Threads of one scheduler.
fn below<'s>(
    story: &'s Story,
    depth: usize,
    threads: &[usize],
    lines: &mut Vec<(usize, Line<'s>)>,
) {
    let base = |thread: &usize| alike(&story.timeline.threads[*thread].name);
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for thread in threads {
        groups.entry(base(thread).unwrap_or_default()).or_default().push(*thread);
    }
    groups.retain(|name, members| !name.is_empty() && members.len() > ALIKE);
    for thread in threads {
        match base(thread).and_then(|name| groups.get(name).map(|members| (name, members))) {
            None => lines.push((depth, Line::Thread(*thread))),
            Some((name, members)) if members[0] == *thread => {
                let label = format!("{name} ({} threads)", members.len());
                lines.push((depth, Line::Group(label, members.len())));
                lines.extend(members.iter().map(|member| (depth + 1, Line::Member(*member))));
            }
            // It stands below the first of its group.
            Some(_) => {}
        }
    }
}

/// The common name of threads that differ by a number only: `web` of `web-12`.
fn alike(name: &str) -> Option<&str> {
    let (base, number) = name.rsplit_once('-')?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_time::Instant;
    use windfall_trace::{Event, NodeId, Record, ThreadId};

    fn story(names: &[String]) -> Story {
        let node = NodeId(0);
        let declared = Event::Node { node, parent: None, name: "ts".into(), kind: "edf".into() };
        let threads = (0..).zip(names).map(|(number, name)| Event::Thread {
            thread: ThreadId(number),
            tid: 0,
            pid: 0,
            name: name.clone(),
            node: Some(node),
        });
        let events = std::iter::once(declared).chain(threads);
        Story::build(events.map(|event| Record { at: Instant::ZERO, event }))
    }

    #[test]
    fn limit_more_than_eight_threads_that_are_alike_have_a_row_together() {
        for (many, together) in [(ALIKE, false), (ALIKE + 1, true)] {
            let mut names: Vec<String> = (1..=many).map(|n| format!("web-{n}")).collect();
            names.insert(1, "mp3-x".to_owned());
            let story = story(&names);
            let lines = lines(&story);
            let group = lines.iter().find_map(|(depth, line)| match line {
                Line::Group(name, members) => Some((*depth, name.as_str(), *members)),
                _ => None,
            });
            assert_eq!(group, together.then_some((1, "web (9 threads)", 9)));
            let members =
                lines.iter().filter(|(depth, line)| matches!(line, Line::Member(_)) && *depth == 2);
            assert_eq!(members.count(), if together { many } else { 0 });
            assert_eq!(lines.len(), 1 + names.len() + usize::from(together));
        }
    }
}
