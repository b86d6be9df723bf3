//! What other threads of ours have the event loop do under the lock.
//!
//! They do not take it themselves: their processors are not supervised, and may stand still, or have more urgent work.
//! Whoever holds the lock there keeps every decision waiting, and priority inheritance moves nobody to another processor.

use crate::supervise::locked::Locked;
use crate::supervise::supervisor::Supervisor;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use windfall_os::futex::Gate;
use windfall_os::lock::Lock;

/// Something to be done under the supervisor's lock.
type Call = Box<dyn FnOnce(&mut Supervisor) + Send>;

/// Where calls are left. Its own lock is held for some nanoseconds, and lends the event loop's priority to whoever has it.
pub(crate) type Calls = Arc<Lock<Left>>;

/// What was left.
#[derive(Default)]
pub(crate) struct Left {
    calls: VecDeque<Call>,
    /// Whether the event loop carries calls out. Before it begins and after it has ended, callers do.
    heard: bool,
}

impl Locked {
    /// Has something done, without waiting for it.
    pub(crate) fn leave(&self, act: impl FnOnce(&mut Supervisor) + Send + 'static) {
        let act = Box::new(act);
        let mut left = self.calls.lock();
        left.calls.push_back(act);
        let heard = left.heard;
        drop(left);
        if heard { self.bell.signal() } else { self.enter(Supervisor::carry_out) }
    }

    /// Has something done, and waits for the answer.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Supervisor) -> T + Send + 'static,
    ) -> T {
        let slot = Arc::new((Mutex::new(None), Arc::new(Gate::default())));
        let caller = slot.clone();
        self.leave(move |supervisor| {
            let answer = act(supervisor);
            let (place, gate) = &*caller;
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            supervisor.host.machine.step.wakes.open(gate);
        });
        let (place, gate) = &*slot;
        loop {
            gate.pass();
            if let Some(answer) = place.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return answer;
            }
        }
    }

    /// From here on the event loop carries calls out, or does no longer.
    pub(crate) fn hears_calls(&self, heard: bool) {
        self.calls.lock().heard = heard;
        if !heard {
            self.enter(Supervisor::carry_out); // what was left for it
        }
    }
}

impl Supervisor {
    /// Does what was left, and settles.
    pub(crate) fn carry_out(&mut self) {
        loop {
            let next = self.calls.lock().calls.pop_front();
            let Some(call) = next else { break };
            call(self);
        }
        self.settle();
    }
}
