//! Events handled ahead of time, in any order of processes, and undone when one comes that should have been first (Time Warp).
//!
//! A plain state machine: whoever drives it says which process handles its next event, and when to commit what is certain. Invariants: an event waits or is done, each once; the events of a process that are
//! done are in order, and before all of its that wait; what is certain is before all that wait.

mod history;

use crate::context::{Context, Effects, Sent};
use crate::event::Entry;
use crate::sequential::said;
use crate::{Key, Model, ProcessNumber, RunError};
use history::{Came, Done, History};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use windfall_time::Instant;

/// What becomes of events whose cause is undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Cancellation {
    /// They are taken back at once, with all that came of them.
    Aggressive,
    /// They are taken back when their cause is handled again and does not send them again.
    Lazy,
    /// They are sent only when their cause is certain, so that none is ever taken back.
    WithoutRisk,
}

/// How often what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Events that were handled, each time counted.
    pub handled: u64,
    /// Events that were undone.
    pub undone: u64,
    /// Events that are certain.
    pub committed: u64,
    /// Events that were handled once more between a copy and where a rollback led.
    pub repeated: u64,
    /// Events that were taken back.
    pub cancelled: u64,
    /// Events that lazy cancellation did not have to take back.
    pub kept: u64,
}

/// A run in which events may be undone.
// Fields: events by where they are (waiting, done, unsure, to be taken back), the processes, and what the run was told; each is borrowed while others change.
#[derive(Debug)]
pub struct Speculative<M: Model> {
    model: M,
    cancellation: Cancellation,
    processes: Vec<History<M>>,
    waiting: BTreeMap<Key, M::Event>,
    /// Events that are done and not certain.
    done: BTreeSet<Key>,
    /// With lazy cancellation: by undone cause, which waits, what it sent.
    unsure: BTreeMap<Key, Vec<Entry<M::Event>>>,
    /// What is still to be taken back.
    cancels: Vec<Key>,
    effects: Effects<M>,
    /// The most events that wait in order; as many may be done ahead.
    most: usize,
    /// How many would wait if nothing were done ahead.
    in_order: usize,
    end: Instant,
    counts: Counts,
    ended: Option<RunError>,
}

impl<M: Model> Speculative<M> {
    /// A run at its beginning. It handles events before `end`. At most so many wait in order, as in [`Sequential`](crate::Sequential), and about twice as many are there in all.
    ///
    /// # Errors
    /// When a process sends at its beginning what cannot be.
    pub fn new(
        model: M,
        end: Instant,
        most: usize,
        cancellation: Cancellation,
    ) -> Result<Self, RunError> {
        let count = model.processes();
        let mut run = Speculative {
            model,
            cancellation,
            processes: Vec::with_capacity(count as usize),
            waiting: BTreeMap::new(),
            done: BTreeSet::new(),
            unsure: BTreeMap::new(),
            cancels: Vec::new(),
            effects: Effects::new(),
            most,
            in_order: 0,
            end,
            counts: Counts::default(),
            ended: None,
        };
        for process in (0..count).map(ProcessNumber) {
            let key = Key { at: Instant::ZERO, to: process, from: process, number: 0 };
            let state = run.model.start(&mut Context::new(key, &mut run.effects, false));
            let mut history = History::new(state, run.model.saving(process));
            let sent = history.number(process, None, count, &mut run.effects.sent)?;
            run.processes.push(history);
            for Entry { key, event } in sent {
                if run.waiting.len() >= most {
                    return Err(RunError::Full { cause: None, from: process, events: most });
                }
                run.waiting.insert(key, event);
                run.in_order += 1;
            }
        }
        Ok(run)
    }

    /// The event that a process would handle next; `None` if none waits before the end, or it panicked at the last one, which is not certain yet.
    #[must_use]
    pub fn next_of(&self, process: ProcessNumber) -> Option<Key> {
        let history = self.processes.get(process.index())?;
        if history.has_failed() {
            return None;
        }
        let mine = self.waiting.keys().find(|key| key.to == process);
        mine.copied().filter(|key| key.at < self.end)
    }

    /// The first event that waits. With cancellation without risk, more may come of what is committed.
    #[must_use]
    pub fn next(&self) -> Option<Key> {
        self.waiting.keys().next().copied().filter(|key| key.at < self.end)
    }

    /// A process handles its next event, `key`; what it sends may undo others.
    fn handle(&mut self, key: Key) {
        let Some(event) = self.waiting.remove(&key) else { return };
        let history = &mut self.processes[key.to.index()];
        history.save();
        let logs = history.logs();
        self.effects.clear();
        self.counts.handled += 1;
        let (model, effects) = (&self.model, &mut self.effects);
        let handled = catch_unwind(AssertUnwindSafe(|| {
            let mut context = Context::new(key, effects, logs);
            model.handle(&mut history.state, &event, &mut context);
        }));
        let sent_before = history.sent;
        let sent = match handled {
            Ok(()) => {
                let count = self.model.processes();
                history.number(key.to, Some(key), count, &mut self.effects.sent)
            }
            Err(panic) => Err(RunError::Panicked { event: key, message: said(panic.as_ref()) }),
        };
        let (sent, failed) = match sent {
            Ok(sent) => (sent, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let changes = std::mem::take(&mut self.effects.changes);
        let outputs = std::mem::take(&mut self.effects.outputs);
        let news = self.confirm(key, &sent);
        let held = self.cancellation == Cancellation::WithoutRisk;
        let history = &mut self.processes[key.to.index()];
        history.push(Done { key, event, sent, sent_before, outputs, changes, failed });
        self.done.insert(key);
        if !held {
            news.into_iter().for_each(|entry| self.deliver(entry));
        }
        self.take_back();
    }

    /// What of `sent` was not sent before, by a cause that was undone since. What this one sent, and does not send again, is taken back.
    fn confirm(&mut self, cause: Key, sent: &[Entry<M::Event>]) -> Vec<Entry<M::Event>> {
        let mut news = Vec::new();
        for entry in sent {
            let mut mine = self.unsure.iter_mut().filter(|(old, _)| old.to == cause.to);
            let before = mine.find_map(|(_, sent)| {
                let place = sent.iter().position(|old| old.key == entry.key)?;
                Some(sent.swap_remove(place))
            });
            match before {
                Some(before) if before == *entry => self.counts.kept += 1,
                // It has the name of another event, which goes first.
                Some(before) => {
                    self.cancels.push(before.key);
                    news.push(entry.clone());
                }
                None => news.push(entry.clone()),
            }
        }
        let over = self.unsure.remove(&cause).unwrap_or_default();
        self.cancels.extend(over.into_iter().map(|entry| entry.key));
        self.take_back();
        news
    }

    /// An event comes to wait. If its process has done later ones, they are undone.
    fn deliver(&mut self, entry: Entry<M::Event>) {
        self.undo_from(entry.key);
        self.waiting.insert(entry.key, entry.event);
    }

    /// Undoes what a process has done from this event on; these events wait again.
    fn undo_from(&mut self, key: Key) {
        let history = &mut self.processes[key.to.index()];
        let Some((undone, repeated)) = history.undo_from(&self.model, key) else { return };
        self.counts.repeated += repeated;
        for Done { key, event, sent, .. } in undone {
            self.counts.undone += 1;
            self.done.remove(&key);
            self.waiting.insert(key, event);
            match self.cancellation {
                Cancellation::Aggressive => self.cancels.extend(sent.iter().map(|sent| sent.key)),
                Cancellation::Lazy if sent.is_empty() => {}
                Cancellation::Lazy => {
                    self.unsure.insert(key, sent);
                }
                Cancellation::WithoutRisk => {}
            }
        }
    }

    /// Takes back what is to be taken back, and what follows from that.
    fn take_back(&mut self) {
        while let Some(key) = self.cancels.pop() {
            self.counts.cancelled += 1;
            if self.waiting.remove(&key).is_none() {
                self.undo_from(key);
                self.waiting.remove(&key);
            }
            // What it sent itself when it was done is taken back now, since it is not handled again.
            let sent = self.unsure.remove(&key).unwrap_or_default();
            self.cancels.extend(sent.into_iter().map(|entry| entry.key));
        }
    }

    /// A process handles its next event. Returns which; `None` when there is nothing that it can do now: no event waits for it, or so many are there that some must be [committed](Self::commit) first.
    ///
    /// # Errors
    /// When the run is over.
    ///
    /// # Panics
    /// When taking back a change or cloning a state panics. The run is over then.
    pub fn step(&mut self, process: ProcessNumber) -> Result<Option<Key>, RunError> {
        self.enter()?;
        let next = self.next_of(process).filter(|next| self.may_go(*next));
        if let Some(next) = next {
            self.handle(next);
        }
        self.ended = None;
        Ok(next)
    }

    /// Until the end of a call: if it panics, the run is over.
    fn enter(&mut self) -> Result<(), RunError> {
        match self.ended.replace(RunError::Interrupted) {
            Some(error) => {
                self.ended = Some(error.clone());
                Err(error)
            }
            None => Ok(()),
        }
    }

    /// Whether there is room to handle an event ahead. The first of all may go when nothing can be committed instead.
    fn may_go(&self, next: Key) -> bool {
        let most = self.most.saturating_mul(2);
        self.waiting.len() + self.done.len() < most
            || self.certain().is_none() && self.waiting.keys().next() == Some(&next)
    }

    /// Gives away the outputs of all events that are certain, in order: no event can come before them any longer. Returns how many events are certain since the last call.
    ///
    /// # Errors
    /// When the model did what cannot be, in an event that is certain; when more events wait than there is memory for. The run is over then; what was given away before stays.
    pub fn commit(&mut self, mut take: impl FnMut(Key, M::Output)) -> Result<u64, RunError> {
        self.enter()?;
        let before = self.counts.committed;
        while let Some(first) = self.certain() {
            self.done.remove(&first);
            let Came { failed, outputs, sent } = self.processes[first.to.index()].commit();
            if let Err(error) = self.give(first, failed, outputs, sent.len(), &mut take) {
                self.ended = Some(error.clone());
                return Err(error);
            }
            if self.cancellation == Cancellation::WithoutRisk {
                sent.into_iter().for_each(|entry| self.deliver(entry));
            }
        }
        self.ended = None;
        Ok(self.counts.committed - before)
    }

    /// Gives away what came of an event that is certain.
    fn give(
        &mut self,
        event: Key,
        failed: Option<RunError>,
        outputs: Vec<M::Output>,
        sent: usize,
        take: &mut impl FnMut(Key, M::Output),
    ) -> Result<(), RunError> {
        if let Some(error) = failed {
            return Err(error);
        }
        self.in_order = self.in_order + sent - 1;
        if self.in_order > self.most {
            return Err(RunError::Full { cause: Some(event), from: event.to, events: self.most });
        }
        self.counts.committed += 1;
        let taken = catch_unwind(AssertUnwindSafe(|| {
            outputs.into_iter().for_each(|output| take(event, output));
        }));
        taken.map_err(|panic| RunError::CommitPanicked {
            event: Some(event),
            message: said(panic.as_ref()),
        })
    }

    /// The first event that is done, if it is certain. What is undone waits, so nothing can be taken back that comes before all that wait.
    fn certain(&self) -> Option<Key> {
        let first = *self.done.first()?;
        let next = self.waiting.keys().next();
        next.is_none_or(|next| first < *next).then_some(first)
    }

    /// The states as they are now, by process, be they certain or not.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &M::State> {
        self.processes.iter().map(|history| &history.state)
    }

    /// How often what happened.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }
}

impl<M: Model> History<M> {
    /// Numbers what the process sends.
    fn number(
        &mut self,
        from: ProcessNumber,
        cause: Option<Key>,
        processes: u32,
        sent: &mut Vec<Sent<M::Event>>,
    ) -> Result<Vec<Entry<M::Event>>, RunError> {
        let before = self.sent;
        let numbered = sent.drain(..).map(|next| {
            next.check(from, cause, processes)?;
            let Sent { to, at, event } = next;
            let key = Key { at, to, from, number: self.sent };
            self.sent += 1;
            Ok(Entry { key, event })
        });
        let numbered: Result<Vec<_>, RunError> = numbered.collect();
        if numbered.is_err() {
            self.sent = before;
        }
        numbered
    }
}
