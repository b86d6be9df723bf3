//! The lock around a supervisor. Three sorts of threads of ours take it: the event loop (`event_loop.rs`), fences (`carrier/fence.rs`), and own programs in
//! their calls (`own.rs`). Others have the event loop do what they need (`calls.rs`).

use crate::supervise::supervisor::{Calls, Supervisor};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use windfall_os::events::EventFd;
use windfall_os::lock::Lock;
use windfall_os::sched::Affinity;

/// What everybody shares.
pub(crate) struct Locked {
    lock: Lock<Supervisor>,
    /// What threads that are apart have done under it.
    pub(crate) calls: Calls,
    /// Where threads of ours are that have nothing to do with deciding.
    pub(crate) apart: Affinity,
    /// Rung to have the event loop look.
    pub(crate) bell: EventFd,
    /// For threads that are made while the run lasts; and those.
    pub(crate) me: Weak<Locked>,
    made: Mutex<Vec<JoinHandle<()>>>,
}

impl Locked {
    pub(crate) fn new(
        supervisor: Supervisor,
        calls: Calls,
        bell: EventFd,
        apart: Affinity,
    ) -> Arc<Locked> {
        let (lock, made) = (Lock::new(supervisor), Mutex::default());
        Arc::new_cyclic(|me| Locked { lock, calls, apart, bell, me: me.clone(), made })
    }

    /// Keeps a thread that was made while the run lasts.
    pub(crate) fn keep(&self, thread: JoinHandle<()>) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|thread| !thread.is_finished()); // their stacks are given back
        made.push(thread);
    }

    /// The threads that were made while the run lasted.
    pub(crate) fn made(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Does something under the lock. Whoever is to be told of an open gate is told before it is given up: the caller may be kept from its
    /// processor from then on, for as long as somebody else is granted it.
    pub(crate) fn enter<T>(&self, act: impl FnOnce(&mut Supervisor) -> T) -> T {
        let mut supervisor = self.lock.lock();
        let answer = act(&mut supervisor);
        supervisor.host.machine.step.wakes.tell();
        answer
    }
}
