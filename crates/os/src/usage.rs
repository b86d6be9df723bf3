//! Processor time used by a thread.

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

/// Processor time of a thread of this process, as that of the caller; `None` if there is no such thread.
#[must_use]
#[inline]
pub fn of_thread(tid: i32) -> Option<Span> {
    // A thread's own clock, as the kernel numbers it: the inverted number of the thread, and 4 (of a thread) | 2 (to the nanosecond).
    let clock = (!tid << 3) | 6;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec; a clock that does not exist is refused.
    let answer = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let (s, ns) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    (answer == 0).then(|| Span::from_nanos(s.saturating_mul(1_000_000_000).saturating_add(ns)))
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

    #[test]
    fn law_another_threads_clock_shows_what_that_thread_used() {
        let (send, tids) = std::sync::mpsc::channel();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let until = of_this_thread() + Span::from_millis(5);
            while of_this_thread() < until {}
            send.send(crate::sched::own_tid()).unwrap();
            ends.recv().unwrap_err();
        });
        let tid = tids.recv().unwrap();
        let used = of_thread(tid).unwrap();
        assert!(used >= Span::from_millis(5) && used < Span::from_millis(50), "{used}");
        drop(end);
        thread.join().unwrap();
        assert_eq!(of_thread(i32::MAX / 8 - 1), None);
    }
}
