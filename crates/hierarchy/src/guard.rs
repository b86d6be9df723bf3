//! Keeps a scheduler's panic from unwinding into the host.
//!
//! Without `std` there is nothing to catch with, and a panic stops the machine.

/// Runs `call`; `false` when it panicked.
#[cfg(feature = "std")]
#[inline]
pub(crate) fn guarded(call: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_ok()
}

/// Runs `call`.
#[cfg(not(feature = "std"))]
#[inline]
pub(crate) fn guarded(call: impl FnOnce()) -> bool {
    call();
    true
}
