//! The admission test of the resource kernel: whether every reserve gets its amount in each of its periods, if the
//! shortest period goes first and budgets are kept until the end of the period.
//!
//! A budget that is kept until its period's end may be followed at once by the next one. So another reserve of C_j
//! in T_j takes at most `ceil((t + T_j - C_j)/T_j) C_j` of any interval of length t. A reserve of C in T gets C
//! within t if C and the demands of the reserves with no longer a period come to at most t, for some t <= T. Exact
//! for one other reserve, sufficient for more. Monotone: a smaller reserve leaves more to each other.
//!
//! Source: Strosnider, Lehoczky and Sha 1995 (deferrable servers); Bernat and Burns 1999.

use alloc::vec::Vec;
use windfall_time::Span;

/// The most lengths tried for each reserve; if none has decided by then, it is refused.
const STEPS: u32 = 10_000;

/// Whether these reserves, each an amount in a period, fit on one processor.
pub(crate) fn fits(reserves: &[(Span, Span)]) -> bool {
    (0..reserves.len()).all(|own| fits_one(reserves, own))
}

/// An amount for the last of these, which does not fit, with which it would, and with a nanosecond more it would
/// not; zero if there is none.
pub(super) fn less_that_fits(mut reserves: Vec<(Span, Span)>) -> Span {
    let Some((amount, period)) = reserves.pop() else { return Span::ZERO };
    let (mut fitting, mut too_much) = (0, amount.as_nanos());
    while too_much - fitting > 1 {
        let middle = fitting + (too_much - fitting) / 2;
        reserves.push((Span::from_nanos(middle), period));
        let bound = if fits(&reserves) { &mut fitting } else { &mut too_much };
        *bound = middle;
        reserves.pop();
    }
    Span::from_nanos(fitting)
}

fn fits_one(reserves: &[(Span, Span)], own: usize) -> bool {
    let (amount, period) = reserves[own];
    let before = |(at, other): &(usize, &(Span, Span))| *at != own && other.1 <= period;
    let mut length = u128::from(amount.as_nanos());
    for _ in 0..STEPS {
        let others = reserves.iter().enumerate().filter(before);
        let taken = others.map(|(_, other)| most(*other, length)).sum::<u128>();
        let needed = taken + u128::from(amount.as_nanos());
        if needed <= length {
            return true;
        }
        if needed > u128::from(period.as_nanos()) {
            return false;
        }
        length = needed;
    }
    false
}

/// The most that a reserve takes of an interval of that length, or of a slightly longer one during which it
/// continues to take time.
fn most((amount, period): (Span, Span), length: u128) -> u128 {
    let (amount, period) = (u128::from(amount.as_nanos()), u128::from(period.as_nanos()));
    (length + period.saturating_sub(amount)).div_ceil(period.max(1)) * amount
}
