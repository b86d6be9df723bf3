//! The allowance of a share in the long run (`PS s`): how far it may be behind at the end of a runnable stretch.
//!
//! `PS s` itself bounds no stretch (HLS 5.2.2.4), but the scheduler that gives it has a bound in its own quanta, errors and
//! warps. The checker carries that along beside each `PS`, so that a run can be judged by it.

use crate::length::Length;
use windfall_time::{Ratio, Span};

/// The most by which a `PS` guarantee may be behind: in a stretch of length L, `PS s` means at
/// least `s L` less the sum of these parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Allowance {
    /// Always.
    pub fixed: Length,
    /// `3 sqrt(L lots)`: where lots are drawn for quanta of this length, six standard deviations; and where
    /// nothing bounds what the naps of a scheduler's own virtual processors cost it.
    pub lots: Length,
    /// This part of what was received in earlier stretches: on several processors a child may run ahead
    /// while others sleep, and waits for them later.
    pub before: Ratio,
    /// This part of the time since the origin of time at which the stretch begins: the same for a
    /// virtual processor above.
    pub since: Ratio,
}

impl Allowance {
    /// None.
    pub const ZERO: Allowance = Allowance::fixed(Length::ZERO);

    /// A fixed error.
    #[must_use]
    pub const fn fixed(fixed: Length) -> Allowance {
        Allowance { fixed, lots: Length::ZERO, before: Ratio::ZERO, since: Ratio::ZERO }
    }

    /// The allowance for lots drawn for quanta of that length.
    #[must_use]
    pub fn lots(quantum: Span) -> Allowance {
        Allowance { lots: quantum.into(), ..Allowance::ZERO }
    }

    /// Both together; `None` when it is too fine.
    #[must_use]
    pub fn checked_add(self, other: Allowance) -> Option<Allowance> {
        let lots = match (self.lots.is_zero(), other.lots.is_zero()) {
            (true, _) => other.lots,
            (_, true) => self.lots,
            // The root of twice the sum is at least the sum of the roots.
            _ => self.lots.checked_add(other.lots)?.checked_mul(Ratio::whole(2))?,
        };
        Some(Allowance {
            fixed: self.fixed.checked_add(other.fixed)?,
            lots,
            before: self.before.checked_add(other.before)?,
            since: self.since.checked_add(other.since)?,
        })
    }

    /// The allowance of a child to which this part of its parent's shortfall falls; `None` if a
    /// number becomes too fine.
    #[must_use]
    pub fn part(self, part: Ratio) -> Option<Allowance> {
        Some(Allowance {
            fixed: self.fixed.checked_mul(part)?,
            lots: self.lots.checked_mul(part)?.checked_mul(part)?,
            before: Ratio::ZERO,
            // What the parent had before is no more than the time before.
            since: self.since.checked_add(self.before)?.checked_mul(part)?,
        })
    }

    /// For a stretch of that length, after so much time and service; all in nanoseconds. Rounded up;
    /// `None` when it does not fit, and then everything is allowed.
    #[must_use]
    pub fn of(&self, span: u64, since: u64, before: u64) -> Option<Length> {
        let lots = u128::from(self.lots.ceil()?.as_nanos());
        let square = u128::from(span).checked_mul(lots)?.checked_mul(9)?;
        let root = square.isqrt();
        let root = root + u128::from(root * root < square);
        let root = Length::from(Span::from_nanos(u64::try_from(root).ok()?));
        let of = |part: Ratio, ns: u64| Length::from(Span::from_nanos(ns)).checked_mul(part);
        // In whole nanoseconds: sums of many fractions are soon too fine.
        let whole = |length: Length| length.ceil().map(Length::from);
        let parts = [self.fixed, of(self.before, before)?, of(self.since, since)?];
        parts.into_iter().try_fold(root, |sum, part| sum.checked_add(whole(part)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn ms(ms: u32) -> Length {
        Span::from_millis(ms).into()
    }

    #[test]
    fn the_parts_add_up() {
        let half = Ratio::new(1, 2).unwrap();
        let all = Allowance { fixed: ms(3), lots: ms(1), before: half, since: half };
        assert_eq!(all.of(100 * MS, 10 * MS, 4 * MS), Some(ms(3 + 30 + 2 + 5)));
        assert_eq!(Allowance::ZERO.of(100 * MS, 10 * MS, 4 * MS), Some(Length::ZERO));
    }

    #[test]
    fn law_two_lots_allow_no_less_than_each_alone_together() {
        let (a, b) = (Allowance::lots(Span::from_millis(4)), Allowance::lots(Span::from_millis(9)));
        let both = a.checked_add(b).unwrap().of(1_000 * MS, 0, 0).unwrap();
        let each = [a, b].map(|one| one.of(1_000 * MS, 0, 0).unwrap());
        assert!(both >= each[0].checked_add(each[1]).unwrap());
    }
}
