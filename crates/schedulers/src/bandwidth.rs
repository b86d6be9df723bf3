//! Sums of shares `amount / period`, compared with the whole processor.
//!
//! A share is kept as two bounds in units of 2^-63, rounded down and up, so that adding one and
//! taking it away again leaves no trace. Where the bounds of a sum lie on both sides of 1, whoever
//! admits adds up the exact fractions instead (`Rez::exactly_fits`).

use windfall_time::{Ratio, Span};

/// The whole processor.
const ONE: u128 = 1 << 63;

/// A share or a sum of shares, from below and from above.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bandwidth {
    low: u128,
    high: u128,
}

impl Bandwidth {
    /// `amount` in each `period`; a period of nothing counts as one nanosecond.
    pub(crate) fn of(amount: Span, period: Span) -> Bandwidth {
        let scaled = u128::from(amount.as_nanos()) << 63;
        let period = u128::from(period.as_nanos().max(1));
        Bandwidth { low: scaled / period, high: scaled.div_ceil(period) }
    }

    #[must_use]
    pub(crate) const fn plus(self, other: Bandwidth) -> Bandwidth {
        Bandwidth { low: self.low + other.low, high: self.high + other.high }
    }

    /// Takes away what was added before.
    #[must_use]
    pub(crate) const fn minus(self, other: Bandwidth) -> Bandwidth {
        Bandwidth {
            low: self.low.saturating_sub(other.low),
            high: self.high.saturating_sub(other.high),
        }
    }

    /// Whether it is at most the whole, if that can be told from the bounds.
    pub(crate) const fn fits(self) -> Option<bool> {
        if self.high <= ONE {
            Some(true)
        } else if self.low > ONE {
            Some(false)
        } else {
            None
        }
    }

    /// Whether it is surely at most another.
    pub(crate) const fn fits_within(self, other: Bandwidth) -> bool {
        self.high <= other.high && self.low <= other.low
    }

    /// What is surely left of the whole.
    pub(crate) fn left(self) -> Ratio {
        let left = ONE.saturating_sub(self.high);
        let ratio = i128::try_from(left).ok().and_then(|left| Ratio::new(left, 1 << 63));
        ratio.unwrap_or(Ratio::ZERO)
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
        assert_eq!(half.plus(half).fits(), Some(true));
        let third = share(1, 3);
        assert_eq!(third.plus(third).plus(third).fits(), None);
        assert_eq!(third.plus(third).plus(half).fits(), Some(false));
        assert_eq!(third.plus(half).minus(third), half);
        assert_eq!(half.left(), Ratio::new(1, 2).unwrap());
    }

    #[test]
    fn limit_the_longest_spans_do_not_overflow() {
        assert_eq!(share(u64::MAX, u64::MAX).fits(), Some(true));
        assert_eq!(share(u64::MAX, 0).fits(), Some(false));
    }
}
