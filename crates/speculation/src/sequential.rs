//! The model event by event, in order: what every other way must come to.

use crate::commit::Committer;
use crate::context::{Context, Effects, Sent};
use crate::event::Entry;
use crate::heap::Heap;
use crate::panics::said;
use crate::part::resume;
use crate::store::SPARE;
use crate::{Cancellation, Key, Model, Parallel, ProcessNumber, RunError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use windfall_time::Instant;

/// A process: its state, and how many events it has sent.
#[derive(Debug)]
struct Process<S> {
    state: S,
    sent: u64,
}

/// One event after the other, by virtual time. No event is undone, so nothing is saved.
#[derive(Debug)]
pub struct Sequential<M: Model> {
    model: M,
    processes: Vec<Process<M::State>>,
    waiting: Heap<M::Event>,
    effects: Effects<M>,
    /// The most events that may wait.
    most: usize,
    handled: u64,
    /// The event whose output is being given away.
    committing: Option<Key>,
    ended: Option<RunError>,
}

impl<M: Model> Sequential<M> {
    /// A run at its beginning, in which at most so many events wait at a time. It takes memory for these now.
    ///
    /// # Errors
    /// When a process sends at its beginning what cannot be; when there is no memory for so many events.
    pub fn new(model: M, most: usize) -> Result<Self, RunError> {
        let count = model.processes();
        let mut effects = Effects::new();
        let room = effects.reserve(SPARE).and_then(|()| Heap::with_room(most));
        let waiting = room.map_err(|error| RunError::no_memory((most, 0), &error))?;
        let mut run = Sequential {
            model,
            processes: Vec::with_capacity(count as usize),
            waiting,
            effects,
            most,
            handled: 0,
            committing: None,
            ended: None,
        };
        for process in (0..count).map(ProcessNumber) {
            let key = Key { at: Instant::ZERO, to: process, from: process, number: 0 };
            let mut context = Context::new(key, &mut run.effects, false);
            let state = run.model.start(&mut context);
            run.processes.push(Process { state, sent: 0 });
            run.send(process, None, count)?;
            if !run.effects.outputs.is_empty() {
                return Err(RunError::EarlyOutput { from: process });
            }
        }
        Ok(run)
    }

    /// Sends what a process has given to send.
    #[inline]
    fn send(
        &mut self,
        from: ProcessNumber,
        cause: Option<Key>,
        processes: u32,
    ) -> Result<(), RunError> {
        let mut handled = cause.is_some();
        let mut all = self.effects.sent.drain(..);
        while let Some(next) = all.next() {
            next.check(from, cause, processes)?;
            let Sent { to, at, event } = next;
            let sent = &mut self.processes[from.index()].sent;
            let entry = Entry { key: Key { at, to, from, number: *sent }, event };
            *sent += 1;
            if handled {
                handled = false;
                self.waiting.replace(entry);
            } else if self.waiting.len() < self.most {
                self.waiting.push(entry);
            } else {
                // What cannot be at all is said first.
                all.try_for_each(|next| next.check(from, cause, processes))?;
                return Err(RunError::Full { cause, from, events: self.most });
            }
        }
        drop(all);
        if handled {
            self.waiting.pop();
        }
        Ok(())
    }

    /// Handles all events before a virtual time, and gives the outputs of each away as soon as it is handled. Returns how many it handled.
    ///
    /// # Errors
    /// When the model does what cannot be, or panics. The run is over then, and says so again when it is called again; what was given away before stays.
    pub fn run_until(
        &mut self,
        end: Instant,
        mut commit: impl FnMut(Key, M::Output),
    ) -> Result<u64, RunError> {
        self.run_some(end, u64::MAX, &mut commit)
    }

    /// The same, but no more than so many events.
    pub(crate) fn run_some(
        &mut self,
        end: Instant,
        events: u64,
        commit: &mut impl FnMut(Key, M::Output),
    ) -> Result<u64, RunError> {
        if let Some(error) = &self.ended {
            return Err(error.clone());
        }
        let before = self.handled;
        let last = before.saturating_add(events);
        let ran = catch_unwind(AssertUnwindSafe(|| self.handle_until(end, last, commit)));
        let ran = ran.unwrap_or_else(|panic| {
            let message = said(panic.as_ref());
            Err(match (self.committing, self.waiting.first()) {
                (Some(event), _) => RunError::CommitPanicked { event, message },
                (None, Some(Entry { key, .. })) => RunError::Panicked { event: *key, message },
                (None, None) => RunError::Interrupted,
            })
        });
        if let Err(error) = ran {
            self.ended = Some(error.clone());
            return Err(error);
        }
        Ok(self.handled - before)
    }

    fn handle_until(
        &mut self,
        end: Instant,
        last: u64,
        commit: &mut impl FnMut(Key, M::Output),
    ) -> Result<(), RunError> {
        let processes = self.model.processes();
        while self.handled < last
            && let Some(Entry { key, event }) = self.waiting.first().filter(|e| e.key.at < end)
        {
            let key = *key;
            let mut context = Context::new(key, &mut self.effects, false);
            self.model.handle(&mut self.processes[key.to.index()].state, event, &mut context);
            self.send(key.to, Some(key), processes)?;
            self.handled += 1;
            if !self.effects.outputs.is_empty() {
                self.committing = Some(key);
                self.effects.outputs.drain(..).for_each(|output| commit(key, output));
                self.committing = None;
            }
        }
        Ok(())
    }

    /// The states, by process.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &M::State> {
        self.processes.iter().map(|process| &process.state)
    }

    /// How many events were handled.
    #[must_use]
    pub const fn handled(&self) -> u64 {
        self.handled
    }

    /// Goes on on threads, which handle events before `end`, as if it had been so from the beginning.
    ///
    /// # Errors
    /// When the run has ended with an error.
    pub fn on_threads(
        self,
        end: Instant,
        cancellation: Cancellation,
        threads: u32,
    ) -> Result<Parallel<M>, RunError> {
        if let Some(error) = self.ended {
            return Err(error);
        }
        let committer = Committer::after(self.handled, self.waiting.len(), self.most);
        let states = self.processes.into_iter().map(|process| (process.state, process.sent));
        let waiting = self.waiting.into_entries();
        let parts = resume(&self.model, states, waiting, (threads, cancellation));
        Ok(Parallel::of(self.model, parts, committer, (end, self.most)))
    }

    /// When the next event takes effect; `None` when none waits.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        self.waiting.first().map(|entry| entry.key.at)
    }
}
