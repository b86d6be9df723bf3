//! Blocks of fixed length at fixed offsets in fixed periods, no two of which ever collide.
//!
//! Exact: two blocks x in y at offset a and x' in y' at a' never collide if and only if, with g the greatest common
//! divisor of y and y', a' is at least x after a and a at least x' after a', modulo g. For every difference of a' +
//! i y' and a + j y is congruent to a' - a, and each congruent one occurs.

use windfall_time::{Instant, Span};

/// The largest number of steps in the search for an offset.
const STEPS: u32 = 100_000;

/// A block: `amount` from `offset + i period` on, for every whole i.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    pub(crate) amount: u64,
    pub(crate) period: u64,
    pub(crate) offset: u64,
}

impl Block {
    /// A block that begins at a moment or, without one, at the first offset where it collides with none of
    /// `others`. `None` if there is no such place.
    pub(crate) fn place(
        others: &[Block],
        (amount, period): (Span, Span),
        at: Option<Instant>,
    ) -> Option<Block> {
        let (amount, period) = (amount.as_nanos(), period.as_nanos());
        if amount == 0 || amount > period {
            return None;
        }
        let first = at.map_or(0, |at| at.as_nanos() % period);
        let mut block = Block { amount, period, offset: first };
        for _ in 0..STEPS {
            let mut push = 0;
            for other in others {
                push = block.push(other)?.max(push);
            }
            if push == 0 {
                return Some(block);
            }
            block.offset = block.offset.checked_add(push).filter(|offset| *offset < period)?;
            if at.is_some() {
                return None;
            }
        }
        None
    }

    /// How much later the block would have to begin so that it never collides with the other; `None` if it always
    /// would.
    fn push(&self, other: &Block) -> Option<u64> {
        let g = gcd(self.period, other.period);
        if u128::from(self.amount) + u128::from(other.amount) > u128::from(g) {
            return None;
        }
        let (ours, theirs) = (self.offset % g, other.offset % g);
        let after = if ours >= theirs { ours - theirs } else { g - (theirs - ours) };
        let free = after >= other.amount && g - after >= self.amount;
        let apart = u128::from(g) + u128::from(other.amount) - u128::from(after);
        Some(if free {
            0
        } else {
            u64::try_from(apart % u128::from(g)).expect("below a divisor of 64 bits")
        })
    }

    /// The end of the block that contains `now`.
    pub(crate) fn end(&self, now: Instant) -> Option<Instant> {
        let within = self.within(now);
        let rest = self.amount.checked_sub(within).filter(|rest| *rest > 0)?;
        Some(now.saturating_add(Span::from_nanos(rest)))
    }

    /// The beginning of the first block after `now`.
    pub(crate) fn next(&self, now: Instant) -> Instant {
        now.saturating_add(Span::from_nanos(self.period - self.within(now)))
    }

    /// The end of the first block that overlaps the given time from `start` on; `None` if none does.
    pub(crate) fn after(&self, start: Instant, time: Span) -> Option<Instant> {
        let within = self.within(start);
        let ahead = match within < self.amount {
            true => self.amount - within,
            false if self.period - within < time.as_nanos() => {
                (self.period - within).saturating_add(self.amount)
            }
            false => return None,
        };
        Some(start.saturating_add(Span::from_nanos(ahead)))
    }

    fn within(&self, now: Instant) -> u64 {
        let now = u128::from(now.as_nanos()) + u128::from(self.period - self.offset);
        u64::try_from(now % u128::from(self.period)).expect("below a period of 64 bits")
    }
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
