//! Where threads sleep: a gate that one waits at and another opens; the beds of processes.

use super::clock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use windfall_time::Instant;

const WAIT: i32 = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
const WAKE: i32 = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;

/// Shut until it is opened; whoever passes shuts it behind itself.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicU32);

impl Gate {
    /// Waits until the gate is open, passes, and shuts it.
    pub(crate) fn pass(&self) {
        while self.0.swap(0, Ordering::Acquire) == 0 {
            futex(&self.0, WAIT, 0);
        }
    }

    /// Opens the gate, and wakes the thread that waits there. Does nothing when it is open.
    pub(crate) fn open_and_wake(&self) {
        if self.open() {
            self.wake();
        }
    }

    /// Opens the gate. Whether it was shut: then the caller must [`wake`](Self::wake) the thread that waits there.
    #[must_use]
    pub(crate) fn open(&self) -> bool {
        self.0.swap(1, Ordering::Release) == 0
    }

    /// Wakes the thread that waits at the gate, which has been opened.
    pub(crate) fn wake(&self) {
        futex(&self.0, WAKE, 1);
    }
}

fn futex(word: &AtomicU32, what: i32, value: u32) {
    let for_ever = std::ptr::null::<libc::timespec>();
    // SAFETY: the word outlives the call, since it is borrowed. Every outcome (woken, value changed,
    // interrupted) means that the caller looks again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), what, value, for_ever) };
}

/// Where threads of processes sleep, until all is over.
#[derive(Debug, Default)]
pub(crate) struct SleepQueue {
    over: AtomicBool,
    /// What those sleep on who wait for time alone; always 0.
    pub(crate) clock: AtomicU32,
}

impl SleepQueue {
    /// From here on nobody sleeps; whoever does is to be woken.
    pub(crate) fn close(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    /// Whether all is over.
    #[inline]
    pub(crate) fn are_closed(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl windfall_exchange::Futex for SleepQueue {
    #[inline]
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        if self.are_closed() {
            return false;
        }
        futex(word, WAIT, value);
        !self.are_closed()
    }

    #[inline]
    fn wake_one(&self, word: &AtomicU32) {
        futex(word, WAKE, 1);
    }

    fn wake_all(&self, word: &AtomicU32) {
        futex(word, WAKE, i32::MAX.cast_unsigned());
    }
}

/// The same for one who sleeps until an instant at most; then he need not wait any more.
pub(crate) struct Until<'a> {
    pub(crate) beds: &'a SleepQueue,
    pub(crate) at: Option<Instant>,
}

impl windfall_exchange::Futex for Until<'_> {
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        let Some(at) = self.at else { return self.beds.wait(word, value) };
        if self.beds.are_closed() || clock::now() >= at {
            return false;
        }
        let until = clock::timespec(at);
        // SAFETY: the word is borrowed and the time is live. The instant is absolute; every outcome means
        // that the caller looks again.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG,
                value,
                &raw const until,
                std::ptr::null::<u32>(),
                libc::FUTEX_BITSET_MATCH_ANY,
            )
        };
        !self.beds.are_closed() && clock::now() < at
    }

    fn wake_one(&self, word: &AtomicU32) {
        self.beds.wake_one(word);
    }

    fn wake_all(&self, word: &AtomicU32) {
        self.beds.wake_all(word);
    }
}
