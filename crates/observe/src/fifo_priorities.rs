//! The priorities of SCHED_FIFO that supervision uses (decision 0008), from low to high.
//!
//! No other thread is expected on them: the kernel filters its tracepoints by them, and what is found
//! on one when a supervisor is gone was left behind by it. A higher number runs first.

/// Supervised threads that could run and are frozen: a thaw notifies no thread, and the thread that
/// thaws is not preempted.
pub const FROZEN: u32 = 70;
/// Supervised threads that could run and may not.
pub const HELD: u32 = 71;
/// The fence of each processor.
pub const FENCE: u32 = 72;
/// The granted thread, when it is external: it knows nothing of the supervisor.
pub const GRANTED: u32 = 73;
/// The granted thread, when it runs a program of the scenario.
pub const OWN: u32 = 74;
/// The thread that reads /proc: below the event loop, which lends its priority to the holder of what it waits for.
pub const PROCFS_WORKER: u32 = 75;
/// The event loop: the thread that sleeps until a timer or a wake-up of an external thread.
pub const EVENTS: u32 = 76;
/// The process that outlives the supervisor and gives everything back.
pub const GUARDIAN: u32 = 77;
/// The same process while it looks from the event loop's processor whether that stands still.
pub const DOUBT: u32 = 99;

/// A priority as the kernel counts it: downwards from 99.
#[must_use]
pub const fn in_kernel(priority: u32) -> u32 {
    99 - priority
}

/// A filter of the kernel's for tracepoints with a field of that name, which holds a priority: supervised threads, and those that
/// supervise.
#[must_use]
pub fn supervised(field: &str) -> String {
    format!("{field}>={} && {field}<={}", in_kernel(EVENTS), in_kernel(FROZEN))
}

/// Whether that priority is one of supervised threads.
#[must_use]
pub fn is_supervised(priority: u32) -> bool {
    (FROZEN..=OWN).contains(&priority)
}

/// A filter of the kernel's for wake-ups that must be looked at: those of external threads.
#[must_use]
pub fn foreign(field: &str) -> String {
    format!("{field}=={} || {field}=={}", in_kernel(GRANTED), in_kernel(HELD))
}
