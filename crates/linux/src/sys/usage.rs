//! What a thread of ours has used.

use windfall_time::Span;

/// Processor time of the calling thread, in user and in kernel mode.
pub(crate) fn of_this_thread() -> Span {
    // SAFETY: all zero is a valid value of this struct of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the struct is live; the kernel fills it.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    let span = |time: libc::timeval| {
        let (s, us) = (time.tv_sec.unsigned_abs(), time.tv_usec.unsigned_abs());
        Span::from_nanos(s.saturating_mul(1_000_000_000).saturating_add(us.saturating_mul(1_000)))
    };
    span(usage.ru_utime).saturating_add(span(usage.ru_stime))
}
