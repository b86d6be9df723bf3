//! The description of what a thread runs.
//!
//! Phases and steps are rt-app's (UX 3.8); jobs are real-time theory's tasks; recorded programs
//! are bursts and waits taken from a trace.

use crate::process::Start;
use crate::step::{Naming, Numbers, Phase, Translate};
use windfall_time::{Instant, Span};

/// The program of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// Computes for ever from a time on, and waits before it.
    Spin {
        /// The time at which it begins.
        from: Instant,
    },
    /// A sequence of jobs, each of which has a release, some work, and perhaps a deadline.
    Jobs(Jobs),
    /// Phases in order, all repeated `loops` times; `None` is for ever.
    Phases {
        /// Number of repetitions.
        loops: Option<u64>,
        /// The phases.
        phases: Vec<Phase>,
    },
    /// The course of a thread in a recording.
    Recorded(Recorded),
    /// An event-driven process.
    Process(Start),
}

/// A sequence of jobs. A job that is released while an earlier one is unfinished waits its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Jobs<N: Naming = Numbers> {
    /// When jobs are released.
    pub activation: Activation<N>,
    /// The work of each job.
    pub work: Work,
    /// Relative deadline; `None` if jobs are never due.
    pub deadline: Option<Span>,
    /// The fate of a job that is unfinished at its deadline.
    pub late: OnLate,
    /// Number of jobs; `None` is without end.
    pub count: Option<u64>,
    /// Whether each is submitted to the scheduler when it is released, and left out if that refuses it (PORTS 2.2).
    pub admit: bool,
    /// The thread, with [`Activation::Instead`], of which a job is released instead of one that is refused (PORTS 2.4, primaries and
    /// secondaries). A name may stand for several threads that are alike, as in [`Activation::After`].
    pub secondary: Option<N::Thread>,
}

impl<N: Naming> Jobs<N> {
    /// Jobs without end that are never due.
    #[must_use]
    pub const fn new(activation: Activation<N>, work: Work) -> Jobs<N> {
        Jobs {
            activation,
            work,
            deadline: None,
            late: OnLate::Complete,
            count: None,
            admit: false,
            secondary: None,
        }
    }

    /// Jobs of `work` every `period`, due at the next release.
    #[must_use]
    pub const fn periodic(work: Span, period: Span) -> Jobs<N> {
        let activation = Activation::Periodic { offset: Instant::ZERO, period };
        Jobs::new(activation, Work::Fixed(work)).deadline(period)
    }

    /// The same, each due so long after its release.
    #[must_use]
    pub const fn deadline(mut self, deadline: Span) -> Jobs<N> {
        self.deadline = Some(deadline);
        self
    }

    /// The same, with this treatment of late jobs.
    #[must_use]
    pub const fn late(mut self, late: OnLate) -> Jobs<N> {
        self.late = late;
        self
    }

    /// The same, each admitted or refused by the scheduler when it is released.
    #[must_use]
    pub const fn admit(mut self) -> Jobs<N> {
        self.admit = true;
        self
    }

    /// The same, with a thread of which a job is released instead of one that is refused.
    #[must_use]
    pub fn secondary(mut self, thread: N::Thread) -> Jobs<N> {
        self.secondary = Some(thread);
        self
    }

    /// The same, so many of them.
    #[must_use]
    pub const fn count(mut self, count: u64) -> Jobs<N> {
        self.count = Some(count);
        self
    }

    /// The same jobs with another naming; `None` if they name a thread that does not exist there. Of several threads with
    /// that name, they mean the first.
    pub fn translated<M: Naming>(&self, by: &mut impl Translate<N, M>) -> Option<Jobs<M>> {
        let activation = match &self.activation {
            Activation::Periodic { offset, period } => {
                Activation::Periodic { offset: *offset, period: *period }
            }
            Activation::Sporadic { offset, least, most } => {
                Activation::Sporadic { offset: *offset, least: *least, most: *most }
            }
            Activation::After(thread) => Activation::After(by.threads(thread).into_iter().next()?),
            Activation::Instead => Activation::Instead,
        };
        let secondary = match &self.secondary {
            Some(thread) => Some(by.threads(thread).into_iter().next()?),
            None => None,
        };
        let Jobs { work, deadline, late, count, admit, .. } = *self;
        Some(Jobs { activation, work, deadline, late, count, admit, secondary })
    }
}

/// When jobs are released.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Activation<N: Naming = Numbers> {
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
    /// Whenever a job of that thread is done while the follower is alive. A name may stand for several threads that are alike:
    /// of these, the one with the same number as the follower.
    After(N::Thread),
    /// Whenever a job is refused of a thread whose [secondary](Jobs::secondary) this one is.
    Instead,
}

/// The work of a job or step, in processor time at speed 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Always the same.
    Fixed(Span),
    /// Uniform between the two, both included; drawn from the thread's own random numbers.
    Uniform(Span, Span),
}

impl Work {
    /// The largest possible work.
    #[must_use]
    pub const fn most(self) -> Span {
        match self {
            Work::Fixed(span) | Work::Uniform(_, span) => span,
        }
    }
}

/// The fate of a job that is unfinished at its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnLate {
    /// It continues.
    #[default]
    Complete,
    /// It is aborted.
    Abort,
}

/// The course of a thread in a recording.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Recorded {
    /// The time at which it is first ready.
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
    /// Waits until this time; no thread is known to have woken it.
    Until(Instant),
    /// Waits until another thread has woken it, once more than it has waited so far.
    Woken,
}
