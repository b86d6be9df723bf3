//! Why a pool of processes takes no task.

use core::fmt;
use windfall_programs::TaskError;

/// Why a task was not taken. Its closure has not run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SubmitError {
    /// All workers have tasks.
    Full {
        /// How many workers there are.
        workers: u32,
    },
    /// The scheduler refused it; if for time, with what is idle before the deadline and the earliest deadline.
    Refused(TaskError),
}

impl fmt::Display for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmitError::Full { workers } => write!(
                f,
                "all {workers} workers have tasks; wait for one to end, or start a pool of more"
            ),
            SubmitError::Refused(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SubmitError {}
