//! Primitives by which replicas on threads share memory; under `cfg(loom)` those of the model checker.

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
#[cfg(loom)]
pub(super) use loom::sync::{Mutex, MutexGuard};
#[cfg(loom)]
pub(super) use model::{Thread, current, park};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
#[cfg(not(loom))]
pub(super) use std::sync::{Mutex, MutexGuard};
#[cfg(not(loom))]
pub(super) use std::thread::{Thread, current};

/// The calling thread, which is this one, sleeps until it is woken, for at most so long.
#[cfg(not(loom))]
pub(super) fn park(_: &Mutex<Option<Thread>>, longest: std::time::Duration) {
    std::thread::park_timeout(longest);
}

/// Threads that sleep, made of a lock: the model checker's own `unpark` wakes a thread that waits for a lock, too, and takes that for a mistake.
#[cfg(loom)]
mod model {
    use loom::sync::{Arc, Condvar, Mutex};

    #[derive(Clone, Debug, Default)]
    pub(in super::super) struct Thread(Arc<(Mutex<bool>, Condvar)>);

    impl Thread {
        pub(in super::super) fn unpark(&self) {
            *self.0.0.lock().unwrap() = true;
            self.0.1.notify_one();
        }
    }

    pub(in super::super) fn current() -> Thread {
        Thread::default()
    }

    /// Without an end, so that a wake-up that is lost is found.
    pub(in super::super) fn park(this: &Mutex<Option<Thread>>, _: std::time::Duration) {
        let this = this.lock().unwrap().clone().unwrap();
        let mut is_woken = this.0.0.lock().unwrap();
        while !*is_woken {
            is_woken = this.0.1.wait(is_woken).unwrap();
        }
        *is_woken = false;
    }
}
