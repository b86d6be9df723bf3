//! Errors: why an analysis finds no bound, and why a supply, a task or a demand is invalid.

use crate::window::in_range;
use crate::{Supply, Task, load};
use core::cmp::Ordering;
use core::fmt;
use windfall_time::Span;

/// Why there is no bound on a response time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UnboundedError {
    /// A work or a period is zero, or one of the numbers is past a quarter of [`crate::HORIZON`].
    OutOfRange,
    /// The tasks take more time in the long run than there is.
    Overload,
    /// The tasks take all the time that there is, and what is late at one moment may stay so.
    Saturated,
    /// Releases have jitter, while deadlines of lock holders count from releases.
    Jitter,
    /// None was found within [`crate::HORIZON`] and [`crate::ROUNDS`].
    NotFound,
    /// The bound is past the deadline, where the analysis counts on earlier jobs being done.
    PastDeadline,
    /// A uniformly slower processor counts at the deadlines that its owner reports, and they are not reported, or locks change them.
    NotReported,
    /// More deadlines may be to come at a time than a uniformly slower processor tells apart.
    ManyDeadlines,
}

impl UnboundedError {
    /// The error for tasks for which an analysis has found no bound, by their load on the supply.
    pub(crate) fn of(tasks: &[Task], supply: &Supply) -> UnboundedError {
        if !in_range(tasks) {
            return UnboundedError::OutOfRange;
        }
        match load::against_rate(tasks, supply) {
            Ordering::Greater => UnboundedError::Overload,
            Ordering::Equal => UnboundedError::Saturated,
            Ordering::Less => UnboundedError::NotFound,
        }
    }
}

/// Whether every response is within its deadline.
///
/// # Errors
/// None is found to be late, and one has no bound: why.
pub(crate) fn all_met(
    tasks: &[Task],
    responses: impl IntoIterator<Item = Result<Span, UnboundedError>>,
) -> Result<bool, UnboundedError> {
    let mut unknown = None;
    for (task, response) in tasks.iter().zip(responses) {
        match response {
            Ok(response) if response <= task.deadline => {}
            // Without a bound in the long run no deadline is met in the end.
            Ok(_) | Err(UnboundedError::Overload | UnboundedError::PastDeadline) => {
                return Ok(false);
            }
            Err(why) => unknown = Some(why),
        }
    }
    unknown.map_or(Ok(true), Err)
}

impl fmt::Display for UnboundedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnboundedError::OutOfRange => "a work or a period is zero, or a time is too long",
            UnboundedError::Overload => "the tasks take more time than there is",
            UnboundedError::Saturated => "the tasks take all the time that there is",
            UnboundedError::Jitter => "releases jitter, and locks count deadlines from releases",
            UnboundedError::NotFound => "none is found in a time that is reasonable",
            UnboundedError::PastDeadline => "it is past the deadline",
            UnboundedError::NotReported => {
                "RESU counts at deadlines that are reported, and these are not, or locks change them"
            }
            UnboundedError::ManyDeadlines => {
                "RESU counts at deadlines that are told apart, and more may be to come than are"
            }
        })
    }
}

impl std::error::Error for UnboundedError {}

/// No order of tasks speaks for all ranks: tasks share one, and the last of them may be due after its next arrival.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct TieError {
    /// The number of the task with the shortest deadline of that rank.
    pub task: usize,
}

impl fmt::Display for TieError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "task {} shares its rank, and may be due after its next arrival; give it a rank of its own",
            self.task
        )
    }
}

impl std::error::Error for TieError {}

/// Why there is no such supply, or reservation that supplies it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SupplyError {
    /// The period is zero.
    ZeroPeriod,
    /// Each period's amount is to come at once.
    ZeroDeadline,
    /// More than there is until the deadline, or in a period.
    AmountTooLarge,
    /// Each period's amount is to come later than at the period's end.
    DeadlineAbovePeriod,
    /// The longest gap, or the period of a reservation of any amount, is too long to be counted with.
    TooLong,
    /// A share below 0 or above 1.
    ShareOutOfRange,
    /// A share of which a term is 2^64 or more.
    ShareTooFine,
}

impl fmt::Display for SupplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SupplyError::ZeroPeriod => "a period of zero; allowed: above 0",
            SupplyError::ZeroDeadline => "a deadline of zero; allowed: above 0",
            SupplyError::AmountTooLarge => "the amount is more than its deadline or its period",
            SupplyError::DeadlineAbovePeriod => "the deadline is after the period's end",
            SupplyError::TooLong => "the period is too long; allowed: below 2^63 ns",
            SupplyError::ShareOutOfRange => "the share is out of range; allowed: 0 to 1",
            SupplyError::ShareTooFine => "the share is too fine; allowed: terms below 2^64",
        })
    }
}

impl std::error::Error for SupplyError {}

/// Why there is no demand of a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum DemandError {
    /// The period of this task, by its place in the list, is zero: jobs without end are due in no time.
    ZeroPeriod {
        /// Its place in the list.
        task: usize,
    },
    /// The jobs that are due, or their work in ns, are 2^64 or more.
    TooMuch,
}

impl fmt::Display for DemandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DemandError::ZeroPeriod { task } => {
                write!(f, "task {task} has a period of zero; allowed: above 0")
            }
            DemandError::TooMuch => f.write_str(
                "the work due in the window is too much to be counted; allowed: below 2^64 ns",
            ),
        }
    }
}

impl std::error::Error for DemandError {}

/// Why there is no knee of a boundary for a tolerance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ToleranceError {
    /// It is below zero: nothing is less than the least.
    Negative,
    /// Its terms, multiplied by those of a utilisation, are 2^127 or more.
    TooFine,
}

impl fmt::Display for ToleranceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ToleranceError::Negative => "the tolerance is below zero; allowed: 0 and above",
            ToleranceError::TooFine => {
                "the tolerance is too fine; write a fraction of fewer digits"
            }
        })
    }
}

impl std::error::Error for ToleranceError {}

/// Why there is no such multiframe task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum MultiframeError {
    /// The cycle has no frame.
    NoFrames,
    /// The work of a frame is zero.
    ZeroFrame {
        /// Its place in the cycle.
        frame: usize,
    },
    /// The period is zero.
    ZeroPeriod,
    /// Jobs are due as they arrive.
    ZeroDeadline,
    /// Jobs are due after the next one may have come (A2 of `multiframe.rs`).
    DeadlineAbovePeriod,
    /// The work or the length of a cycle is past a quarter of [`crate::HORIZON`].
    TooLong,
}

impl fmt::Display for MultiframeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MultiframeError::NoFrames => "a cycle of no frames; allowed: one or more",
            MultiframeError::ZeroFrame { frame } => {
                return write!(f, "frame {frame} has a work of zero; allowed: above 0");
            }
            MultiframeError::ZeroPeriod => "a period of zero; allowed: above 0",
            MultiframeError::ZeroDeadline => "a deadline of zero; allowed: above 0",
            MultiframeError::DeadlineAbovePeriod => {
                "the deadline is beyond the period; allowed: up to the period"
            }
            MultiframeError::TooLong => {
                "a cycle's work or length is too long; allowed: up to 2^60 ns"
            }
        })
    }
}

impl std::error::Error for MultiframeError {}
