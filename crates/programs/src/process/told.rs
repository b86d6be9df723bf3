//! Reports of a process to observers. No decision depends on them.

use windfall_time::{Instant, Span};

/// Something that a process tells of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// A figure of its results, from now on: a count.
    Count(&'static str, u64),
    /// A figure of its results, from now on: a time.
    Time(&'static str, Span),
    /// A line for the trace.
    Mark(String),
    /// It begins something, within what it has begun before; for the trace.
    Begins(String),
    /// Its latest activity ends.
    Ends,
}

/// A process's reports of itself: its jobs, figures, marks and activities.
pub trait Tells: Send {
    /// Waits until `release`, as [`sleep_until`](super::Process::sleep_until) does, and begins a job that is due at `deadline`, of which its scheduler and its results know. A job before it is done by that. It ends with
    /// [`job_done`](Self::job_done), or when the process exits.
    fn job_at(&mut self, release: Instant, deadline: Instant) -> impl Future<Output = ()> + Send;

    /// Its job is done. Without a job, nothing happens.
    fn job_done(&mut self) -> impl Future<Output = ()> + Send;

    /// Tells whoever watches something of itself: figures go into its results, the rest into the trace. On plain threads there are neither, and nothing is kept.
    fn tell(&mut self, what: Told) -> impl Future<Output = ()> + Send;
}
