//! The priorities of SCHED_FIFO that supervision uses (decision 0008), from low to high.
//!
//! Nobody else is expected on them: the kernel filters its tracepoints by them, and what is found
//! on one when a supervisor is gone was left behind by it.

/// Supervised threads that could run and are frozen: nobody is notified when they are thawed, and whoever thaws one is not
/// preempted by it.
pub(crate) const FROZEN: u32 = 70;
/// Supervised threads that could run and may not.
pub(crate) const HELD: u32 = 71;
/// The fence of each processor.
pub(crate) const FENCE: u32 = 72;
/// The granted thread, when it knows nothing of us.
pub(crate) const GRANTED: u32 = 73;
/// The granted thread, when it is one of our own programs.
pub(crate) const OWN: u32 = 74;
/// The thread that reads /proc: below the event loop, which lends its priority to whoever has what it waits for.
pub(crate) const CLERK: u32 = 75;
/// The thread that timers and wake-ups are told to.
pub(crate) const EAR: u32 = 76;
/// The process that outlives us.
pub(crate) const GUARDIAN: u32 = 77;

/// The kernel counts priorities of real-time threads downwards from 99.
pub(crate) const fn in_kernel(rung: u32) -> u32 {
    99 - rung
}

/// A filter for tracepoints with a field of that kind: threads that are ours, whatever they do.
pub(crate) fn supervised(field: &str) -> String {
    format!("{field}>={} && {field}<={}", in_kernel(EAR), in_kernel(FROZEN))
}

/// Whether that priority is one of supervised threads.
pub(crate) fn is_supervised(priority: u32) -> bool {
    (FROZEN..=OWN).contains(&priority)
}

/// A filter for wake-ups that must be looked at: foreign threads'.
pub(crate) fn foreign(field: &str) -> String {
    format!("{field}=={} || {field}=={}", in_kernel(GRANTED), in_kernel(HELD))
}
