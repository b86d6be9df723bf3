//! A run on several threads, each of which has some of the processes and goes ahead of the others.

#[cfg(all(test, not(loom)))]
mod least;
#[cfg(all(test, loom))]
mod model;
mod simulated;
mod worker;

use crate::commit::Committer;
use crate::part::{Part, begin};
use crate::{Cancellation, Counts, Key, Model, RunError};
pub use simulated::Prices;
use std::thread;
use std::time::Duration;
use windfall_time::{Instant, Span};
use worker::{Share, Shared, Worker};

/// A run in which each thread handles events of its own processes ahead of time, and undoes them when another sends one that should have been first.
#[derive(Debug)]
pub struct Parallel<M: Model> {
    model: M,
    workers: Vec<Worker<M>>,
    committer: Committer,
    limits: Limits,
    rounds: u64,
    ended: Option<Result<(), RunError>>,
}

/// How far the run and its threads go.
#[derive(Clone, Copy, Debug)]
struct Limits {
    end: Instant,
    /// The most events that wait in order.
    most: usize,
    /// The most that are done ahead by all threads, and that these have sent.
    ahead: usize,
    /// So far from what is certain an event may be handled ahead.
    window: Span,
    /// About so long a thread handles events before it takes its mail and reports.
    turn: Duration,
    /// So many events at most.
    longest: u32,
}

/// The usual length, in microseconds.
const TURN: u32 = 8;
/// So many events of a usual turn. The model checker sees no clock.
const EVENTS: u32 = if cfg!(loom) { 1 } else { 64 };

impl Limits {
    const fn new(end: Instant, most: usize) -> Limits {
        let turn = Duration::from_micros(TURN as u64);
        Limits { end, most, ahead: most, window: Span::MAX, turn, longest: EVENTS }
    }
}

/// Takes all memory that a run needs.
fn begin_turns<'a, M: Model, F: FnMut(Key, M::Output)>(
    (model, limits): (&'a M, Limits),
    workers: &mut [Worker<M>],
    committer: Committer,
    take: F,
) -> Result<Shared<'a, M, F>, RunError> {
    let Limits { most, ahead, .. } = limits;
    let events = ahead.saturating_mul(2).saturating_add(most);
    let parts = workers.len();
    let share = Share::new(ahead.div_ceil(parts.max(1)));
    let shared = workers
        .iter_mut()
        .try_for_each(|worker| worker.reserve(events, share))
        .and_then(|()| Shared::new((model, limits), (parts, share), committer, take));
    shared.map_err(|error| {
        let kept = workers.iter().map(|worker| worker.part.kept().0);
        RunError::no_memory((events, kept.fold(0, usize::saturating_add)), &error)
    })
}

impl<M: Model> Parallel<M> {
    /// A run at its beginning, for so many threads at most: each has as many processes, but perhaps the last. It handles events before `end`. At most so many wait in order, as in
    /// [`Sequential`](crate::Sequential), and each thread does its share of as many [ahead](Self::ahead). Memory is taken when it [runs](Self::run), and not afterwards: for each thread, for all that may wait, and for twice what may be ahead.
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
        Ok(Parallel::of(model, parts, committer, (end, most)))
    }

    /// A run of these parts.
    pub(crate) fn of(
        model: M,
        parts: Vec<Part<M>>,
        committer: Committer,
        (end, most): (Instant, usize),
    ) -> Self {
        let limits = Limits::new(end, most);
        let workers = (0..).zip(parts).map(|(index, part)| Worker::new(index, part)).collect();
        Parallel { model, workers, committer, limits, rounds: 0, ended: None }
    }

    /// Throttles it: no event is handled more than this ahead of what is certain, in virtual time.
    #[must_use]
    pub const fn within(mut self, window: Span) -> Self {
        self.limits.window = window;
        self
    }

    /// Throttles it by memory: so many events are done ahead at most by all threads, and as many are sent by these; as many as may wait in order if nothing is said. A thread that has come so far waits until some of them are certain.
    #[must_use]
    pub const fn ahead(mut self, events: usize) -> Self {
        self.limits.ahead = events;
        self
    }

    /// Has each thread handle events for about so many microseconds before it takes its mail and reports, which global virtual time waits for; 8 if nothing is said, and at least 1. Longer turns cost less, and what is certain is known later.
    #[must_use]
    pub const fn turns_of(mut self, micros: u32) -> Self {
        let micros = if micros == 0 { 1 } else { micros };
        self.limits.turn = Duration::from_micros(micros as u64);
        self.limits.longest = EVENTS.saturating_mul(micros.div_ceil(TURN));
        self
    }

    /// The states as they are now, by process.
    pub fn states(&self) -> impl Iterator<Item = &M::State> {
        self.workers.iter().flat_map(|worker| worker.part.states())
    }

    /// The run is over, with what is left of it. How many events took effect.
    fn is_over(
        &mut self,
        (committer, rounds, error): (Committer, u64, Option<RunError>),
    ) -> Result<u64, RunError> {
        (self.committer, self.rounds) = (committer, rounds);
        let ended = error.map_or(Ok(()), Err);
        self.ended = Some(ended.clone());
        ended.map(|()| self.counts().committed)
    }

    /// How often all threads have said how far they are, by which global virtual time goes on.
    #[must_use]
    pub const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// How often what happened. After an error, some events that are certain and of which nothing came but one other are not counted, or are counted though they come after it.
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
    /// Handles all events before the end. Outputs are given away in the order of events, as soon as they are certain, by any of the threads. Returns how many events it handled that took effect; when it is called again, none.
    ///
    /// # Errors
    /// When the model did what cannot be, in an event that is certain; when more events wait in order than may; when `take` panics, or taking back a change or cloning a state; when the system starts no thread. The run is over then, and says so again when it is called again; what was given away before stays.
    pub fn run(&mut self, take: impl FnMut(Key, M::Output) + Send) -> Result<u64, RunError> {
        if let Some(ended) = &self.ended {
            return ended.clone().map(|()| 0);
        }
        self.ended = Some(Err(RunError::Interrupted));
        let run = (&self.model, self.limits);
        let shared = begin_turns(run, &mut self.workers, self.committer, take)
            .inspect_err(|error| self.ended = Some(Err(error.clone())))?;
        thread::scope(|scope| {
            let (own, others) = self.workers.split_first_mut().unzip();
            for (threads, worker) in (1..).zip(others.into_iter().flatten()) {
                let spawned = thread::Builder::new().spawn_scoped(scope, || worker.run(&shared));
                if let Err(error) = spawned {
                    shared.end_with(RunError::NoThread { threads, message: error.to_string() });
                    break;
                }
            }
            own.into_iter().for_each(|worker| worker.run(&shared));
        });
        let left = shared.end();
        self.is_over(left)
    }
}
