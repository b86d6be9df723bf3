//! A sporadic task: the model of every analysis here.

use windfall_time::Span;

/// A task that releases jobs at least `period` apart, each up to `jitter` late.
///
/// Response times count from the nominal arrival: a job that is released `jitter` late and finishes
/// at once has that response time already (Tindell et al. 1994, as SchedCAT counts).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Task {
    /// Longest work of one job; above zero.
    pub work: Span,
    /// Least time between two nominal arrivals; above zero.
    pub period: Span,
    /// Relative deadline, from the nominal arrival; above zero, possibly beyond the period.
    pub deadline: Span,
    /// How much later than its arrival a job may be released.
    pub jitter: Span,
}

impl Task {
    /// A periodic task without jitter whose deadline is its period.
    #[must_use]
    pub const fn implicit(work: Span, period: Span) -> Task {
        Task { work, period, deadline: period, jitter: Span::ZERO }
    }

    /// The same, with another deadline.
    #[must_use]
    pub const fn deadline(mut self, deadline: Span) -> Task {
        self.deadline = deadline;
        self
    }

    /// The same, with this release jitter.
    #[must_use]
    pub const fn jitter(mut self, jitter: Span) -> Task {
        self.jitter = jitter;
        self
    }
}
