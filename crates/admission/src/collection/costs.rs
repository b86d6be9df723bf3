//! The relation between what collection costs, two limits, and the slots of the free pool.

use super::PoolError;
use windfall_time::Span;

/// The limits on a collection's cost (section 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The longest that a collection may take: the paper's `T_g`.
    pub longest: Span,
    /// The least time from the beginning of a collection to the next: one over the paper's `g`, which is a rate.
    pub apart: Span,
    /// The most slots that the free pool may have.
    pub slots: u32,
}

/// Measured costs of a list that is collected now and then, in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    /// From one slot that is taken to the next, without searches, collections and speculation: execution, and idle time. The paper's `e`.
    pub execution: u64,
    /// The overhead of speculation for each slot that is taken: states that are saved, work that is undone and done again. The paper's `r`.
    pub speculation: u64,
    /// Searches for each slot that is taken, soon after a collection. The paper's `s`, which it takes for constant.
    pub admission: u64,
    /// By how much these take longer for each slot that was taken since the collection.
    pub growth: u64,
    /// A collection that finds nothing, and by how much it makes the first search after it longer.
    pub fixed: u64,
    /// For each slot that is collected: the paper's `k`.
    pub each: u64,
    /// From one slot that can be collected to the next: one over the paper's `n`; `None` if none can.
    pub between: Option<u64>,
}

/// Which of its conditions decides about the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// None: cost is least.
    Cost,
    /// A smaller pool would cost less, but collections would be less than [`Limits::apart`].
    Apart,
    /// A larger pool would cost less, but a collection would take more than [`Limits::longest`].
    Longest,
    /// A larger pool would cost less, but there are only so many [`Limits::slots`].
    Slots,
}

/// How many slots the free pool has: so many are taken between two collections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Pool {
    /// The paper's `x`, at least 1.
    pub slots: u32,
    /// Why not more, or fewer.
    pub bound: Bound,
}

/// The first of 1 to `most` that is so, when all after it are, too.
fn first(most: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut from, mut to) = (1, u64::from(most) + 1);
    while from < to {
        let middle = u32::try_from((from + to) / 2).ok()?;
        if is(middle) { to = u64::from(middle) } else { from = u64::from(middle) + 1 }
    }
    u32::try_from(from).ok().filter(|found| *found <= most)
}

fn pico(span: Span) -> u128 {
    u128::from(span.as_nanos()) * 1_000
}

fn span(pico: u128) -> Span {
    Span::saturating_from_nanos(pico.div_ceil(1_000))
}

impl Costs {
    /// Until `slots` are taken, from the end of a collection on: `x (e + r + s(x))`, in picoseconds.
    #[must_use]
    pub fn until_used_up(&self, slots: u32) -> u128 {
        let slots = u128::from(slots);
        let parts = [self.execution, self.speculation, self.admission];
        let each: u128 = parts.map(u128::from).iter().sum();
        slots * each + slots * slots.saturating_sub(1) / 2 * u128::from(self.growth)
    }

    /// The cost of a collection after `slots` were taken, in picoseconds, rounded up; `None` if slots can be collected faster than it collects.
    ///
    /// Slots become collectable while it collects, too. With C for [`Costs::fixed`] and u for [`Costs::until_used_up`] it takes `c = C + k n (u + c)`.
    #[must_use]
    pub fn collection(&self, slots: u32) -> Option<u128> {
        let fixed = u128::from(self.fixed);
        let Some(between) = self.between else { return Some(fixed) };
        let whole = u128::from(between.checked_sub(self.each).filter(|rest| *rest > 0)?);
        let (value, part) =
            (self.until_used_up(slots).saturating_add(fixed), u128::from(self.each));
        let rest = (value % whole * part).div_ceil(whole);
        Some(fixed.saturating_add((value / whole).saturating_mul(part)).saturating_add(rest))
    }

    /// From the beginning of a collection to the next, in picoseconds, when `slots` are taken between: `(u + C) / (1 - k n)`, rounded up.
    #[must_use]
    pub fn cycle(&self, slots: u32) -> Option<u128> {
        Some(self.until_used_up(slots).saturating_add(self.collection(slots)?))
    }

    /// The pool of least cost: the least x with `x (x + 1) >= 2 C / s1`, where s1 is [`Costs::growth`]; `None` if it is larger than `most`.
    ///
    /// A slot costs `C / x` for collections and `s1 (x - 1) / 2` for longer searches, besides what does not depend on x.
    #[must_use]
    pub fn optimum(&self, most: u32) -> Option<u32> {
        let twice = 2 * u128::from(self.fixed);
        first(most, |slots| {
            let slots = u128::from(slots);
            (slots * (slots + 1)).saturating_mul(u128::from(self.growth)) >= twice
        })
    }

    /// The pool of least cost within the limits.
    ///
    /// Both a collection and the time between two grow with the pool. So the pools within the limits are an interval, and as cost falls up to the optimum and rises from
    /// there, the best one is the optimum, or the end of the interval that is next to it.
    ///
    /// # Errors
    /// If no pool is within the limits: says which cannot be met.
    pub fn pool(&self, limits: &Limits) -> Result<Pool, PoolError> {
        let Limits { longest, apart, slots } = *limits;
        let takes = |slots| self.collection(slots).unwrap_or(u128::MAX);
        if let (None, Some(between)) = (self.collection(1), self.between) {
            let [each, between] = [self.each, between].map(|pico| span(u128::from(pico)));
            return Err(PoolError::Behind { each, between });
        }
        if takes(1) > pico(longest) {
            return Err(PoolError::Longest { longest, least: span(takes(1)) });
        }
        let lasts = |slots| self.cycle(slots).unwrap_or(u128::MAX);
        let Some(least) = first(slots, |slots| lasts(slots) >= pico(apart)) else {
            return Err(PoolError::Apart { apart, slots, most: span(lasts(slots)) });
        };
        if takes(least) > pico(longest) {
            return Err(PoolError::Both { longest, apart, needed: span(takes(least)) });
        }
        let beyond = first(slots, |slots| takes(slots) > pico(longest));
        let (most, bound) = match beyond {
            Some(beyond) => (beyond - 1, Bound::Longest),
            None => (slots, Bound::Slots),
        };
        Ok(match self.optimum(most) {
            None => Pool { slots: most, bound },
            Some(optimum) if optimum < least => Pool { slots: least, bound: Bound::Apart },
            Some(optimum) => Pool { slots: optimum, bound: Bound::Cost },
        })
    }
}
