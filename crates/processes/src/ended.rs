//! Findings of a run of processes: those that failed, and how late its timers were.

use windfall_programs::ProcessHandle;
use windfall_time::Span;

/// A process that has failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Failed {
    /// Which.
    pub process: ProcessHandle,
    /// The name of its code.
    pub name: &'static str,
    /// Why.
    pub why: String,
}

/// How long after its instant a timer's event was posted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Lateness {
    /// The number of timers.
    pub timers: u64,
    /// All together.
    pub total: Span,
    /// The latest.
    pub worst: Span,
}

impl Lateness {
    pub(crate) fn add(&mut self, late: Span) {
        self.timers += 1;
        self.total = self.total.saturating_add(late);
        self.worst = self.worst.max(late);
    }

    pub(crate) fn merge(&mut self, other: Lateness) {
        self.timers += other.timers;
        self.total = self.total.saturating_add(other.total);
        self.worst = self.worst.max(other.worst);
    }
}
