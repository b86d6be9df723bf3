//! Why a scheduler gives no answer about tasks that might be submitted to it.

use std::fmt;
use windfall_programs::TaskError;

/// Why there is no answer, or why it is no. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskQueryError {
    /// No scheduler has this name.
    NoSuchScheduler {
        /// The name.
        name: String,
    },
    /// The scheduler of this name admits no tasks.
    NotAdmitting {
        /// The name.
        name: String,
    },
    /// It would not admit all of them.
    Refused(TaskError),
}

impl fmt::Display for TaskQueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskQueryError::NoSuchScheduler { name } => write!(f, "there is no scheduler `{name}`"),
            TaskQueryError::NotAdmitting { name } => {
                write!(f, "`{name}` admits no tasks; name a scheduler of a kind that does")
            }
            TaskQueryError::Refused(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for TaskQueryError {}
