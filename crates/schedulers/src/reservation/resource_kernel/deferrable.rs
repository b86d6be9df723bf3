//! Whether every reserve gets its amount in each of its periods when the shortest period goes first
//! and budgets are kept until the end of the period.
//!
//! A budget kept until its period's end may be followed at once by the next: another reserve of C_j in
//! T_j takes at most `ceil((t + T_j - C_j)/T_j) C_j` of any interval of length t. So a reserve of C in T
//! gets C within t if C and what those of no longer a period take come to at most t, for some t <= T.
//! Exact for one other, sufficient for more. Monotone: who reserves less leaves more to each other.
//!
//! Source: Strosnider, Lehoczky and Sha 1995 (deferrable servers); Bernat and Burns 1999.

use windfall_time::Span;

/// So many lengths are tried at most for each; what is not answered by then is refused.
const STEPS: u32 = 10_000;

/// Whether all of these, amount and period, fit on one processor.
pub(crate) fn fits(reserves: &[(Span, Span)]) -> bool {
    (0..reserves.len()).all(|own| fits_one(reserves, own))
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

/// The most that a reserve takes of an interval of that length, or of one a little longer in which
/// it goes on taking.
fn most((amount, period): (Span, Span), length: u128) -> u128 {
    let (amount, period) = (u128::from(amount.as_nanos()), u128::from(period.as_nanos()));
    (length + period.saturating_sub(amount)).div_ceil(period.max(1)) * amount
}
