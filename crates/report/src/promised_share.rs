//! The processor share that a promise's text amounts to, for drawing a promise beside the time received.
//!
//! Invariant: a text that is no guarantee gives nothing, never a guess.

use windfall_guarantees::Guarantee;
use windfall_time::{Ratio, Span};

/// The long-run share of one processor that `text` promises: 3/10 for `RESBH 3ms 10ms` and for
/// `PSBE 3/10 35ms`, 1 for `ALL`; `None` for `NULL` and whatever names no share.
pub(crate) fn share(text: &str) -> Option<Ratio> {
    let guarantee: Guarantee = text.parse().ok()?;
    guarantee.share().filter(|share| !share.is_zero())
}

/// `share` of `span`, in nanoseconds rounded down; `None` past the range.
pub(crate) fn part(share: Ratio, span: Span) -> Option<Span> {
    let product = share.numerator().checked_mul(i128::from(span.as_nanos()))?;
    let nanos = product.checked_div(share.denominator())?;
    u64::try_from(nanos).ok().map(Span::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_amount_and_period_is_their_quotient() {
        assert_eq!(share("RESBH 3ms 10ms"), Ratio::new(3, 10));
        assert_eq!(share("PSBE 3/10 35ms"), Ratio::new(3, 10));
        assert_eq!(share("RESU 0.25"), Ratio::new(1, 4));
        assert_eq!(share("ALL"), Ratio::new(1, 1));
    }

    #[test]
    fn refuses_to_guess_a_share() {
        for text in ["", "NULL", "RT 5", "RESBH", "RESBH 3ms", "RESBH 3ms 0s", "best 3ms 10ms"] {
            assert_eq!(share(text), None, "{text}");
        }
    }

    #[test]
    fn part_rounds_down() {
        let third = Ratio::new(1, 3).unwrap();
        assert_eq!(part(third, Span::from_nanos(100)), Some(Span::from_nanos(33)));
    }
}
