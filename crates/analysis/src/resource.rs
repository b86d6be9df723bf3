//! A reservation whose amount is still to be found: its period, its kind, and the least amount that
//! holds given work in given windows.
//!
//! Invariant: `amount_for(t, w)` is the least `x` with `supply(x).least(t) >= w`, in closed form.
//! With the work spread over the first m blocks of a window, x is at least w / m, which falls with
//! m; and at least what brings the m-th block to the window's end, which rises with m. The least
//! maximum lies beside the crossing, the root of a quadratic.
//!
//! Sources: Shin and Lee 2003 (periodic resource); Easwaran, Anand and Lee 2007 (explicit deadline);
//! Bini, Buttazzo and others solve the same quadratic for a linear bound: here it only locates
//! the exact step. Read next: `resource_fixed_priority.rs`, `resource_edf.rs`.

use crate::{Supply, SupplyError};
use windfall_time::Span;

/// A reservation of a given kind and period, of any amount.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Resource {
    kind: Kind,
    period: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    /// The deadline by which each period's amount has come.
    ByDeadline(u64),
    Continuous,
}

impl Resource {
    /// The periodic resource model: a basic reservation.
    ///
    /// # Errors
    /// For a period of zero or from 2^63 ns on.
    pub fn periodic(period: Span) -> Result<Resource, SupplyError> {
        Resource::explicit_deadline(period, period)
    }

    /// The explicit-deadline model: each period's amount comes within `deadline` of its start.
    ///
    /// # Errors
    /// Unless `0 < deadline <= period < 2^63 ns`.
    pub fn explicit_deadline(deadline: Span, period: Span) -> Result<Resource, SupplyError> {
        let period = Resource::in_range(period)?;
        match deadline.as_nanos() {
            0 => Err(SupplyError::ZeroDeadline),
            late if late > period => Err(SupplyError::DeadlineAbovePeriod),
            deadline => Ok(Resource { kind: Kind::ByDeadline(deadline), period }),
        }
    }

    /// A continuous reservation, or one block a period.
    ///
    /// # Errors
    /// For a period of zero or from 2^63 ns on.
    pub fn continuous(period: Span) -> Result<Resource, SupplyError> {
        Ok(Resource { kind: Kind::Continuous, period: Resource::in_range(period)? })
    }

    const fn in_range(period: Span) -> Result<u64, SupplyError> {
        match period.as_nanos() {
            0 => Err(SupplyError::ZeroPeriod),
            long if long >= 1 << 63 => Err(SupplyError::TooLong),
            period => Ok(period),
        }
    }

    /// The period.
    #[must_use]
    pub const fn period(&self) -> Span {
        Span::from_nanos(self.period)
    }

    /// The largest amount that there can be: the deadline, or the period.
    #[must_use]
    pub const fn most(&self) -> Span {
        Span::from_nanos(match self.kind {
            Kind::ByDeadline(deadline) => deadline,
            Kind::Continuous => self.period,
        })
    }

    /// Its supply with this amount.
    ///
    /// # Errors
    /// When the amount is above [`Resource::most`].
    pub fn supply(&self, amount: Span) -> Result<Supply, SupplyError> {
        match self.kind {
            Kind::ByDeadline(deadline) => {
                Supply::explicit_deadline(amount, Span::from_nanos(deadline), self.period())
            }
            Kind::Continuous => Supply::continuous(amount, self.period()),
        }
    }

    /// The least amount of which any window of this length holds `work`; `None`, which is an answer and
    /// not an error, when not even [`Resource::most`] does.
    #[must_use]
    pub fn amount_for(&self, window: Span, work: Span) -> Option<Span> {
        self.amount_ns(window.as_nanos(), work.as_nanos()).map(Span::from_nanos)
    }
    /// The least multiple of `granule` whose supply passes a test that every larger supply passes as well; by
    /// halving. `None` when no multiple up to [`Resource::most`] passes.
    pub(crate) fn least_amount(&self, granule: u64, test: impl Fn(&Supply) -> bool) -> Option<u64> {
        let passes = |steps: u64| {
            let supply = self.supply(Span::from_nanos(steps * granule));
            supply.is_ok_and(|supply| test(&supply))
        };
        let most = self.most().as_nanos().checked_div(granule)?;
        // All below `fails` fail; `holds` passes.
        let (mut fails, mut holds) = (0, most);
        if !passes(most) {
            return None;
        }
        while fails < holds {
            let middle = fails + (holds - fails) / 2;
            if passes(middle) { holds = middle } else { fails = middle + 1 }
        }
        Some(holds * granule)
    }

    pub(crate) fn amount_ns(&self, window: u64, work: u64) -> Option<u64> {
        if work == 0 {
            return Some(0);
        }
        let [t, w, y] = [window, work, self.period].map(u128::from);
        // Block m ends `base + (m - 1) y - (pieces + m - 1) x + w` after the window's start, where
        // the work of all m blocks is w; `base - pieces x` is the longest gap.
        let (base, pieces) = match self.kind {
            Kind::ByDeadline(deadline) => (y + u128::from(deadline), 2),
            Kind::Continuous => (y, 1),
        };
        let Some(blocks) = crossing(t + y, base, y, w * (pieces - 1)) else {
            return self.least_amount(1, |supply| {
                supply.window_ns(work).is_some_and(|needed| needed <= window)
            });
        };
        let with = |m: u128| {
            let end = (base + (m - 1) * y + w).saturating_sub(t);
            w.div_ceil(m).max(end.div_ceil(pieces + m - 1))
        };
        let amount = with(blocks.max(1)).min(with(blocks + 1));
        let amount = u64::try_from(amount).ok()?;
        (amount <= self.most().as_nanos()).then_some(amount)
    }
}

/// The whole part of the positive root of `y m^2 + (base - end) m - rest = 0`, where numbers fit.
fn crossing(end: u128, base: u128, y: u128, rest: u128) -> Option<u128> {
    if rest == 0 {
        return end.saturating_sub(base).checked_div(y);
    }
    let linear = end.abs_diff(base);
    let root = match (linear.checked_mul(linear), rest.checked_mul(4 * y)) {
        (Some(square), Some(product)) => square.checked_add(product)?.isqrt(),
        _ => return None,
    };
    let above = if end >= base { root + linear } else { root - linear };
    above.checked_div(2 * y)
}

/// The next multiple of `granule` from `amount` on; `None` past 2^64 or for no granule.
pub(crate) fn round_up(amount: u64, granule: u64) -> Option<u64> {
    amount.checked_next_multiple_of(granule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::any_resource;
    use proptest::prelude::*;

    fn ns(n: u64) -> Span {
        Span::from_nanos(n)
    }

    proptest! {
        #[test]
        fn limit_the_closed_form_is_the_first_amount_that_holds(
            resource in any_resource(80), window in 0..600_u64, work in 0..600_u64,
        ) {
            let slow = (0..=resource.most().as_nanos())
                .find(|x| resource.supply(ns(*x)).unwrap().least(ns(window)) >= ns(work));
            prop_assert_eq!(resource.amount_for(ns(window), ns(work)), slow.map(ns));
        }

        #[test]
        fn limit_beyond_the_closed_form_halving_finds_the_same(
            y in 1..1_u64 << 63, window: u64, work: u64, shift in 0..64_u32,
        ) {
            let (window, work) = (window >> shift, work >> shift);
            for resource in [Resource::periodic(ns(y)), Resource::continuous(ns(y))] {
                let resource = resource.unwrap();
                let slow = resource.least_amount(1, |s| s.least(ns(window)) >= ns(work));
                prop_assert_eq!(resource.amount_ns(window, work), slow);
            }
        }
    }

    #[test]
    fn refuses_periods_of_nothing_or_beyond_the_range() {
        assert_eq!(Resource::periodic(ns(0)), Err(SupplyError::ZeroPeriod));
        assert_eq!(Resource::continuous(ns(0)), Err(SupplyError::ZeroPeriod));
        assert_eq!(Resource::periodic(ns(1 << 63)), Err(SupplyError::TooLong));
        let late = Resource::explicit_deadline(ns(3), ns(2));
        assert_eq!(late, Err(SupplyError::DeadlineAbovePeriod));
        let at_once = Resource::explicit_deadline(ns(0), ns(2));
        assert_eq!(at_once, Err(SupplyError::ZeroDeadline));
    }

    #[test]
    fn accepts_a_deadline_at_the_period_as_the_periodic_model() {
        assert_eq!(Resource::explicit_deadline(ns(2), ns(2)), Resource::periodic(ns(2)));
    }
}
