//! The ghost task: what a reservation withholds, as a task of the highest priority (HLS 6.1.2).
//!
//! Threads meet their deadlines under a fixed-priority scheduler that holds a reservation of x in y,
//! if they do on a whole processor beside a ghost of amount y - x and period y that comes before all
//! of them. With a jitter of x the ghost stands for a basic reservation (theorem 6.2), with none for
//! a single block in each period (theorem 6.1). Both are equation 6.1 and nothing else: compare
//! `local_fixed_priority.rs`, which gives the same response times without a ghost.
//!
//! A1 to A5 as in `fixed_priority.rs`. Not shown by the theorems, and not true: that a basic
//! reservation schedules exactly as beside a ghost. It may hand out its amount in many pieces; only
//! the worst case is the same.

use crate::error::all_met;
use crate::{AmountError, SupplyError, Task, UnboundedError, fixed_priority};
use windfall_time::Span;

/// The kind of reservation that the ghost stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Ghost {
    /// `RESB x y`: the ghost has a jitter of x.
    Basic,
    /// `RESN x y`: the ghost is never late.
    NonPreemptive,
}

impl Ghost {
    /// The ghost of a reservation of `amount` in `period`.
    ///
    /// # Errors
    /// When the amount exceeds the period.
    pub fn task(self, amount: Span, period: Span) -> Result<Task, SupplyError> {
        let jitter = match self {
            Ghost::Basic => amount,
            Ghost::NonPreemptive => Span::ZERO,
        };
        let work = period.checked_sub(amount).ok_or(SupplyError::AmountTooLarge)?;
        Ok(Task { work, period, deadline: period, jitter })
    }

    /// The longest response time of each thread beside the ghost, in decreasing order of priority.
    ///
    /// Without a bound: why, as in [`fixed_priority::response_times`]; out of range where the amount exceeds the period.
    #[must_use]
    pub fn response_times(
        self,
        tasks: &[Task],
        amount: Span,
        period: Span,
    ) -> Vec<Result<Span, UnboundedError>> {
        match self.task(amount, period) {
            // A ghost of nothing is no task.
            Ok(ghost) if ghost.work.is_zero() && !period.is_zero() => {
                fixed_priority::response_times(tasks)
            }
            Ok(ghost) => {
                let mut all = vec![ghost];
                all.extend_from_slice(tasks);
                fixed_priority::response_times(&all).split_off(1)
            }
            Err(_) => vec![Err(UnboundedError::OutOfRange); tasks.len()],
        }
    }

    /// Whether every thread meets its deadline beside the ghost.
    ///
    /// # Errors
    /// No thread is found to be late, and one has no bound: why.
    pub fn schedulable(
        self,
        tasks: &[Task],
        amount: Span,
        period: Span,
    ) -> Result<bool, UnboundedError> {
        all_met(tasks, self.response_times(tasks, amount, period))
    }

    /// The least amount for a period, a multiple of `granule`, by halving.
    ///
    /// [`crate::resource_fixed_priority::least_amount`] finds the same, faster.
    ///
    /// # Errors
    /// When no multiple up to the period is enough, or the granule or the period is zero.
    pub fn least_amount(
        self,
        tasks: &[Task],
        period: Span,
        granule: Span,
    ) -> Result<Span, AmountError> {
        if period.is_zero() {
            return Err(AmountError::ZeroPeriod);
        }
        let most = period.checked_div(granule).ok_or(AmountError::ZeroGranule)?;
        let amount = |steps| granule.checked_mul(steps).ok_or(AmountError::NotEnough);
        let enough =
            |steps| amount(steps).is_ok_and(|x| self.schedulable(tasks, x, period) == Ok(true));
        if !enough(most) {
            let responses = self.response_times(tasks, amount(most)?, period);
            return Err(AmountError::by(tasks, &responses));
        }
        let (mut fails, mut holds) = (0, most);
        while fails < holds {
            let middle = fails + (holds - fails) / 2;
            if enough(middle) { holds = middle } else { fails = middle + 1 }
        }
        amount(holds)
    }
}
