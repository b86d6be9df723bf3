//! What the calling thread has used.

use windfall_time::Span;

/// Processor time of the calling thread, in user and in kernel mode, to the nanosecond: the kernel brings it up to date for this
/// clock, while `getrusage` has the state of the last tick of its timer.
#[must_use]
#[inline]
pub fn of_this_thread() -> Span {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    let (s, ns) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    Span::from_nanos(s.saturating_mul(1_000_000_000).saturating_add(ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn law_processor_time_moves_between_two_ticks_of_the_timer() {
        // A busy machine may take the processor away in between; three in a hundred must not be.
        let moved = (0..100).filter(|_| {
            let (begun, until) = (of_this_thread(), clock::now() + Span::from_nanos(200_000));
            while clock::now() < until {}
            let used = of_this_thread().saturating_sub(begun);
            used > Span::from_nanos(20_000) && used < Span::from_nanos(2_000_000)
        });
        assert!(moved.count() > 50);
    }
}
