//! The lock around a supervisor. Three sorts of threads take it: the event loop (`event_loop.rs`), fences (`carrier/fence.rs`), and
//! in-process programs in their calls (`own.rs`). Others have the event loop do what they need (`calls.rs`).

use crate::supervise::supervisor::{Calls, Supervisor};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use windfall_os::events::EventFd;
use windfall_os::lock::Lock;
use windfall_os::sched::Affinity;

/// State that all threads of this process share during a run.
pub(crate) struct Locked {
    lock: Lock<Supervisor>,
    /// Calls that other threads have queued for the event loop.
    pub(crate) calls: Calls,
    /// Processors for our threads that take no part in decisions.
    pub(crate) apart: Affinity,
    /// Wakes the event loop.
    pub(crate) bell: EventFd,
    /// A handle for threads that are started during the run.
    pub(crate) me: Weak<Locked>,
    /// Threads that were started during the run.
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

    /// Keeps the handle of a thread that was started during the run.
    pub(crate) fn keep(&self, thread: JoinHandle<()>) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|thread| !thread.is_finished()); // frees their stacks
        made.push(thread);
    }

    /// Takes the handles of the threads that were started during the run.
    pub(crate) fn made(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs `act` under the lock. Threads behind opened gates are woken before the lock is given up, because the caller may then lose its
    /// processor for as long as another thread is granted it.
    pub(crate) fn enter<T>(&self, act: impl FnOnce(&mut Supervisor) -> T) -> T {
        let mut supervisor = self.lock.lock();
        let answer = act(&mut supervisor);
        supervisor.host.machine.step.wakes.wake_all();
        answer
    }
}
