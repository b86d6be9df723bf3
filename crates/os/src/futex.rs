//! Where threads sleep: futexes of this process, and a gate that one thread waits at and another opens.

use super::clock;
use std::sync::atomic::{AtomicU32, Ordering};
use windfall_time::Instant;

const WAIT: i32 = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
const WAKE: i32 = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;

/// Shut until it is opened; the thread that passes shuts it again.
#[derive(Debug, Default)]
pub struct Gate(AtomicU32);

impl Gate {
    /// Waits until the gate is open, passes, and shuts it.
    #[inline]
    pub fn pass(&self) {
        while self.0.swap(0, Ordering::Acquire) == 0 {
            wait(&self.0, 0);
        }
    }

    /// Opens the gate, and wakes the thread that waits there. Does nothing when it is open.
    #[inline]
    pub fn open_and_wake(&self) {
        if self.open() {
            self.wake();
        }
    }

    /// Opens the gate. Whether it was shut: then the caller must [`wake`](Self::wake) the thread that waits there.
    #[must_use]
    #[inline]
    pub fn open(&self) -> bool {
        self.0.swap(1, Ordering::Release) == 0
    }

    /// Wakes the thread that waits at the gate, which has been opened.
    #[inline]
    pub fn wake(&self) {
        wake_one(&self.0);
    }
}

/// Sleeps while the word has this value, until it is woken. It may return at any time: look at the word again.
#[inline]
pub fn wait(word: &AtomicU32, value: u32) {
    futex(word, WAIT, value);
}

/// As [`wait`], until an instant of the clock at most.
pub fn wait_until(word: &AtomicU32, value: u32, at: Instant) {
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
}

/// Wakes one thread of this process that sleeps on the word, if there is one.
#[inline]
pub fn wake_one(word: &AtomicU32) {
    futex(word, WAKE, 1);
}

/// Wakes all threads of this process that sleep on the word.
pub fn wake_all(word: &AtomicU32) {
    futex(word, WAKE, i32::MAX.cast_unsigned());
}

fn futex(word: &AtomicU32, what: i32, value: u32) {
    let for_ever = std::ptr::null::<libc::timespec>();
    // SAFETY: the word outlives the call, since it is borrowed. Every outcome (woken, value changed,
    // interrupted) means that the caller looks again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), what, value, for_ever) };
}
