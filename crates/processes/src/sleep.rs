//! Where threads of processes sleep, until all is over.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use windfall_os::{clock, futex};
use windfall_time::Instant;

/// Where threads of processes sleep, until all is over.
#[derive(Debug, Default)]
pub(super) struct SleepQueue {
    over: AtomicBool,
    /// What those sleep on who wait for time alone; always 0.
    pub(super) clock: AtomicU32,
}

impl SleepQueue {
    /// From here on nobody sleeps; whoever does is to be woken.
    pub(super) fn close(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    /// Whether all is over.
    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl windfall_exchange::Futex for SleepQueue {
    #[inline]
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        if self.is_closed() {
            return false;
        }
        futex::wait(word, value);
        !self.is_closed()
    }

    #[inline]
    fn wake_one(&self, word: &AtomicU32) {
        futex::wake_one(word);
    }

    fn wake_all(&self, word: &AtomicU32) {
        futex::wake_all(word);
    }
}

/// The same until an instant at most; then a thread need not wait any more.
pub(super) struct Until<'a> {
    pub(super) queue: &'a SleepQueue,
    pub(super) at: Option<Instant>,
}

impl windfall_exchange::Futex for Until<'_> {
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        let Some(at) = self.at else { return self.queue.wait(word, value) };
        if self.queue.is_closed() || clock::now() >= at {
            return false;
        }
        futex::wait_until(word, value, at);
        !self.queue.is_closed() && clock::now() < at
    }

    fn wake_one(&self, word: &AtomicU32) {
        self.queue.wake_one(word);
    }

    fn wake_all(&self, word: &AtomicU32) {
        self.queue.wake_all(word);
    }
}
