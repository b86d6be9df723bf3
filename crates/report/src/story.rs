//! Everything a picture or a report draws, taken from records in one pass.
//!
//! Invariants: jobs are in order of release, and jobs of one thread end in the order of their
//! release; a node's parent has been declared before it.

use std::collections::{BTreeMap, VecDeque};
use windfall_time::Instant;
use windfall_trace::timeline::Builder;
use windfall_trace::{Event, NodeId, Record, Sink, ThreadId, Timeline};

/// Events of a trace, ready to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Story {
    /// Timeline of each thread and each processor.
    pub timeline: Timeline,
    /// The jobs, in order of release.
    pub jobs: Vec<Job>,
    /// The schedulers, in order of declaration.
    pub nodes: Vec<Node>,
}

/// A scheduler instance.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Node {
    /// Which.
    pub id: NodeId,
    /// Its last first parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// Its name.
    pub name: String,
    /// The kind of scheduler.
    pub kind: String,
}

/// One job of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Job {
    /// Its thread.
    pub thread: ThreadId,
    /// When it began its life.
    pub release: Instant,
    /// When it should have been done by.
    pub deadline: Option<Instant>,
    /// When it was done or given up; `None` for one that is open at the end.
    pub end: Option<Instant>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// Not done when the trace ends, and not due until then.
    Open,
    /// Done in time.
    Done,
    /// Done too late, or not done when the trace ends although it was due.
    Missed,
    /// Given up at its deadline.
    GivenUp,
}

/// Takes records one by one; [`StoryBuilder::finish`] gives the story.
#[derive(Clone, Debug, Default)]
pub struct StoryBuilder {
    timeline: Builder,
    jobs: Vec<Job>,
    open: BTreeMap<ThreadId, VecDeque<usize>>,
    nodes: BTreeMap<NodeId, Node>,
}

impl Story {
    /// The story of `records`, which are in order of time.
    #[must_use]
    pub fn build(records: impl IntoIterator<Item = Record>) -> Story {
        let mut builder = StoryBuilder::default();
        for record in records {
            builder.record(record.at, &record.event);
        }
        builder.finish()
    }

    /// Rows in the order of the tree: each node before its threads and its children, with its
    /// depth; threads without a node come last.
    #[must_use]
    pub fn rows(&self) -> Vec<(usize, Row)> {
        let mut rows = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let orphan =
                node.parent.is_none_or(|parent| self.nodes.iter().all(|other| other.id != parent));
            if orphan {
                self.below(at, 0, &mut rows);
            }
        }
        for (at, thread) in self.timeline.threads.iter().enumerate() {
            if thread.node.is_none_or(|node| self.nodes.iter().all(|other| other.id != node)) {
                rows.push((0, Row::Thread(at)));
            }
        }
        rows
    }

    fn below(&self, at: usize, depth: usize, rows: &mut Vec<(usize, Row)>) {
        // A circle of parents has no root and is not reached; the depth only bounds the stack.
        rows.push((depth, Row::Node(at)));
        let id = self.nodes[at].id;
        for (thread, line) in self.timeline.threads.iter().enumerate() {
            if line.node == Some(id) {
                rows.push((depth + 1, Row::Thread(thread)));
            }
        }
        for (child, node) in self.nodes.iter().enumerate() {
            if node.parent == Some(id) && depth < 64 {
                self.below(child, depth + 1, rows);
            }
        }
    }
}

/// A row of a picture, as an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// Into [`Story::nodes`].
    Node(usize),
    /// Into the timeline's threads.
    Thread(usize),
}

impl StoryBuilder {
    /// The story so far.
    #[must_use]
    pub fn finish(mut self) -> Story {
        let timeline = self.timeline.finish();
        for open in self.open.into_values().flatten() {
            let job = &mut self.jobs[open];
            if job.deadline.is_some_and(|deadline| deadline <= timeline.to) {
                job.outcome = Outcome::Missed;
            }
        }
        Story { timeline, jobs: self.jobs, nodes: self.nodes.into_values().collect() }
    }

    fn end(&mut self, at: Instant, thread: ThreadId, outcome: Outcome) {
        let oldest = self.open.get_mut(&thread).and_then(VecDeque::pop_front);
        if let Some(job) = oldest.and_then(|job| self.jobs.get_mut(job)) {
            (job.end, job.outcome) = (Some(at), outcome);
        }
    }
}

impl Sink for StoryBuilder {
    fn record(&mut self, at: Instant, event: &Event) {
        self.timeline.record(at, event);
        match event {
            Event::Node { node, parent, name, kind } => {
                let (id, parent) = (*node, *parent);
                let node = Node { id, parent, name: name.clone(), kind: kind.clone() };
                self.nodes.insert(id, node);
            }
            Event::Release { thread, deadline } => {
                self.open.entry(*thread).or_default().push_back(self.jobs.len());
                let (thread, release, deadline) = (*thread, at, *deadline);
                self.jobs.push(Job {
                    thread,
                    release,
                    deadline,
                    end: None,
                    outcome: Outcome::Open,
                });
            }
            Event::Complete { thread, missed, .. } => {
                self.end(at, *thread, if *missed { Outcome::Missed } else { Outcome::Done });
            }
            Event::Abort { thread } => self.end(at, *thread, Outcome::GivenUp),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn rows_follow_the_tree_with_each_thread_under_its_node() {
        let story = Story::build(Sample::small().records());
        let rows = story.rows();
        let depths: Vec<usize> = rows.iter().map(|(depth, _)| *depth).collect();
        assert_eq!(depths, [0, 1, 2, 2, 2, 1, 2]);
        assert_eq!(rows[2].1, Row::Thread(0));
    }

    #[test]
    fn law_a_job_that_was_due_and_is_never_done_is_missed() {
        let at = |ns: u64, event| Record { at: Instant::from_nanos(ns), event };
        let thread = ThreadId(0);
        let (name, node) = ("a".to_owned(), None);
        let release =
            |deadline| Event::Release { thread, deadline: Some(Instant::from_nanos(deadline)) };
        let end = Event::Mark { thread: None, text: "end".to_owned() };
        let story = Story::build([
            at(0, Event::Thread { thread, tid: 1, pid: 1, name, node }),
            at(10, release(20)),
            at(20, release(40)),
            at(30, release(41)),
            at(40, end),
        ]);
        let outcomes: Vec<Outcome> = story.jobs.iter().map(|job| job.outcome).collect();
        assert_eq!(outcomes, [Outcome::Missed, Outcome::Missed, Outcome::Open]);
        assert!(story.jobs.iter().all(|job| job.end.is_none()));
    }

    #[test]
    fn jobs_end_in_the_order_of_their_release() {
        let story = Story::build(Sample::small().records());
        assert!(story.jobs.len() > 20);
        assert!(story.jobs.iter().any(|job| job.outcome == Outcome::Done));
        assert!(story.jobs.is_sorted_by_key(|job| job.release));
    }
}
