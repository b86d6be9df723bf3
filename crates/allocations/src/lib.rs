#![doc = include_str!("../README.md")]
#![allow(unsafe_code, reason = "counting allocations takes an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// Whether this thread's allocations are counted, and their number.
    static COUNTING: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
    /// Whether they count for the total.
    static IN_TOTAL: Cell<bool> = const { Cell::new(false) };
}
/// Of all threads together that asked for it.
static TOTAL: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, which counts. A test program makes it its global allocator.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

// SAFETY: hands everything on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + u64::from(COUNTING.get()));
        if IN_TOTAL.get() {
            TOTAL.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

/// How often the calling thread allocates in this, where [`Counting`] is the program's allocator; zero anywhere else.
pub fn allocations(what: impl FnOnce()) -> u64 {
    COUNT.set(0);
    COUNTING.set(true);
    what();
    COUNTING.set(false);
    COUNT.get()
}

/// From now on the calling thread's allocations count for the total of all threads that have called this.
pub fn count_in_total() {
    IN_TOTAL.set(true);
}

/// How often those threads have allocated, since the last call of this. The calling thread's do not count any longer. One test at a
/// time may use the total.
#[must_use]
pub fn take_total() -> u64 {
    IN_TOTAL.set(false);
    TOTAL.swap(0, Ordering::Relaxed)
}
