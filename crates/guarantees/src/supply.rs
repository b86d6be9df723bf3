//! The least processor time that a guarantee leaves in an interval of a given length.
//!
//! A continuous reservation leaves a gap of at most y - x (lemma 5.2), a basic one of at most 2(y - x)
//! (lemma 5.3); after that both give x in each y, as late as they may. So the least supply of a basic
//! reservation is that of a continuous one in an interval shorter by y - x (Shin and Lee 2003).

use crate::guarantee::Guarantee;
use crate::length::Length;
use windfall_time::Ratio;

/// Whether every interval of a period's length holds the amount.
pub(crate) const fn is_continuous(guarantee: &Guarantee) -> bool {
    matches!(
        guarantee,
        Guarantee::ContinuousHard(..)
            | Guarantee::ContinuousSoft(..)
            | Guarantee::NonPreemptive(..)
            | Guarantee::Synchronized(..)
    )
}

/// The part of a period that a reservation leaves to others.
pub(crate) fn idle(amount: Length, period: Length) -> Option<Length> {
    period.checked_sub(amount)
}

/// The least that a guarantee gives in any interval of that length, its owner being runnable; `None`
/// for one that bounds no interval (`RESU`, `PS`), or when its numbers are too fine.
#[must_use]
pub fn least(guarantee: &Guarantee, interval: Length) -> Option<Length> {
    match *guarantee {
        Guarantee::All => return Some(interval),
        Guarantee::Null => return Some(Length::ZERO),
        Guarantee::BoundedShare(share, error) => {
            let steady = interval.checked_mul(share)?;
            return Some(steady.checked_sub(error).unwrap_or(Length::ZERO));
        }
        _ => {}
    }
    let (x, y) = guarantee.reservation()?;
    let idle = idle(x, y)?;
    let interval = match (is_continuous(guarantee), interval.checked_sub(idle)) {
        (true, _) => interval,
        (false, Some(rest)) => rest,
        (false, None) => return Some(Length::ZERO),
    };
    let periods = interval.over(y)?;
    let whole = Ratio::new(periods.numerator().div_euclid(periods.denominator()), 1)?;
    let rest = interval.checked_sub(y.checked_mul(whole)?)?;
    let last = rest.checked_sub(idle).unwrap_or(Length::ZERO);
    x.checked_mul(whole)?.checked_add(last)
}
