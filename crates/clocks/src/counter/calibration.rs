//! A moment on two clocks: the counter is read before and after the kernel's clock, and the closest of several looks is taken.

use super::Instructions;
use crate::SystemClock;
use windfall_time::{Instant, Span};

/// Looks, of which the closest counts: interrupts and cold caches spoil some.
const LOOKS: u32 = 64;

/// A moment on the counter and on CLOCK_MONOTONIC_RAW.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both {
    /// The middle between the counter before and after.
    pub(super) ticks: u64,
    /// The reading of the kernel's clock.
    pub(super) at: Instant,
    /// Ticks between both readings of the counter.
    width: u64,
}

impl Both {
    pub(super) fn look(instructions: Instructions) -> Both {
        let look = |_| {
            let before = instructions.ordered().ticks;
            let at = SystemClock::MonotonicRaw.now();
            // A counter that goes backwards is found by what is made of two looks.
            let width = instructions.ordered().ticks.saturating_sub(before);
            Both { ticks: before.saturating_add(width / 2), at, width }
        };
        let first = look(0);
        (1..LOOKS)
            .map(look)
            .fold(first, |one, other| if other.width < one.width { other } else { one })
    }

    /// By how many ticks the middle may be wrong.
    pub(super) const fn doubt(self) -> u64 {
        self.width.div_ceil(2)
    }
}

/// `part` of `whole` in parts of 10^9, rounded up; all of it where that is more or nothing is the whole.
pub(super) fn parts_per_billion(part: u64, whole: u64) -> u64 {
    let parts = (u128::from(part) * 1_000_000_000).div_ceil(u128::from(whole.max(1)));
    u64::try_from(parts.min(1_000_000_000)).expect("at most a thousand million")
}

/// By how many parts in 10^9 `said` is more than `really`, rounded towards zero; `None` where that was no time, or the parts have no number.
pub(super) fn parts_too_many(said: Span, really: Span) -> Option<i64> {
    let (said, really) = (i128::from(said.as_nanos()), i128::from(really.as_nanos()));
    ((said - really) * 1_000_000_000)
        .checked_div(really)
        .and_then(|parts| i64::try_from(parts).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_counter_that_says_more_than_passed_is_too_fast() {
        let [a_second, a_microsecond] = [1_000_000_000, 1_000].map(Span::from_nanos);
        assert_eq!(parts_too_many(a_second + a_microsecond, a_second), Some(1_000));
        assert_eq!(parts_too_many(a_second - a_microsecond, a_second), Some(-1_000));
        assert_eq!(parts_too_many(a_second, Span::ZERO), None);
        assert_eq!(parts_too_many(Span::MAX, Span::from_nanos(1)), None);
    }

    #[test]
    fn law_doubt_is_rounded_up_and_is_all_at_most() {
        let cases = [
            ((1, 1_000_000_000), 1),
            ((1, 1_000_000_001), 1),
            ((0, 5), 0),
            ((6, 5), 1_000_000_000),
            ((3, 0), 1_000_000_000),
        ];
        for ((part, whole), parts) in cases {
            assert_eq!(parts_per_billion(part, whole), parts);
        }
    }
}
