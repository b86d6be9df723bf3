//! Keeps a scheduler's panic from unwinding into the host.
//!
//! Without `std` a panic cannot be caught, and it stops the machine.

/// Runs `call`; returns `false` if it panicked.
#[cfg(feature = "std")]
#[inline]
pub(crate) fn guarded(call: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_ok()
}

/// Runs `call`; returns `true`, since without `std` a panic does not return.
#[cfg(not(feature = "std"))]
#[inline]
pub(crate) fn guarded(call: impl FnOnce()) -> bool {
    call();
    true
}
