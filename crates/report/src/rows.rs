//! The rows of a timeline: the tree, in which threads that are alike have a row together above their own.
//!
//! Threads of one scheduler are alike if their names are equal, or differ by a number at the end (`web-1`, `web-12`).

use crate::{Node, Row, Story};
use std::collections::BTreeMap;

/// So many threads that are alike have a row together.
const ALIKE: usize = 3;

/// A group of more threads than this is closed at first.
pub(crate) const FEW: usize = 8;

/// A row.
pub(crate) enum Line<'a> {
    Node(&'a Node),
    /// A group of similar threads, each of which follows.
    Group {
        name: String,
        members: usize,
        open: bool,
    },
    /// By its place in the timeline.
    Thread(usize),
    /// One of a group.
    Member(usize),
}

impl Line<'_> {
    /// How many of the rows that follow are not seen at first.
    pub(crate) fn hides(&self) -> usize {
        match self {
            Line::Group { members, open: false, .. } => *members,
            _ => 0,
        }
    }
}

/// The rows in the order of the tree, each with its depth; those of a group follow its first one.
pub(crate) fn lines(story: &Story) -> Vec<(usize, Line<'_>)> {
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
        groups.entry(base(thread)).or_default().push(*thread);
    }
    groups.retain(|_, members| members.len() >= ALIKE);
    for thread in threads {
        match groups.get(base(thread)) {
            None => lines.push((depth, Line::Thread(*thread))),
            Some(all) if all[0] == *thread => {
                let (name, members) = (base(thread), all.len());
                let name = format!("{name} ({members} threads)");
                lines.push((depth, Line::Group { name, members, open: members <= FEW }));
                let members = all;
                lines.extend(members.iter().map(|member| (depth + 1, Line::Member(*member))));
            }
            // It stands below the first of its group.
            Some(_) => {}
        }
    }
}

/// The common name of threads that are alike: `web` of `web-12` and of `web`.
pub(crate) fn alike(name: &str) -> &str {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once('-') {
        Some((base, last)) if !base.is_empty() && number(last) => base,
        _ => name,
    }
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
    fn limit_three_threads_that_are_alike_have_a_row_together_and_nine_a_closed_one() {
        for (many, group) in [(2, None), (3, Some(true)), (8, Some(true)), (9, Some(false))] {
            for number in [|n: usize| format!("web-{n}"), |_| "web".to_owned()] {
                let mut names: Vec<String> = (1..=many).map(number).collect();
                names.insert(1, "mp3-x".to_owned());
                let story = story(&names);
                let lines = lines(&story);
                let found = lines.iter().find_map(|(depth, line)| match line {
                    Line::Group { name, members, open } => {
                        assert_eq!((*depth, *members), (1, many));
                        assert_eq!(name, &format!("web ({many} threads)"));
                        assert_eq!(line.hides(), if *open { 0 } else { many });
                        Some(*open)
                    }
                    _ => None,
                });
                assert_eq!(found, group);
                let members = lines
                    .iter()
                    .filter(|(depth, line)| matches!(line, Line::Member(_)) && *depth == 2);
                assert_eq!(members.count(), if group.is_some() { many } else { 0 });
                assert_eq!(lines.len(), 1 + names.len() + usize::from(group.is_some()));
            }
        }
    }

    #[test]
    fn limit_threads_of_different_schedulers_are_not_alike() {
        let node = |id| Event::Node {
            node: NodeId(id),
            parent: None,
            name: format!("n{id}"),
            kind: "edf".into(),
        };
        let thread = |id: u32| Event::Thread {
            thread: ThreadId(id),
            tid: 0,
            pid: 0,
            name: "cc1".into(),
            node: Some(NodeId(id % 2)),
        };
        let events = [node(0), node(1)].into_iter().chain((0..4).map(thread));
        let story = Story::build(events.map(|event| Record { at: Instant::ZERO, event }));
        assert!(!lines(&story).iter().any(|(_, line)| matches!(line, Line::Group { .. })));
    }
}
