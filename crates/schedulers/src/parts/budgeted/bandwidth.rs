//! Sums of shares `amount / period`, compared with a limit, which is such a share itself.
//!
//! A share is kept as two bounds in units of 2^-63, rounded down and up, so that adding a share and removing it
//! again is exact. If the limit lies between the bounds of a sum, admission adds up the exact fractions instead
//! (`admission::exactly_fits`).

use windfall_time::{Ratio, Span};

/// A lower and an upper bound of a share or a sum of shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bandwidth {
    low: u128,
    high: u128,
}

impl Bandwidth {
    /// The share of `amount` in each `period`; a period of zero counts as one nanosecond.
    pub(crate) fn of(amount: Span, period: Span) -> Bandwidth {
        let scaled = u128::from(amount.as_nanos()) << 63;
        let period = u128::from(period.as_nanos().max(1));
        Bandwidth { low: scaled / period, high: scaled.div_ceil(period) }
    }

    #[must_use]
    pub(crate) const fn plus(self, other: Bandwidth) -> Bandwidth {
        Bandwidth { low: self.low + other.low, high: self.high + other.high }
    }

    /// Removes a share that was added before.
    #[must_use]
    pub(crate) const fn minus(self, other: Bandwidth) -> Bandwidth {
        Bandwidth {
            low: self.low.saturating_sub(other.low),
            high: self.high.saturating_sub(other.high),
        }
    }

    /// Whether the sum is at most this limit; `None` if the bounds do not decide it.
    pub(crate) const fn fits(self, limit: Bandwidth) -> Option<bool> {
        if self.high <= limit.low {
            Some(true)
        } else if self.low > limit.high {
            Some(false)
        } else {
            None
        }
    }

    /// Whether the upper bound is at most the other's lower bound.
    pub(crate) const fn fits_within(self, other: Bandwidth) -> bool {
        self.high <= other.high && self.low <= other.low
    }

    /// A lower bound of what is left of this limit.
    pub(crate) fn left(self, limit: Bandwidth) -> Ratio {
        let left = i128::try_from(self.rest(limit)).ok();
        left.and_then(|left| Ratio::new(left, 1 << 63)).unwrap_or(Ratio::ZERO)
    }

    /// The amount in each `period` that certainly fits into what is left of this limit.
    pub(crate) fn room(self, limit: Bandwidth, period: Span) -> Span {
        let room = (self.rest(limit) * u128::from(period.as_nanos())) >> 63;
        Span::saturating_from_nanos(room)
    }

    const fn rest(self, limit: Bandwidth) -> u128 {
        limit.low.saturating_sub(self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(amount: u64, period: u64) -> Bandwidth {
        Bandwidth::of(Span::from_nanos(amount), Span::from_nanos(period))
    }

    #[test]
    fn limit_thirds_cannot_be_told_and_halves_can() {
        let half = share(1, 2);
        assert_eq!(half.plus(half).fits(share(1000, 1000)), Some(true));
        let third = share(1, 3);
        assert_eq!(third.plus(third).plus(third).fits(share(1000, 1000)), None);
        assert_eq!(third.plus(third).plus(half).fits(share(1000, 1000)), Some(false));
        assert_eq!(third.plus(half).minus(third), half);
        assert_eq!(half.left(share(1000, 1000)), Ratio::new(1, 2).unwrap());
    }

    #[test]
    fn limit_room_is_what_fits_exactly() {
        let (fifth, period) = (share(1, 5), Span::from_nanos(1000));
        assert_eq!(fifth.room(share(850, 1000), period), Span::from_nanos(649), "rounded down");
        assert_eq!(fifth.plus(share(650, 1000)).fits(share(850, 1000)), None, "to be told exactly");
        assert_eq!(fifth.plus(share(649, 1000)).fits(share(850, 1000)), Some(true));
        assert_eq!(fifth.room(share(200, 1000), period), Span::ZERO);
        assert_eq!(fifth.room(share(100, 1000), period), Span::ZERO);
    }

    #[test]
    fn limit_the_longest_spans_do_not_overflow() {
        assert_eq!(share(u64::MAX, u64::MAX).fits(share(1000, 1000)), Some(true));
        assert_eq!(share(u64::MAX, 0).fits(share(1000, 1000)), Some(false));
    }
}
