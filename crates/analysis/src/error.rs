//! Why an analysis finds no bound.

use crate::window::in_range;
use crate::{Supply, Task, load};
use core::cmp::Ordering;
use core::fmt;

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
    /// None was found within [`crate::HORIZON`] and [`crate::ROUNDS`].
    NotFound,
}

impl UnboundedError {
    /// Of tasks for which an analysis has found no bound, by how much they take of the supply.
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

impl fmt::Display for UnboundedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnboundedError::OutOfRange => "a work or a period is zero, or a time is too long",
            UnboundedError::Overload => "the tasks take more time than there is",
            UnboundedError::Saturated => "the tasks take all the time that there is",
            UnboundedError::NotFound => "none is found in a time that is reasonable",
        })
    }
}

impl std::error::Error for UnboundedError {}
