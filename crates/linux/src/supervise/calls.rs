//! Lets other threads of this process have the event loop do something under the lock.
//!
//! They do not take the lock themselves: their processors are not supervised, and may stand still or have more urgent work. A thread
//! that held the lock there would delay every decision, and priority inheritance moves no thread to another processor.

use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use crate::supervise::supervisor::Supervisor;
use std::sync::{Arc, Mutex, PoisonError};
use windfall_os::futex::Gate;
use windfall_os::process;
use windfall_os::sched::{Attributes, own_tid};

impl Locked {
    /// Queues `act` for the event loop and returns at once.
    pub(crate) fn leave(&self, act: impl FnOnce(&mut Supervisor) + Send + 'static) {
        let act = Box::new(act);
        let mut left = self.calls.lock();
        left.calls.push_back(act);
        let heard = left.heard;
        drop(left);
        if heard { self.bell.signal() } else { self.enter(carry_out) }
    }

    /// Queues `act` for the event loop and waits for its answer.
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

    /// Makes the calling thread an ordinary one on processors that are not supervised.
    pub(crate) fn step_apart(&self, name: &str) {
        process::name_thread(name);
        // The affinity comes first: on the supervised processor where it was made, an ordinary thread waits while threads are granted it.
        let _ = self.apart.give(0).and_then(|()| Attributes::ordinary().give(0));
        let tid = own_tid();
        self.call(move |s| s.host.machine.external.agents.push(tid));
    }

    /// Sets whether the event loop carries calls out from here on. If not, callers do so themselves.
    pub(crate) fn hears_calls(&self, heard: bool) {
        self.calls.lock().heard = heard;
        if !heard {
            self.enter(carry_out); // calls that are still queued
        }
    }
}

/// Carries out all queued calls, and settles.
pub(crate) fn carry_out(supervisor: &mut Supervisor) {
    loop {
        let next = supervisor.calls.lock().calls.pop_front();
        let Some(call) = next else { break };
        call(supervisor);
    }
    settle(supervisor);
}
