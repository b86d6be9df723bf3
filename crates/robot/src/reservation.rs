//! The processor time that map and planner ask their scheduler to promise.

use windfall_guarantees::Guarantee;
use windfall_programs::OwnRequest;
use windfall_speculation::{Supply, SupplyError};
use windfall_time::Span;

/// An amount in each period, wherever in it that comes (`RESBS amount period`). The planner's promises count on that alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reservation {
    amount: Span,
    period: Span,
    supply: Supply,
}

impl Reservation {
    /// `amount` in each `period`.
    ///
    /// # Errors
    /// When there is no such supply: of nothing, or of more than a processor.
    pub fn new(amount: Span, period: Span) -> Result<Reservation, SupplyError> {
        Ok(Reservation { amount, period, supply: Supply::reservation(amount, period)? })
    }

    /// The time that it surely gives.
    pub(crate) const fn supply(self) -> Supply {
        self.supply
    }

    /// Asks for it at the scheduler of that name, or at the one above if that is empty.
    pub(crate) fn request(self, scheduler: &str) -> OwnRequest {
        let [amount, period] = [self.amount, self.period].map(Into::into);
        let request = OwnRequest::guarantee(Guarantee::BasicSoft(amount, period));
        if scheduler.is_empty() { request } else { request.at(scheduler) }
    }
}
