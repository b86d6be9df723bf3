//! What other threads of ours have the event loop do under the lock.
//!
//! They do not take it themselves: their processors are not supervised, and may stand still, or have more urgent work.
//! Whoever holds the lock there keeps every decision waiting, and priority inheritance moves nobody to another processor.

use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use crate::supervise::supervisor::Supervisor;
use std::sync::{Arc, Mutex, PoisonError};
use windfall_os::futex::Gate;
use windfall_os::process;
use windfall_os::sched::{Attributes, own_tid};

impl Locked {
    /// Has something done, without waiting for it.
    pub(crate) fn leave(&self, act: impl FnOnce(&mut Supervisor) + Send + 'static) {
        let act = Box::new(act);
        let mut left = self.calls.lock();
        left.calls.push_back(act);
        let heard = left.heard;
        drop(left);
        if heard { self.bell.signal() } else { self.enter(carry_out) }
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

    /// Makes this thread an ordinary one on processors that are not supervised.
    pub(crate) fn step_apart(&self, name: &str) {
        process::name_thread(name);
        // First elsewhere: it was made on a supervised processor, where an ordinary thread waits for as long as threads are granted it.
        let _ = self.apart.give(0).and_then(|()| Attributes::ordinary().give(0));
        let tid = own_tid();
        self.call(move |s| s.host.machine.external.agents.push(tid));
    }

    /// From here on the event loop carries calls out, or does no longer.
    pub(crate) fn hears_calls(&self, heard: bool) {
        self.calls.lock().heard = heard;
        if !heard {
            self.enter(carry_out); // what was left for it
        }
    }
}

/// Does what was left, and settles.
pub(crate) fn carry_out(supervisor: &mut Supervisor) {
    loop {
        let next = supervisor.calls.lock().calls.pop_front();
        let Some(call) = next else { break };
        call(supervisor);
    }
    settle(supervisor);
}
