//! Why an event from outside is refused, and what would be admitted.

use crate::RunError;
use core::fmt;
use windfall_time::{Instant, Span};

/// Why an event from outside is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InputError {
    /// All before this time is certain, or it has passed.
    Past {
        /// An event after it may be admitted.
        until: Instant,
    },
    /// The run does not go so far.
    AfterEnd {
        /// An event before it may be admitted.
        end: Instant,
    },
    /// It, and what it would undo, cannot be done in time with all that was admitted before.
    NoTime {
        /// The processor time that it would need.
        work: Span,
        /// The free time before its deadline.
        idle: Span,
        /// The earliest deadline with which it would be admitted.
        earliest: Option<Instant>,
    },
    /// There is no such process, too much waits, or the run is over.
    Run(RunError),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Past { until } => {
                write!(f, "all until {until} is certain; an event must come after that")
            }
            InputError::AfterEnd { end } => {
                write!(f, "the run ends at {end}; an event must come before that")
            }
            InputError::NoTime { work, idle, earliest } => {
                write!(f, "it needs {work} with what it would undo, and {idle} is free before it")?;
                match earliest {
                    Some(earliest) => write!(f, "; the earliest time for it is {earliest}"),
                    None => Ok(()),
                }
            }
            InputError::Run(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl core::error::Error for InputError {}
