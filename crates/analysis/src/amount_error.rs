//! Why no amount of a reservation is enough for some tasks.

use crate::{Resource, Supply, Task, UnboundedError};
use core::fmt;
use windfall_time::Span;

/// Why there is no least amount of a reservation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum AmountError {
    /// Amounts are to be multiples of nothing.
    ZeroGranule,
    /// The reservation's period is zero.
    ZeroPeriod,
    /// A work or a period is zero, or one of the numbers is past a quarter of [`crate::HORIZON`].
    OutOfRange,
    /// Releases jitter, where deadlines of those who hold locks count from releases.
    Jitter,
    /// A deadline may be missed even with the largest multiple of the granule that the reservation can have.
    NotEnough,
    /// With that amount, the deadlines are not shown to be met: the tasks take all of it, or the analysis
    /// goes beyond [`crate::HORIZON`] and [`crate::ROUNDS`].
    NotFound,
}

impl AmountError {
    /// The error for tasks for which no amount is found, by their response times with the greatest
    /// amount.
    pub(crate) fn of(
        tasks: &[Task],
        resource: &Resource,
        granule: Span,
        responses: impl FnOnce(&Supply) -> Vec<Result<Span, UnboundedError>>,
    ) -> AmountError {
        let Some(steps) = resource.most().checked_div(granule) else {
            return AmountError::ZeroGranule;
        };
        let most = granule.checked_mul(steps).and_then(|most| resource.supply(most).ok());
        most.map_or(AmountError::NotEnough, |most| AmountError::by(tasks, &responses(&most)))
    }

    /// The same, where the response times are known.
    pub(crate) fn by(tasks: &[Task], responses: &[Result<Span, UnboundedError>]) -> AmountError {
        let late = |(task, response): (&Task, &Result<Span, UnboundedError>)| match response {
            Ok(response) => *response > task.deadline,
            Err(why) => *why == UnboundedError::Overload,
        };
        if responses.contains(&Err(UnboundedError::OutOfRange)) {
            AmountError::OutOfRange
        } else if responses.contains(&Err(UnboundedError::Jitter)) {
            AmountError::Jitter
        } else if tasks.iter().zip(responses).any(late) {
            AmountError::NotEnough
        } else {
            AmountError::NotFound
        }
    }
}

impl fmt::Display for AmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AmountError::ZeroGranule => "a granule of zero; allowed: above 0",
            AmountError::ZeroPeriod => "a period of zero; allowed: above 0",
            AmountError::OutOfRange => "a work or a period is zero, or a time is too long",
            AmountError::Jitter => "releases jitter, and locks count deadlines from releases",
            AmountError::NotEnough => {
                "no amount is enough, not even the largest; less work or later deadlines may fit"
            }
            AmountError::NotFound => {
                "no amount is shown to be enough; tasks that take less of the processor may be"
            }
        })
    }
}

impl std::error::Error for AmountError {}
