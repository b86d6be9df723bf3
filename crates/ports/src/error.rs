//! Why something is refused, and what would be accepted. Temporal refusals are those of `windfall-admission`.

use crate::TaskId;
use core::fmt;
use windfall_admission::AdmitError;
use windfall_time::{Instant, Span};

/// Why a task is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SubmitError {
    /// It cannot be promised; says how much is idle before its deadline, and the earliest that fits.
    NotAdmitted(AdmitError),
    /// The processor has no such scheduler.
    NoScheduler {
        /// Which was named.
        scheduler: usize,
        /// How many there are, from 0.
        schedulers: usize,
    },
    /// The pool has no such processor.
    NoProcessor {
        /// Which was named.
        processor: usize,
        /// How many there are, from 0.
        processors: usize,
    },
    /// The scheduler orders by deadlines.
    NeedsDeadline,
    /// The scheduler orders by ranks, or begins tasks at given times, and has no answer about deadlines.
    NoDeadlines,
    /// As many tasks are there as may be.
    Full {
        /// How many.
        tasks: u32,
    },
    /// The system starts no thread more.
    NoThread {
        /// How many tasks of the processor have one.
        threads: u32,
    },
    /// Nothing was asked for.
    Nothing,
    /// The processor has not analysed what was sent to it.
    Unanswered {
        /// How many submissions.
        most: u32,
    },
    /// The pool is over, or the answer was taken before.
    Over,
}

impl From<AdmitError> for SubmitError {
    fn from(error: AdmitError) -> SubmitError {
        SubmitError::NotAdmitted(error)
    }
}

impl fmt::Display for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmitError::NotAdmitted(error) => error.fmt(f),
            SubmitError::NoScheduler { scheduler, schedulers } => {
                write!(f, "there is no scheduler {scheduler}; add it, or name one below {schedulers}")
            }
            SubmitError::NoProcessor { processor, processors } => {
                write!(f, "the pool has no processor {processor}; name one below {processors}")
            }
            SubmitError::NeedsDeadline => {
                f.write_str("no deadline; give one, or submit it to a scheduler with ranks")
            }
            SubmitError::NoDeadlines => f.write_str(
                "the scheduler knows no deadlines; leave the deadline out, or name a scheduler that orders by deadlines",
            ),
            SubmitError::Full { tasks } => {
                write!(f, "all {tasks} tasks are taken; cancel one, or wait for one to end")
            }
            SubmitError::NoThread { threads } => write!(
                f,
                "the system starts no thread beside the {threads} of this processor's tasks; wait for one to end, or raise its limit (`ulimit -u`)"
            ),
            SubmitError::Unanswered { most } => {
                write!(f, "{most} submissions are not answered yet; wait for answers")
            }
            SubmitError::Over => f.write_str("the pool is over; submit it to another"),
            SubmitError::Nothing => f.write_str("no alternatives; give at least one"),
        }
    }
}

impl core::error::Error for SubmitError {}

/// A refusal by slots that run behind or ahead of the processor's time, as seen at `now`: a deadline that has not passed leaves no idle time.
pub(crate) fn not_passed(
    error: AdmitError,
    work: Span,
    deadline: Instant,
    now: Instant,
) -> AdmitError {
    match error {
        AdmitError::DeadlinePassed { earliest, .. } if deadline > now => {
            AdmitError::NoRoom { work, deadline, idle: Span::ZERO, earliest }
        }
        other => other,
    }
}

/// A refusal of a deadline that was taken as earlier by a debt, as one of the deadline itself.
pub(crate) fn owing(error: AdmitError, deadline: Instant, debt: Span, now: Instant) -> AdmitError {
    let later = |found: Option<Instant>| found.and_then(|found| found.checked_add(debt));
    match error {
        AdmitError::NoRoom { work, idle, earliest, .. } => {
            AdmitError::NoRoom { work, deadline, idle, earliest: later(earliest) }
        }
        AdmitError::DeadlinePassed { earliest, .. } => {
            AdmitError::DeadlinePassed { deadline, now, earliest: later(earliest) }
        }
        AdmitError::BeyondHorizon { .. } => AdmitError::BeyondHorizon { deadline },
        other => other,
    }
}

/// Why a call about a task does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TaskError {
    /// The task, which has ended, was cancelled or interrupted, or was never of this processor.
    pub task: TaskId,
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not there: it has ended, or is of another processor", self.task)
    }
}

impl core::error::Error for TaskError {}

/// Why time cannot have passed so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ClockError {
    /// It does not go back.
    Backwards {
        /// Where it was to go.
        to: Instant,
        /// Where it is.
        now: Instant,
    },
    /// A task cannot receive more than the time that has passed, and nothing if none runs.
    MoreThanPassed {
        /// The reported time.
        received: Span,
        /// The most time that it can have received.
        most: Span,
    },
}

impl fmt::Display for ClockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClockError::Backwards { to, now } => {
                write!(f, "time cannot go back from {now} to {to}; it may stay")
            }
            ClockError::MoreThanPassed { received, most } => {
                write!(f, "{received} cannot have been received; at most {most} can")
            }
        }
    }
}

impl core::error::Error for ClockError {}

/// Why a scheduler cannot have a share of its processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ShareError {
    /// It is no work at all.
    NoWork,
    /// It is more work than its period has time.
    AbovePeriod {
        /// The work.
        work: Span,
        /// The period.
        period: Span,
    },
    /// All shares together would be more than the processor.
    AboveWhole,
    /// Shares whose sum is not to be had in 128 bits.
    TooFine,
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShareError::NoWork => f.write_str("a share of no work; give it some, or no share"),
            ShareError::AbovePeriod { work, period } => {
                write!(f, "{work} in each {period} is more than the processor; at most {period} is")
            }
            ShareError::AboveWhole => f.write_str(
                "all shares together are above the processor; give it less, or no share",
            ),
            ShareError::TooFine => {
                f.write_str("the shares have no common period in 128 bits; use rounder ones")
            }
        }
    }
}

impl core::error::Error for ShareError {}

/// Why laxity is not moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TransferError {
    /// A scheduler is not there, or has no laxity that can be moved.
    NoLaxity {
        /// Which.
        scheduler: usize,
    },
    /// Both are the same.
    Same,
    /// The giver is receiving time itself.
    Receiving {
        /// Until when.
        until: Instant,
    },
    /// The giver has promised that time.
    Promised(AdmitError),
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransferError::NoLaxity { scheduler } => write!(
                f,
                "scheduler {scheduler} has no laxity to move; name one of earliest deadline first"
            ),
            TransferError::Same => f.write_str("a scheduler cannot give to itself; name two"),
            TransferError::Receiving { until } => {
                write!(f, "the giver is receiving time itself until {until}; wait until then")
            }
            TransferError::Promised(error) => write!(f, "the giver cannot spare it: {error}"),
        }
    }
}

impl core::error::Error for TransferError {}
