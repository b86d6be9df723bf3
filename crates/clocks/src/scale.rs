//! From ticks to nanoseconds, in integers: a multiplication and a shift.
//!
//! The multiplier has 63 significant bits or all that there are to know, so that rounding it costs less than 1 ns in a hundred years.

use windfall_time::Span;

/// How long a tick is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    multiplier: u64,
    shift: u32,
}

impl Scale {
    /// A tick is a nanosecond.
    pub const NANOSECONDS: Scale = Scale { multiplier: 1 << 63, shift: 63 };

    /// The scale of a clock that ticked `ticks` times in `span`; `None` where either is zero.
    #[must_use]
    pub fn of(ticks: u64, span: Span) -> Option<Scale> {
        if ticks == 0 || span.is_zero() {
            return None;
        }
        // The largest shift whose multiplier has 64 bits: at 0, it is at most the span itself.
        (0..=64).rev().find_map(|shift| {
            let multiplier = (u128::from(span.as_nanos()) << shift) / u128::from(ticks);
            let multiplier = u64::try_from(multiplier).ok()?;
            Some(Scale { multiplier, shift })
        })
    }

    /// How long so many ticks are, rounded down; the longest span for more than 584 years.
    #[must_use]
    #[inline]
    pub fn span(self, ticks: u64) -> Span {
        Span::saturating_from_nanos((u128::from(ticks) * u128::from(self.multiplier)) >> self.shift)
    }

    /// How many whole ticks such a span has, or the most that there are, where it has more.
    #[must_use]
    pub fn saturating_ticks(self, span: Span) -> u64 {
        let ticks =
            (u128::from(span.as_nanos()) << self.shift) / u128::from(self.multiplier.max(1));
        u64::try_from(ticks.min(u128::from(u64::MAX))).expect("not above the most")
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
        self.multiplier as f64 / (1_u128 << self.shift) as f64
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
