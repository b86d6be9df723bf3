//! Hands each record to the threads that are asked about.
//!
//! Invariant: `up` are the threads that run or are ready, the only ones to which it matters what a
//! processor does; `due` holds the end of each period that is under way. A record costs as much as
//! there are threads watched that are up.
//!
//! A thread is watched from its first declaration if it may ever come to be called what is asked for: a program
//! gets its name when it begins, after the thread has, and some recordings have names at their end only.

use super::holds::{Holds, only_child};
use super::watch::Watch;
use super::{Ending, Explanation, Person, Question, Scheduler};
use crate::timeline::follow::{Closed, Follower};
use crate::timeline::{Slice, What};
use crate::{Event, NodeId, Note, Sink, ThreadId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use windfall_time::Instant;

/// A [`Sink`] that explains the records it receives; [`Explainer::finish`] gives the answer. A clone of it
/// answers for what has happened so far.
#[derive(Clone, Debug)]
pub struct Explainer {
    question: Question,
    follower: Follower,
    people: BTreeMap<ThreadId, Person>,
    schedulers: BTreeMap<NodeId, Scheduler>,
    holds: Holds,
    /// By the thread's place in the follower.
    watches: BTreeMap<usize, Watch>,
    /// The watches whose thread has been called what is asked for.
    wanted: BTreeSet<usize>,
    up: BTreeSet<usize>,
    due: BTreeSet<(Instant, usize)>,
}

impl Explainer {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(question: Question) -> Explainer {
        Explainer {
            question,
            follower: Follower::default(),
            people: BTreeMap::new(),
            schedulers: BTreeMap::new(),
            holds: Holds::default(),
            watches: BTreeMap::new(),
            wanted: BTreeSet::new(),
            up: BTreeSet::new(),
            due: BTreeSet::new(),
        }
    }

    /// The result; jobs and bursts that are still open end at the last record.
    #[must_use]
    pub fn finish(mut self) -> Explanation {
        self.end_periods(self.follower.to);
        self.follower.finish();
        self.hand_out();
        let (from, to) = (self.follower.from, self.follower.to);
        let (question, wanted) = (&self.question, &self.wanted);
        let asked = self.watches.into_iter().filter(|(place, _)| wanted.contains(place));
        let threads = asked.map(|(_, watch)| watch.finish(to, question)).collect();
        let Follower { lost, conflicts, .. } = self.follower;
        let (people, schedulers) = (self.people, self.schedulers);
        Explanation { threads, people, schedulers, from, to, lost, conflicts }
    }

    /// Ends the periods that are over at `at`, each when it does.
    fn end_periods(&mut self, at: Instant) {
        while let Some((due, place)) = self.due.first().copied().filter(|(due, _)| *due <= at) {
            self.due.remove(&(due, place));
            if let Some(watch) = self.watches.get_mut(&place) {
                watch.end_period(due, &self.follower, &self.question);
                self.due.extend(watch.period_end().map(|end| (end, place)));
            }
        }
    }

    /// Tells the watches what has ended; returns which threads that was about.
    fn hand_out(&mut self) -> Vec<usize> {
        let closed = std::mem::take(&mut self.follower.closed);
        // A thread's stretch is divided by what the processors did in it.
        for end in &closed {
            if let Closed::Cpu(cpu, slice) = end {
                self.ran(slice);
                for place in &self.up {
                    if let Some(watch) = self.watches.get_mut(place) {
                        watch.slice(*cpu, *slice);
                    }
                }
            }
        }
        let mut about = Vec::new();
        for end in closed {
            if let Closed::Thread(place, stretch) = end
                && let Some(watch) = self.watches.get_mut(&place)
            {
                watch.stretch(stretch, &self.follower, &self.question);
                about.push(place);
            }
        }
        about
    }

    /// A thread that runs below a scheduler shows that it is not held.
    fn ran(&mut self, slice: &Slice) {
        let What::Thread(thread) = slice.what else { return };
        let node = self.people.get(&thread).and_then(|person| person.node);
        if self.holds.ran(node, slice.to, &self.schedulers) {
            for watch in self.watches.values_mut() {
                let node = self.people.get(&watch.found.thread).and_then(|person| person.node);
                watch.was_not_held(self.holds.above(node, &self.schedulers));
            }
        }
    }

    /// A scheduler has made a note about its only child that is a scheduler.
    fn hold(&mut self, at: Instant, by: NodeId, what: Note) {
        let Some(child) = only_child(by, &self.schedulers) else { return };
        match what {
            Note::Exhausted => self.holds.begin(child, at),
            Note::Replenished(_) => self.holds.end(child),
            _ => return,
        }
        for watch in self.watches.values_mut() {
            let node = self.people.get(&watch.found.thread).and_then(|person| person.node);
            let above = self.holds.above(node, &self.schedulers);
            watch.hold_above(at, above, &self.follower, &self.question);
        }
    }

    /// Brings a watch up to the state after a record.
    fn follow(&mut self, at: Instant, place: usize) {
        let Some(watch) = self.watches.get_mut(&place) else { return };
        watch.follow(at, &self.follower, &self.question);
        if watch.is_up() {
            self.up.insert(place);
        } else {
            self.up.remove(&place);
        }
    }

    /// A thread is declared, or gets another name.
    fn declare(&mut self, at: Instant, thread: ThreadId, person: Person) {
        let Some(place) = self.follower.place(thread) else { return };
        let pattern = &self.question.thread;
        let matches = pattern.matches(person.tid, &person.name);
        let watched = matches || pattern.may_match(person.tid);
        if matches {
            self.wanted.insert(place);
        }
        let known = self.people.entry(thread).or_default();
        let moved = known.node != person.node;
        *known = Person { promise: known.promise.take(), ..person };
        match self.watches.entry(place) {
            Entry::Occupied(mut watch) if moved => {
                watch.get_mut().moved(at, &self.follower, &self.question);
            }
            Entry::Vacant(free) if watched => {
                let watch = free.insert(Watch::new(thread, place, at));
                watch.promise(at, known.promise.as_deref(), &self.follower, &self.question);
            }
            _ => {}
        }
    }

    /// Applies an event about one thread, apart from its change of state.
    fn apply(&mut self, at: Instant, place: usize, event: &Event) {
        let Some(watch) = self.watches.get_mut(&place) else { return };
        let (follower, question) = (&self.follower, &self.question);
        match event {
            Event::Wake { by, .. } => watch.woken(at, *by, question),
            Event::Release { deadline, .. } => watch.release(at, *deadline, follower, question),
            Event::Complete { missed, .. } => {
                let ending = if *missed { Ending::Late } else { Ending::Done };
                watch.end_job(at, ending, follower, question);
            }
            Event::Abort { .. } => watch.end_job(at, Ending::GivenUp, follower, question),
            Event::Promise { guarantee, .. } => {
                watch.promise(at, guarantee.as_deref(), follower, question);
            }
            Event::Note { node, what: Note::Exhausted, .. } => {
                watch.exhausted(at, *node, follower, question);
            }
            Event::Note { node, what: Note::Replenished(_), .. } => {
                watch.replenished(at, *node, follower, question);
            }
            Event::Note { what, .. } => {
                watch.found.tasks.note(*what);
                match what {
                    Note::Admitted(_) => watch.jobs.answer(true),
                    Note::Refused(_) => watch.jobs.answer(false),
                    _ => {}
                }
            }
            Event::Figure { name, value, .. } => watch.found.report(name, *value),
            Event::Mark { text, .. } => watch.found.marks.add(at, text),
            Event::Task { task, deadline, what, .. } => {
                let found = &mut watch.found;
                found.task_findings.add(&mut found.tasks, *task, (at, *deadline), *what);
            }
            _ => {}
        }
    }
}

/// The threads that an event is about.
fn subjects(event: &Event) -> [Option<ThreadId>; 2] {
    match event {
        Event::Thread { thread, .. }
        | Event::Promise { thread, .. }
        | Event::Wake { thread, .. }
        | Event::Exit { thread }
        | Event::Release { thread, .. }
        | Event::Complete { thread, .. }
        | Event::Abort { thread }
        | Event::Figure { thread, .. }
        | Event::Task { thread, .. } => [Some(*thread), None],
        Event::Note { thread, .. } | Event::Mark { thread, .. } => [*thread, None],
        Event::Switch { prev, next, .. } => [prev.map(|(thread, _)| thread), *next],
        _ => [None, None],
    }
}

impl Sink for Explainer {
    fn record(&mut self, at: Instant, event: &Event) {
        let at = self.follower.clamp(at);
        self.end_periods(at);
        let conflicts = self.follower.conflicts;
        self.follower.take(at, event);
        let mut about = self.hand_out();
        match event {
            Event::Thread { thread, tid, pid, name, node } => {
                let (tid, pid, name, node) = (*tid, *pid, name.clone(), *node);
                self.declare(at, *thread, Person { name, tid, pid, node, promise: None });
            }
            Event::Node { node, parent, name, kind } => {
                let (name, kind, parent) = (name.clone(), kind.clone(), *parent);
                self.schedulers.insert(*node, Scheduler { name, kind, parent });
            }
            Event::Note { node, thread: None, what } => self.hold(at, *node, *what),
            Event::Control { text } => {
                for watch in self.watches.values_mut() {
                    watch.found.task_findings.requested(at, text);
                }
            }
            Event::Promise { thread, guarantee } => {
                self.people.entry(*thread).or_default().promise.clone_from(guarantee);
            }
            _ => {}
        }
        if conflicts != self.follower.conflicts || matches!(event, Event::Lost { .. }) {
            about.extend(&self.up); // it may be about any of them
        }
        for thread in subjects(event).into_iter().flatten() {
            about.extend(self.follower.place(thread));
        }
        about.sort_unstable();
        about.dedup();
        for place in about {
            let before = self.watches.get(&place).and_then(Watch::period_end);
            self.apply(at, place, event);
            self.follow(at, place);
            let after = self.watches.get(&place).and_then(Watch::period_end);
            if before != after {
                self.due.retain(|(_, whose)| *whose != place);
                self.due.extend(after.map(|end| (end, place)));
            }
        }
    }
}
