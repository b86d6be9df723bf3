//! The description of what a thread runs.
//!
//! Phases and steps are rt-app's (UX 3.8); jobs are real-time theory's tasks; recorded programs
//! are bursts and waits taken from a trace.

use crate::process::Start;
use crate::step::Phase;
use windfall_time::{Instant, Span};

/// What a thread runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// Computes for ever from an instant on (and does nothing before).
    Spin {
        /// From when.
        from: Instant,
    },
    /// A sequence of jobs, each of which has a release, some work, and perhaps a deadline.
    Jobs(Jobs),
    /// Phases in order, the whole as often as `loops` says; `None` is for ever.
    Phases {
        /// How often.
        loops: Option<u64>,
        /// What.
        phases: Vec<Phase>,
    },
    /// What a thread did in a recording.
    Recorded(Recorded),
    /// An event-driven process.
    Process(Start),
}

/// A sequence of jobs. A job that is released while an earlier one is unfinished waits its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Jobs {
    /// When jobs are released.
    pub activation: Activation,
    /// How much work each one is.
    pub work: Work,
    /// Due so long after its release; `None`: never.
    pub deadline: Option<Span>,
    /// What becomes of a job that is not done by then.
    pub late: OnLate,
    /// How many jobs; `None`: no end.
    pub count: Option<u64>,
}

impl Jobs {
    /// Jobs without end that are never due.
    #[must_use]
    pub const fn new(activation: Activation, work: Work) -> Jobs {
        Jobs { activation, work, deadline: None, late: OnLate::Complete, count: None }
    }

    /// The same, each due so long after its release.
    #[must_use]
    pub const fn deadline(mut self, deadline: Span) -> Jobs {
        self.deadline = Some(deadline);
        self
    }
}

/// When jobs are released.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Activation {
    /// At `offset`, `offset + period`, ...
    Periodic {
        /// First release.
        offset: Instant,
        /// Time between releases; above zero.
        period: Span,
    },
    /// First at `offset`, then after a random gap, uniform between `least` and `most`.
    Sporadic {
        /// First release.
        offset: Instant,
        /// Shortest gap; above zero.
        least: Span,
        /// Longest gap; at least `least`.
        most: Span,
    },
    /// Whenever a job of this thread (by number in the scenario) is done while the other is alive.
    After(usize),
}

/// How much work a job or step is, in processor time at speed 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Always the same.
    Fixed(Span),
    /// Uniform between the two, both included; drawn from the thread's own random numbers.
    Uniform(Span, Span),
}

impl Work {
    /// The most that it can be.
    #[must_use]
    pub const fn most(self) -> Span {
        match self {
            Work::Fixed(span) | Work::Uniform(_, span) => span,
        }
    }
}

/// What becomes of a job that is not done at its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnLate {
    /// It goes on.
    #[default]
    Complete,
    /// It is given up.
    Abort,
}

/// What a thread did in a recording.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Recorded {
    /// When it is first ready.
    pub start: Instant,
    /// Its steps in order; it exits after the last.
    pub steps: Vec<RecordedStep>,
}

/// One step of a recorded thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordedStep {
    /// Computes.
    Run(Span),
    /// Wakes another thread (by number in the scenario).
    Wake(usize),
    /// Waits until an instant: nobody is known to have woken it.
    Until(Instant),
    /// Waits until another thread has woken it, once more than it has waited so far.
    Woken,
}

impl Jobs {
    /// Jobs of `work` every `period`, due at the next release.
    #[must_use]
    pub const fn periodic(work: Span, period: Span) -> Jobs {
        Jobs {
            activation: Activation::Periodic { offset: Instant::ZERO, period },
            work: Work::Fixed(work),
            deadline: Some(period),
            late: OnLate::Complete,
            count: None,
        }
    }
}
