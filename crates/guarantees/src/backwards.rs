//! Finds the reservation to request for a wanted guarantee: theorems 5.2, 5.5 and 5.6 backwards.
//!
//! Invariant: the wanted guarantee follows by [`rewrite`](crate::rewrite) from `RESBH x y`, and
//! from `RESBS x y` unless it is itself hard. Amounts are rounded up and periods down, to whole
//! nanoseconds; among all reservations that are enough, it finds the one with the longest period,
//! which leaves the scheduler the most freedom, but for `PS`, where any period would do.

use crate::guarantee::Guarantee;
use crate::length::Length;
use windfall_time::{Ratio, Span};

/// The period for a share that is asked for over no particular time.
const LONG_RUN: Span = Span::from_millis(100);

/// Amount and period of a basic reservation from which a guarantee follows; `None` when it follows
/// from none, or when its numbers fit into no span.
#[must_use]
pub fn basic_for(wanted: &Guarantee) -> Option<(Span, Span)> {
    let (amount, period) = match *wanted {
        Guarantee::BasicHard(x, y) => (x.to_span()?, y.to_span()?),
        Guarantee::BasicSoft(x, y) | Guarantee::Probabilistic(x, y, _) => match y.to_span() {
            Some(period) => (x.ceil()?, period),
            None => continuous(x, y)?,
        },
        Guarantee::ContinuousSoft(x, y) => continuous(x, y)?,
        Guarantee::BoundedShare(share, error) => {
            let period = bounded(share, error)?;
            (part(share, period)?, period)
        }
        Guarantee::Share(share) => (part(share, LONG_RUN)?, LONG_RUN),
        _ => return None,
    };
    (!amount.is_zero() && amount <= period).then_some((amount, period))
}

/// Theorem 5.2: x in every interval of length y needs x in a period p with 2p - x <= y.
fn continuous(x: Length, y: Length) -> Option<(Span, Span)> {
    let amount = x.ceil()?;
    let twice = y.checked_add(Length::from(amount))?;
    Some((amount, twice.checked_div(Ratio::whole(2))?.floor()?))
}

/// Theorem 5.5: the period p of a reservation of s p, which falls behind by 2 s (p - s p).
fn bounded(share: Ratio, error: Length) -> Option<Span> {
    if share >= Ratio::ONE {
        return Some(LONG_RUN);
    }
    let slope = share.checked_mul(Ratio::ONE.checked_sub(share)?)?.checked_mul(Ratio::whole(2))?;
    error.checked_div(slope)?.floor()
}

fn part(share: Ratio, period: Span) -> Option<Span> {
    Length::from(period).checked_mul(share)?.ceil()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite;
    use proptest::prelude::*;

    fn wanted() -> impl Strategy<Value = Guarantee> {
        let length = |unit: u64| {
            (1_u64..5_000, 1_i128..4).prop_map(move |(n, below)| {
                let nanos = Ratio::new(i128::from(n * unit), below).unwrap();
                Length::from_nanos(nanos).unwrap()
            })
        };
        let unit = prop::sample::select(alloc::vec![1, 7, 1_000, 333_333]);
        let share =
            (1_i128..60, 1_i128..60).prop_map(|(a, b)| Ratio::new(a.min(b), a.max(b)).unwrap());
        let two = unit.prop_flat_map(move |unit| (length(unit), length(unit)));
        (0..6, two, share).prop_map(|(kind, (a, b), share)| {
            let (x, y) = (a.min(b), a.max(b));
            match kind {
                0 => Guarantee::BasicHard(x, y),
                1 => Guarantee::BasicSoft(x, y),
                2 => Guarantee::ContinuousSoft(x, y),
                3 => Guarantee::Probabilistic(x, y, Length::ZERO),
                4 => Guarantee::BoundedShare(share, y),
                _ => Guarantee::Share(share),
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn law_what_is_wanted_follows_from_what_is_asked_for(wanted in wanted()) {
            let Some((amount, period)) = basic_for(&wanted) else {
                // Whole nanoseconds are too coarse only for what is very short, or hard.
                let hard = matches!(wanted, Guarantee::BasicHard(..));
                let short = wanted.reservation().is_some_and(|(x, y)| {
                    y.checked_sub(x).unwrap() < Length::from(Span::from_nanos(2))
                });
                let tight = matches!(wanted, Guarantee::BoundedShare(..))
                    && bounded(wanted.share().unwrap(), error(&wanted)).unwrap().is_zero();
                prop_assert!(hard || short || tight, "{wanted}");
                return Ok(());
            };
            let (x, y) = (Length::from(amount), Length::from(period));
            let from = Guarantee::BasicHard(x, y);
            prop_assert!(rewrite(&from, &wanted).is_ok(), "{from} is not {wanted}");
            if !wanted.is_hard() {
                let from = Guarantee::BasicSoft(x, y);
                prop_assert!(rewrite(&from, &wanted).is_ok(), "{from} is not {wanted}");
            }
        }
    }

    fn error(wanted: &Guarantee) -> Length {
        match wanted {
            Guarantee::BoundedShare(_, error) => *error,
            _ => Length::ZERO,
        }
    }

    #[test]
    fn paper_theorems_5_2_and_5_5_backwards() {
        let ask = |text: &str| {
            let (amount, period) = basic_for(&text.parse().unwrap()).unwrap();
            alloc::format!("{amount} in {period}")
        };
        assert_eq!(ask("RESCS 10ms 30ms"), "10ms in 20ms");
        assert_eq!(ask("PSBE 1/2 5ms"), "5ms in 10ms");
        assert_eq!(ask("PS 1/4"), "25ms in 100ms");
        assert_eq!(ask("RESPS 5ms 33ms 10ms"), "5ms in 33ms");
        for text in ["ALL", "RESU 1/2", "RESCH 1ms 2ms", "RESNH 1ms 2ms", "RESSH 1ms 2ms 0ms"] {
            assert_eq!(basic_for(&text.parse().unwrap()), None, "{text}");
        }
    }
}
