//! The clock: CLOCK_MONOTONIC, which the kernel stamps its events with and arms its timers by.

use windfall_time::Instant;

/// The instant of this moment: nanoseconds since the machine began, without time spent suspended.
#[must_use]
#[inline]
pub fn now() -> Instant {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let (s, ns) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    Instant::from_nanos(s.saturating_mul(1_000_000_000).saturating_add(ns))
}

/// An instant as the kernel takes it.
#[inline]
pub(crate) fn timespec(at: Instant) -> libc::timespec {
    let ns = at.as_nanos();
    libc::timespec {
        tv_sec: libc::time_t::try_from(ns / 1_000_000_000).expect("2^64 ns are 584 years"),
        tv_nsec: libc::c_long::try_from(ns % 1_000_000_000).expect("below a second"),
    }
}
