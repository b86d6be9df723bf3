//! Why there are no response times on several processors, or a test says nothing of tasks.

use core::fmt;

/// Why there is no bound on the response times on several processors, or what a test does not cover; tasks by their places in the
/// list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum GlobalError {
    /// There is no processor.
    NoProcessors,
    /// A work or a period is zero, or one of the numbers is past a quarter of [`crate::HORIZON`].
    OutOfRange,
    /// This task has release jitter (A3).
    Jitter(usize),
    /// The deadline of this task is beyond its period (A3).
    DeadlineAbovePeriod(usize),
    /// The deadline of this task is not its period, as bounds of lateness have it.
    DeadlineNotPeriod(usize),
    /// This task alone takes longer than it has until its deadline or its next job.
    WorkTooLong(usize),
    /// The tasks take more time in the long run than the processors have.
    Overload,
    /// The analysis does not show that every deadline is met; they may be met all the same.
    NotShown,
    /// Jobs may be late by more than [`crate::HORIZON`].
    NotFound,
}

impl fmt::Display for GlobalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GlobalError::NoProcessors => f.write_str("there is no processor; allowed: 1 or more"),
            GlobalError::OutOfRange => {
                f.write_str("a work or a period is zero, or a time is too long")
            }
            GlobalError::Jitter(task) => {
                write!(f, "releases of task {task} jitter; allowed: tasks without jitter")
            }
            GlobalError::DeadlineAbovePeriod(task) => {
                write!(f, "the deadline of task {task} is beyond its period; allowed: up to it")
            }
            GlobalError::DeadlineNotPeriod(task) => {
                write!(f, "the deadline of task {task} is not its period; allowed: equal to it")
            }
            GlobalError::WorkTooLong(task) => {
                write!(f, "the work of task {task} is more than its deadline or its period")
            }
            GlobalError::Overload => {
                f.write_str("the tasks take more time than the processors have")
            }
            GlobalError::NotShown => {
                f.write_str("it is not shown that every deadline is met; other tests may show it")
            }
            GlobalError::NotFound => f.write_str("jobs may be late by more than is counted"),
        }
    }
}

impl std::error::Error for GlobalError {}
