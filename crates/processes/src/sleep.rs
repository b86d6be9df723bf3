//! Where threads of processes sleep, until all is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering, fence};
use windfall_os::events::EventFd;
use windfall_os::lock::Lock;
use windfall_os::{clock, futex};
use windfall_time::Instant;

/// Where threads of processes sleep, until all is over.
pub(super) struct SleepQueue {
    over: AtomicBool,
    /// The word on which threads sleep that wait for time alone; always 0.
    pub(super) clock: AtomicU32,
    /// Descriptors that wake threads which also wait for other descriptors: each with the address of the word that the
    /// thread would sleep on.
    bells: Lock<Vec<(usize, Arc<EventFd>)>>,
    /// How many those are.
    belled: AtomicUsize,
}

fn address(word: &AtomicU32) -> usize {
    std::ptr::from_ref(word).addr()
}

impl SleepQueue {
    pub(super) fn new() -> SleepQueue {
        SleepQueue {
            over: AtomicBool::new(false),
            clock: AtomicU32::new(0),
            bells: Lock::new(Vec::new()),
            belled: AtomicUsize::new(0),
        }
    }

    /// From here on a bell wakes the thread that sleeps on that word, which is the caller alone.
    pub(super) fn add_bell(&self, word: &AtomicU32, bell: Arc<EventFd>) {
        self.bells.lock().push((address(word), bell));
        self.belled.fetch_add(1, Ordering::Relaxed);
        // Whoever sees that the caller sleeps sees its bell.
        fence(Ordering::Release);
    }

    pub(super) fn remove_bell(&self, word: &AtomicU32) {
        self.bells.lock().retain(|(its, _)| *its != address(word));
        self.belled.fetch_sub(1, Ordering::Relaxed);
    }

    /// Rings the bell of the thread that sleeps on that word; returns whether there is one.
    #[inline]
    fn ring(&self, word: &AtomicU32) -> bool {
        fence(Ordering::Acquire);
        if self.belled.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let bells = self.bells.lock();
        let found = bells.iter().find(|(its, _)| *its == address(word));
        found.map(|(_, bell)| bell.signal()).is_some()
    }

    /// From here on nobody may sleep; the caller then wakes all sleepers.
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
        if !self.ring(word) {
            futex::wake_one(word);
        }
    }

    fn wake_all(&self, word: &AtomicU32) {
        if !self.ring(word) {
            futex::wake_all(word);
        }
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
