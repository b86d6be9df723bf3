//! A moment on two clocks: the counter is read before and after the kernel's clock, and the closest of several looks is taken.

use super::Instructions;
use crate::SystemClock;
use windfall_time::Instant;

/// Looks, of which the closest counts: interrupts and cold caches spoil some.
const LOOKS: u32 = 64;

/// A moment on the counter and on CLOCK_MONOTONIC_RAW.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both {
    /// The middle between the counter before and after.
    pub(super) ticks: u64,
    /// What the kernel's clock said.
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
