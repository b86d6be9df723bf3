//! Where threads wait until all of them are ready, so that they begin together, or not at all.
//!
//! Invariant: nobody waits for a thread that will not come: one that is not ready, or could not be started, sends all others away.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The gate.
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// How many are yet to come.
    missing: usize,
    is_cancelled: bool,
}

impl Gate {
    /// For so many threads.
    pub(super) const fn new(threads: usize) -> Gate {
        let state = State { missing: threads, is_cancelled: false };
        Gate { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread is here, ready or not; it waits for the others, and is told whether all begin.
    pub(super) fn passes(&self, is_ready: bool) -> bool {
        let mut state = self.state();
        state.missing = state.missing.saturating_sub(1);
        state.is_cancelled |= !is_ready;
        if state.missing == 0 || state.is_cancelled {
            self.changed.notify_all();
        }
        while state.missing > 0 && !state.is_cancelled {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_cancelled
    }

    /// One of the threads will not come: nobody begins.
    pub(super) fn cancel(&self) {
        self.state().is_cancelled = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_all_begin_together_or_none_does() {
        for (threads, ready, is_cancelled, begin) in
            [(3, 3, false, true), (3, 2, false, false), (3, 0, true, false), (1, 1, false, true)]
        {
            let gate = Gate::new(threads);
            // Where one cannot be started, the others are there before.
            let started = threads - usize::from(is_cancelled);
            let passed: Vec<_> = std::thread::scope(|scope| {
                let of = |number| {
                    scope.spawn({
                        let gate = &gate;
                        move || gate.passes(number < ready)
                    })
                };
                let started: Vec<_> = (0..started).map(of).collect();
                if is_cancelled {
                    gate.cancel();
                }
                started.into_iter().map(|one| one.join().unwrap()).collect()
            });
            assert_eq!(passed, vec![begin; started], "{threads} {ready} {is_cancelled}");
        }
    }
}
