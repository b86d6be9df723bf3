//! A gate that one thread waits at and another opens.

use std::sync::atomic::{AtomicU32, Ordering};

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

    /// Opens the gate. Nothing happens when it is open.
    pub(crate) fn open(&self) {
        if self.0.swap(1, Ordering::Release) == 0 {
            futex(&self.0, WAKE, 1);
        }
    }

    /// Opens the gate without looking whether somebody waits: the opener will tell by `knock`.
    pub(crate) fn unlatch(&self) -> bool {
        self.0.swap(1, Ordering::Release) == 0
    }

    /// Tells the one who waits that the gate has been opened.
    pub(crate) fn knock(&self) {
        futex(&self.0, WAKE, 1);
    }
}

fn futex(word: &AtomicU32, what: i32, value: u32) {
    let for_ever = std::ptr::null::<libc::timespec>();
    // SAFETY: the word outlives the call, since it is borrowed. Every outcome (woken, value changed,
    // interrupted) means that the caller looks again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), what, value, for_ever) };
}
