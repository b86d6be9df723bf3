//! Which part of its processor a scheduler may promise, and how times lie on the scheduler's own time (decision 0032, 2 and 3).
//!
//! Invariant: between two instants, the own time from the first (rounded up) to the second (rounded down) is at most the share of the time between them.

use crate::ShareError;
use windfall_time::{Instant, Ratio, Span};

/// So much work in each period of processor time, in the long run; at most all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    work: Span,
    period: Span,
}

impl Share {
    /// The whole processor.
    pub const WHOLE: Share = Share { work: Span::from_millis(1), period: Span::from_millis(1) };

    /// `work` of each `period`.
    ///
    /// # Errors
    /// No work, or more than the period.
    pub fn new(work: Span, period: Span) -> Result<Share, ShareError> {
        if work.is_zero() {
            return Err(ShareError::NoWork);
        }
        if work > period {
            return Err(ShareError::AbovePeriod { work, period });
        }
        Ok(Share { work, period })
    }

    /// The work in each period.
    #[must_use]
    pub const fn work(self) -> Span {
        self.work
    }

    /// The period.
    #[must_use]
    pub const fn period(self) -> Span {
        self.period
    }

    pub(crate) fn ratio(self) -> Option<Ratio> {
        self.work.over(self.period)
    }

    /// The own time at an instant, rounded down: where a deadline lies.
    pub(crate) fn place(self, at: Instant) -> u64 {
        let exact = u128::from(at.as_nanos()) * u128::from(self.work.as_nanos());
        narrow(exact / u128::from(self.period.as_nanos()))
    }

    /// The own time at an instant, rounded up: what has passed.
    pub(crate) fn passed(self, at: Instant) -> u64 {
        let exact = u128::from(at.as_nanos()) * u128::from(self.work.as_nanos());
        narrow(exact.div_ceil(u128::from(self.period.as_nanos())))
    }

    /// The first instant whose place is at least this one.
    pub(crate) fn instant_of(self, place: u64) -> Instant {
        let exact = u128::from(place) * u128::from(self.period.as_nanos());
        Instant::saturating_from_nanos(exact.div_ceil(u128::from(self.work.as_nanos())))
    }

    /// Whether this much work takes at most the share of the time.
    pub(crate) fn holds(self, work: Span, time: Span) -> bool {
        let (asked, had) = (u128::from(work.as_nanos()), u128::from(time.as_nanos()));
        asked * u128::from(self.period.as_nanos()) <= had * u128::from(self.work.as_nanos())
    }
}

fn narrow(value: u128) -> u64 {
    Instant::saturating_from_nanos(value).as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_rounded_places_never_hold_more_than_the_share_of_the_time_between() {
        let ns = Span::from_nanos;
        let share = Share::new(ns(3), ns(7)).unwrap();
        for from in 0..50_u64 {
            for to in from..60 {
                let (at, until) = (Instant::from_nanos(from), Instant::from_nanos(to));
                let own = share.place(until).saturating_sub(share.passed(at));
                assert!(share.holds(ns(own), until - at), "{from} to {to}");
                assert!(share.place(share.instant_of(to)) >= to);
            }
        }
    }

    #[test]
    fn refuses_no_work_and_more_than_the_period() {
        let ms = Span::from_millis;
        assert_eq!(Share::new(Span::ZERO, ms(1)), Err(ShareError::NoWork));
        let above = ShareError::AbovePeriod { work: ms(2), period: ms(1) };
        assert_eq!(Share::new(ms(2), ms(1)), Err(above));
        assert_eq!(above.to_string(), "2ms in each 1ms is more than the processor; at most 1ms is");
        assert_eq!(Share::new(ms(2), ms(2)).map(Share::ratio), Ok(Share::WHOLE.ratio()));
    }
}
