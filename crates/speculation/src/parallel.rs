//! A run on several threads, each of which has some of the processes and goes ahead of the others.

#[cfg(all(test, loom))]
mod model;
mod worker;

use crate::commit::Committer;
use crate::part::begin;
use crate::{Cancellation, Counts, Key, Model, RunError};
use std::thread;
use windfall_time::{Instant, Span};
use worker::{Shared, Worker};

/// A run in which each thread handles events of its own processes ahead of time, and undoes them when another sends one that should have been first.
#[derive(Debug)]
pub struct Parallel<M: Model> {
    model: M,
    workers: Vec<Worker<M>>,
    committer: Committer,
    limits: Limits,
    ended: Option<RunError>,
}

/// How far the run and its threads go.
#[derive(Clone, Copy, Debug)]
struct Limits {
    end: Instant,
    /// The most events that wait in order; as many may be done ahead.
    most: usize,
    /// So far from what is certain an event may be handled ahead.
    window: Span,
}

impl<M: Model> Parallel<M> {
    /// A run at its beginning, for so many threads; no more than there are processes are used. It handles events before `end`. At most so many wait in order, as in
    /// [`Sequential`](crate::Sequential), and about twice as many are there in all.
    ///
    /// # Errors
    /// When a process sends at its beginning what cannot be.
    pub fn new(
        model: M,
        end: Instant,
        most: usize,
        cancellation: Cancellation,
        threads: u32,
    ) -> Result<Self, RunError> {
        let (parts, committer) = begin(&model, threads, most, cancellation)?;
        let limits = Limits { end, most, window: Span::MAX };
        let workers = (0..).zip(parts).map(|(index, part)| Worker::new(index, part)).collect();
        Ok(Parallel { model, workers, committer, limits, ended: None })
    }

    /// Throttles it: no event is handled more than this ahead of what is certain, in virtual time.
    #[must_use]
    pub const fn within(mut self, window: Span) -> Self {
        self.limits.window = window;
        self
    }

    /// The states as they are now, by process.
    pub fn states(&self) -> impl Iterator<Item = &M::State> {
        self.workers.iter().flat_map(|worker| worker.part.states())
    }

    /// How often what happened. After an error, some events that are certain and of which nothing came are not counted, or are counted though they come after it.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut all = Counts { committed: self.committer.committed(), ..Counts::default() };
        for worker in &self.workers {
            all.add(Counts { committed: worker.plain, ..worker.part.counts() });
        }
        all
    }
}

impl<M: Model + Sync> Parallel<M>
where
    M::State: Send,
    M::Event: Send,
    M::Output: Send,
    M::Change: Send,
{
    /// Handles all events before the end. Outputs are given away in the order of events, as soon as they are certain, by any of the threads. Returns how many events it handled that took effect.
    ///
    /// # Errors
    /// When the model did what cannot be, in an event that is certain; when taking back a change or cloning a state panics. The run is over then, and says so again when it is called again; what was given away before stays.
    pub fn run(&mut self, take: impl FnMut(Key, M::Output) + Send) -> Result<u64, RunError> {
        if let Some(error) = &self.ended {
            return Err(error.clone());
        }
        let before = self.counts().committed;
        let run = (&self.model, self.limits);
        let shared = Shared::new(run, self.workers.len(), self.committer, take);
        thread::scope(|scope| {
            let (own, others) = self.workers.split_first_mut().unzip();
            for worker in others.into_iter().flatten() {
                scope.spawn(|| worker.run(&shared));
            }
            own.into_iter().for_each(|worker| worker.run(&shared));
        });
        (self.committer, self.ended) = shared.end();
        self.ended.clone().map_or(Ok(()), Err)?;
        Ok(self.counts().committed - before)
    }
}
