//! A run that chooses for itself: in order where events are too short to gain by threads.

use crate::{Cancellation, Key, Model, Parallel, RunError, Sequential};
use std::time::{Duration, Instant as Clock};
use windfall_time::Instant;

/// Two threads gain where handling an event in order takes about so long: below that they lose on some machines.
const GAINS: Duration = Duration::from_nanos(200);
/// So many events are timed together; and of so many such times the least counts, since others may have the processor in between.
const SAMPLE: u32 = 1_024;
const SAMPLES: u32 = 16;

/// A run that handles events in order, and goes on on threads from when they take long enough to gain by that. It does not come back.
#[derive(Debug)]
pub struct Adaptive<M: Model> {
    /// None while it changes.
    run: Option<Way<M>>,
    end: Instant,
    cancellation: Cancellation,
    threads: u32,
}

#[derive(Debug)]
enum Way<M: Model> {
    InOrder(Sequential<M>),
    OnThreads(Parallel<M>),
}

impl<M: Model> Adaptive<M> {
    /// A run at its beginning, which uses so many threads at most; else as [`Parallel::new`].
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
        let run = Some(Way::InOrder(Sequential::new(model, most)?));
        Ok(Adaptive { run, end, cancellation, threads })
    }

    /// Whether it is on threads.
    #[must_use]
    pub const fn is_on_threads(&self) -> bool {
        matches!(self.run, Some(Way::OnThreads(_)))
    }

    /// The states as they are now, by process.
    pub fn states(&self) -> impl Iterator<Item = &M::State> {
        let (in_order, on_threads) = match &self.run {
            Some(Way::InOrder(run)) => (Some(run.states()), None),
            Some(Way::OnThreads(run)) => (None, Some(run.states())),
            None => (None, None),
        };
        in_order.into_iter().flatten().chain(on_threads.into_iter().flatten())
    }
}

impl<M: Model + Sync> Adaptive<M>
where
    M::State: Send,
    M::Event: Send,
    M::Output: Send,
    M::Change: Send,
{
    /// Handles all events before the end, and gives outputs away in their order. Returns how many it handled in all.
    ///
    /// # Errors
    /// As for [`Parallel::run`].
    pub fn run(&mut self, mut take: impl FnMut(Key, M::Output) + Send) -> Result<u64, RunError> {
        if let Some(Way::InOrder(run)) = &mut self.run {
            loop {
                let mut least = Duration::MAX;
                for _ in 0..SAMPLES {
                    let begun = Clock::now();
                    if run.run_some(self.end, SAMPLE.into(), &mut take)? < SAMPLE.into() {
                        return Ok(run.handled());
                    }
                    least = least.min(begun.elapsed());
                }
                if self.threads > 1 && run.states().len() > 1 && least > GAINS * SAMPLE {
                    break;
                }
            }
        }
        let way = match self.run.take().ok_or(RunError::Interrupted)? {
            Way::InOrder(run) => run.on_threads(self.end, self.cancellation, self.threads)?,
            Way::OnThreads(run) => run,
        };
        let Way::OnThreads(run) = self.run.insert(Way::OnThreads(way)) else {
            return Err(RunError::Interrupted);
        };
        run.run(take)?;
        Ok(run.counts().committed)
    }
}
