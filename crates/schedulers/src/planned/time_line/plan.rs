//! A plan that repeats: one block of processor time in each period, always at the same offset.
//!
//! Invariant: no two blocks of a plan overlap; `offset < period`. Places are found by first fit, without moving
//! other blocks (`table.rs`).

use crate::parts::table;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// An amount in each period, at an offset; nothing before `from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    pub(crate) amount: Span,
    pub(crate) period: Span,
    /// From the beginning of a period; less than the period.
    offset: Span,
    from: Instant,
}

impl Block {
    /// The block with the earliest offset that is free beside all others.
    pub(crate) fn place(
        (amount, period): (Span, Span),
        from: Instant,
        others: impl Iterator<Item = Block>,
    ) -> Option<Block> {
        let others: Vec<table::Block> = others.map(|other| other.bare()).collect();
        let found = table::Block::place(&others, (amount, period), None)?;
        Some(Block { amount, period, offset: Span::from_nanos(found.offset), from })
    }

    /// The repeating block, without a beginning.
    const fn bare(&self) -> table::Block {
        let (amount, period) = (self.amount.as_nanos(), self.period.as_nanos());
        table::Block { amount, period, offset: self.offset.as_nanos() }
    }

    /// The end of the block that `now` lies in.
    pub(crate) fn end(&self, now: Instant) -> Option<Instant> {
        let within = self.phase(now);
        let inside = now >= self.from && within < self.amount;
        inside.then(|| now.saturating_add(self.amount.saturating_sub(within)))
    }

    /// The beginning, after `now`, of the next block or of the rest of one.
    pub(crate) fn next(&self, now: Instant) -> Instant {
        if now < self.from && self.end(self.from).is_some() {
            return self.from;
        }
        let now = now.max(self.from);
        now.saturating_add(self.period.saturating_sub(self.phase(now)))
    }

    /// The time in blocks between `from` and `to`.
    pub(crate) fn within(&self, from: Instant, to: Instant) -> Span {
        let until = |t: Instant| {
            let (period, amount) = (self.period.as_nanos(), self.amount.as_nanos());
            let past = u128::from(t.as_nanos()) + u128::from(period - self.offset.as_nanos());
            let whole = past.checked_div(u128::from(period)).unwrap_or(0) * u128::from(amount);
            whole + u128::from(self.phase(t).as_nanos().min(amount))
        };
        let within = until(to).saturating_sub(until(from.max(self.from)));
        Span::saturating_from_nanos(within)
    }

    /// The time since the current period began.
    fn phase(&self, now: Instant) -> Span {
        let (period, offset) = (self.period.as_nanos(), self.offset.as_nanos());
        let now = now.as_nanos().checked_rem(period).unwrap_or(0);
        Span::from_nanos(if now >= offset { now - offset } else { period - (offset - now) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ns(n: u64) -> Span {
        Span::from_nanos(n)
    }

    fn place(amount: u64, period: u64, others: &[Block]) -> Option<Block> {
        Block::place((ns(amount), ns(period)), Instant::ZERO, others.iter().copied())
    }

    /// The slow definition: two blocks overlap if a nanosecond of their common period belongs to both.
    fn meet(a: Block, b: Block) -> bool {
        let common = a.period.as_nanos() * b.period.as_nanos();
        (1000..1000 + common)
            .map(Instant::from_nanos)
            .any(|t| a.end(t).is_some() && b.end(t).is_some())
    }

    #[test]
    fn limit_first_fit_finds_the_first_offset_that_meets_nobody() {
        for (x, y, x2, y2) in
            [(2, 6, 1, 4), (1, 4, 1, 6), (3, 10, 2, 15), (2, 8, 4, 12), (1, 9, 2, 9)]
        {
            for start in 0..y {
                let block = |x: u64, y: u64, offset: u64| {
                    let from = Instant::ZERO;
                    Block { amount: ns(x), period: ns(y), offset: ns(offset), from }
                };
                let one = block(x, y, start);
                let at = |offset: u64| block(x2, y2, offset);
                let slow = (0..y2).map(at).find(|other| !meet(one, *other));
                assert_eq!(place(x2, y2, &[one]), slow, "{x} in {y} from {start}, {x2} in {y2}");
            }
        }
    }

    #[test]
    fn refuses_what_has_no_place_beside_accepts_what_just_has() {
        let mut plan: Vec<Block> = Vec::new();
        for (amount, period) in [(3, 10), (2, 20), (5, 20), (5, 20)] {
            plan.push(place(amount, period, &plan).unwrap());
        }
        assert_eq!(place(3, 20, &plan), None);
        let offsets: Vec<u64> = plan.iter().map(|block| block.offset.as_nanos()).collect();
        assert_eq!(offsets, [0, 3, 5, 13]);
        assert!(place(2, 20, &plan).is_some(), "18 and 19 are free");
        assert_eq!(place(1, 7, &plan), None, "periods without a common divisor always meet");
    }

    #[test]
    fn limit_time_in_blocks_is_the_sum_of_its_nanoseconds() {
        let from = Instant::from_nanos(13);
        let block = Block { amount: ns(3), period: ns(7), offset: ns(5), from };
        for from in 0..30 {
            for to in from..40 {
                let inside = |t: &u64| block.end(Instant::from_nanos(*t)).is_some();
                let slow = (from..to).filter(inside).count();
                let within = block.within(Instant::from_nanos(from), Instant::from_nanos(to));
                assert_eq!(within.as_nanos(), slow as u64);
            }
            let begins = |t: &u64| {
                let inside = |t: u64| block.end(Instant::from_nanos(t)).is_some();
                inside(*t) && !inside(t - 1)
            };
            let next = block.next(Instant::from_nanos(from)).as_nanos();
            assert_eq!(Some(next), (from + 1..60).find(begins));
        }
    }
}
