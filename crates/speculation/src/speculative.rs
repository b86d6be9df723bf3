//! Events handled ahead of time, in any order of processes, and undone when one comes that should have been first (Time Warp).

use crate::commit::{Certain, Committer};
use crate::part::{Part, begin};
use crate::store::{Room, SPARE};
use crate::{Cancellation, Counts, Key, Model, ProcessNumber, RunError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use windfall_time::Instant;

/// A run in which events may be undone, driven by a loop: whoever has it says which process handles its next event, and when to commit what is certain.
#[derive(Debug)]
pub struct Speculative<M: Model> {
    model: M,
    part: Part<M>,
    certain: Certain<M>,
    committer: Committer,
    /// The most events that wait in order; as many may be done ahead.
    most: usize,
    end: Instant,
    ended: Option<RunError>,
}

impl<M: Model> Speculative<M> {
    /// A run at its beginning. It handles events before `end`. At most so many wait in order, as in [`Sequential`](crate::Sequential), and about twice as many are there in all; it takes memory for three times as many now.
    ///
    /// # Errors
    /// When a process sends at its beginning what cannot be; when there is no memory for so many events.
    pub fn new(
        model: M,
        end: Instant,
        most: usize,
        cancellation: Cancellation,
    ) -> Result<Self, RunError> {
        let (mut parts, committer) = begin(&model, 1, most, cancellation)?;
        let mut part = parts.pop().unwrap_or_else(|| Part::new(ProcessNumber(0), 1, cancellation));
        // What the last event ahead sends is as much as may wait at most.
        let events = most.saturating_mul(3);
        let room = Room { events, ahead: most.saturating_mul(2) };
        let mut certain = Certain::new();
        let reserved = part.reserve(room).and_then(|()| certain.reserve(SPARE));
        reserved.map_err(|error| RunError::no_memory((events, part.kept().0), &error))?;
        Ok(Speculative { model, part, certain, committer, most, end, ended: None })
    }

    /// The event that a process would handle next; `None` if none waits before the end, or it panicked at the last one, which is not certain yet.
    #[must_use]
    pub fn next_of(&self, process: ProcessNumber) -> Option<Key> {
        self.part.next_of(process).filter(|key| key.at < self.end)
    }

    /// The first event that waits and may be handled. With cancellation without risk, more may come of what is committed.
    #[must_use]
    pub fn next(&self) -> Option<Key> {
        self.part.next().filter(|key| key.at < self.end)
    }

    /// A process handles its next event. Returns which; `None` when there is nothing that it can do now: no event waits for it, or so many are there that some must be [committed](Self::commit) first.
    ///
    /// # Errors
    /// When the run is over; when undoing an event, cloning a state or comparing what was sent panics, which ends it.
    pub fn step(&mut self, process: ProcessNumber) -> Result<Option<Key>, RunError> {
        self.whole(|run| {
            let next = run.next_of(process).filter(|next| run.may_go(*next));
            if let Some(next) = next {
                run.part.handle(&run.model, next);
            }
            Ok(next)
        })
    }

    /// Does something that is whole, or the run is over.
    fn whole<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        if let Some(error) = &self.ended {
            return Err(error.clone());
        }
        let done = catch_unwind(AssertUnwindSafe(|| act(self)));
        let done = done.unwrap_or_else(|panic| Err(self.part.interrupted(panic.as_ref())));
        self.ended = done.as_ref().err().cloned();
        done
    }

    /// Whether there is room to handle an event ahead. The first of all may go when nothing can be committed instead.
    fn may_go(&self, next: Key) -> bool {
        self.part.events() < self.most.saturating_mul(2)
            || self.certain().is_none() && self.part.next() == Some(next)
    }

    /// Gives away the outputs of all events that are certain, in order: no event can come before them any longer. Returns how many events are certain since the last call.
    ///
    /// # Errors
    /// When the model did what cannot be, in an event that is certain; when more events wait than there is memory for. The run is over then; what was given away before stays.
    pub fn commit(&mut self, mut take: impl FnMut(Key, M::Output)) -> Result<u64, RunError> {
        self.whole(|run| {
            let before = run.committer.committed();
            while let Some(first) = run.certain() {
                if run.part.commit(&run.model, first, &mut run.certain) {
                    run.committer.plain();
                } else {
                    run.committer.commit(&mut run.certain, &mut take)?;
                }
            }
            Ok(run.committer.committed() - before)
        })
    }

    /// The first event that is done, if it is certain. Undone events wait, so nothing before all waiting events can be taken back.
    fn certain(&self) -> Option<Key> {
        let first = self.part.first_done()?;
        self.part.next().is_none_or(|next| first < next).then_some(first)
    }

    /// The states as they are now, by process, be they certain or not.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &M::State> {
        self.part.states()
    }

    /// How often what happened.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        Counts { committed: self.committer.committed(), ..self.part.counts() }
    }
}
