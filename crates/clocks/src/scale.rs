//! From ticks to nanoseconds, in integers: a multiplication of 64 by 64 bits and a shift by 64.
//!
//! A tick is a whole number of nanoseconds and a fraction of one, in 2^-64 ns; rounding that costs less than 1 ns in a hundred years.

use windfall_time::Span;

/// How long a tick is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    /// Nanoseconds of a tick, rounded down: 0 for counters above 1 GHz.
    whole: u64,
    /// The rest, in 2^-64 ns.
    fraction: u64,
}

impl Scale {
    /// A tick is a nanosecond.
    pub const NANOSECONDS: Scale = Scale { whole: 1, fraction: 0 };

    /// The scale of a clock that ticked `ticks` times in `span`; `None` where either is zero.
    #[must_use]
    pub fn of(ticks: u64, span: Span) -> Option<Scale> {
        let nanos = span.as_nanos();
        let whole = nanos.checked_div(ticks).filter(|_| nanos > 0)?;
        let fraction = (u128::from(nanos % ticks) << 64) / u128::from(ticks);
        Some(Scale { whole, fraction: u64::try_from(fraction).expect("the rest is less than all") })
    }

    /// How long so many ticks are, rounded down; the longest span for more than 584 years.
    #[must_use]
    #[inline]
    pub const fn span(self, ticks: u64) -> Span {
        let part = ((ticks as u128 * self.fraction as u128) >> 64) as u64;
        if self.whole == 0 {
            return Span::from_nanos(part); // every counter above 1 GHz
        }
        Span::from_nanos(ticks.saturating_mul(self.whole).saturating_add(part))
    }

    /// How many whole ticks such a span has, or the most that there are, where it has more.
    #[must_use]
    pub fn saturating_ticks(self, span: Span) -> u64 {
        let tick = u128::from(self.whole) << 64 | u128::from(self.fraction);
        let ticks = (u128::from(span.as_nanos()) << 64).checked_div(tick);
        ticks.and_then(|ticks| u64::try_from(ticks).ok()).map_or(u64::MAX, |ticks| ticks)
    }

    /// Nanoseconds of a statistic that is in ticks, such as a mean; negative as that is.
    #[must_use]
    pub fn nanos(self, ticks: f64) -> f64 {
        ticks * self.tick()
    }

    /// Nanoseconds of a tick, for statistics.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "statistics; integers decide elsewhere")]
    pub fn tick(self) -> f64 {
        self.whole as f64 + self.fraction as f64 / (1_u128 << 64) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The definition, in 256 bits' worth of care: ticks * span / of, rounded down, or one less.
        #[test]
        fn law_conversion_is_the_ratio_to_a_nanosecond_in_a_century(
            of in 1_000_000_u64..10_000_000_000,
            ns in 1_000_000_u64..10_000_000_000,
            ticks in 0_u64..1 << 61,
        ) {
            let scale = Scale::of(of, Span::from_nanos(ns)).unwrap();
            let exact = u128::from(ticks) * u128::from(ns) / u128::from(of);
            let got = u128::from(scale.span(ticks).as_nanos());
            let whole = exact.min(u128::from(u64::MAX));
            prop_assert!(got <= whole && whole - got <= 2 + (exact >> 61), "{got} {exact}");
        }

        #[test]
        fn law_more_ticks_are_never_less_time(of in 1_u64.., ns in 1_u64.., a: u64, b: u64) {
            if let Some(scale) = Scale::of(of, Span::from_nanos(ns)) {
                prop_assert!(scale.span(a.min(b)) <= scale.span(a.max(b)));
            }
        }
    }

    #[test]
    fn accepts_the_ends_of_the_range() {
        let second = Span::from_secs(1);
        assert_eq!(Scale::of(0, second), None);
        assert_eq!(Scale::of(1, Span::ZERO), None);
        assert_eq!(Scale::NANOSECONDS.span(u64::MAX), Span::MAX);
        assert_eq!(Scale::of(1, Span::MAX).unwrap().span(1), Span::MAX);
        assert_eq!(Scale::of(1, Span::MAX).unwrap().span(2), Span::MAX);
        assert_eq!(Scale::of(u64::MAX, Span::from_nanos(1)).unwrap().span(1), Span::ZERO);
        let arm = Scale::of(24_000_000, second).unwrap();
        assert_eq!(arm.span(24_000_000 * 3_600).as_nanos(), 3_600_000_000_000 - 1);
        assert_eq!(arm.saturating_ticks(Span::from_nanos(1_000)), 24);
        assert_eq!(
            Scale::of(u64::MAX, Span::from_nanos(1)).unwrap().saturating_ticks(second),
            u64::MAX
        );
        assert!((arm.nanos(3.0) - 125.0).abs() < 1e-9);
    }
}
