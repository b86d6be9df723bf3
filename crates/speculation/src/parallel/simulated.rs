//! The threads of a run as if each had a processor, on a machine that has more of them than this one.

use super::worker::Turn;
use super::{EVENTS, Parallel, TURN, begin_turns};
use crate::{Key, Model, RunError};
use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;
use windfall_time::Span;

/// The costs of a thread's operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prices {
    /// For an event that it handles.
    pub handle: Span,
    /// For one that it undoes.
    pub undo: Span,
    /// For a message that it puts into the mail of another, which takes that.
    pub message: Span,
    /// For a turn, whatever it does in it.
    pub turn: Span,
}

impl<M: Model> Parallel<M> {
    /// Carries the run out on this thread, turn by turn, as if each of its threads had a processor and everything took as long as is said. Equal runs are equal, event by event. Returns how many events it handled that took effect, and how long it took.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn simulate(
        &mut self,
        prices: &Prices,
        take: impl FnMut(Key, M::Output),
    ) -> Result<(u64, Span), RunError> {
        if let Some(ended) = &self.ended {
            return ended.clone().map(|()| (0, Span::ZERO));
        }
        self.ended = Some(Err(RunError::Interrupted));
        let mut limits = self.limits;
        // No clock of this machine decides how long a turn is.
        let nanos = u64::from(TURN) * 1_000 / prices.handle.as_nanos().max(1);
        limits.turn = Duration::MAX;
        limits.longest = u32::try_from(nanos).unwrap_or(EVENTS).clamp(1, EVENTS);
        let run = (&self.model, limits);
        let shared = begin_turns(run, &mut self.workers, self.committer, take)
            .inspect_err(|error| self.ended = Some(Err(error.clone())))?;
        // Where the time is as large as can be, whoever had fewer turns goes on.
        let mut next: BinaryHeap<Reverse<(Span, u64, usize)>> =
            (0..self.workers.len()).map(|worker| Reverse((Span::ZERO, 0, worker))).collect();
        let mut took = Span::ZERO;
        // Whose time is the least goes on; what it tells others, they find in their next turns.
        while let Some(Reverse((now, turns, index))) = next.pop() {
            let worker = &mut self.workers[index];
            let (before, posted) = (worker.part.counts(), worker.posted);
            let turn = worker.guarded_turn(&shared);
            let after = worker.part.counts();
            let mut spent = prices.turn.max(Span::from_nanos(1));
            for (price, times) in [
                (prices.handle, after.handled + after.repeated - before.handled - before.repeated),
                (prices.undo, after.undone - before.undone),
                (prices.message, worker.posted - posted),
            ] {
                spent = spent.saturating_add(price.saturating_mul(times));
            }
            let now = now.saturating_add(spent);
            took = took.max(now);
            if turn != Turn::Over {
                next.push(Reverse((now, turns + 1, index)));
            }
        }
        let left = shared.end();
        self.is_over(left).map(|events| (events, took))
    }
}
