//! The supply of each guarantee of the language (HLS 5.2.2).
//!
//! A guarantee's lengths are exact rationals; a supply's are whole nanoseconds. Amounts are rounded
//! down, periods and errors up, shares down below 2^64: so the supply never exceeds the promise,
//! and for whole nanoseconds it is exact.

use crate::Supply;
use windfall_guarantees::{Guarantee, Length};
use windfall_time::{Ratio, Span};

impl From<&Guarantee> for Supply {
    /// The least time that the guarantee promises in any window in which its owner is runnable.
    ///
    /// Hard and soft supply the same at least; a probabilistic reservation's partition is no promise;
    /// `PS` bounds no window. `RESU` counts between its owner's own deadlines only. A guarantee that
    /// is beyond the range of whole nanoseconds, or promises more than it is possible to keep,
    /// supplies nothing.
    fn from(guarantee: &Guarantee) -> Supply {
        match *guarantee {
            Guarantee::All => Some(Supply::all()),
            Guarantee::Slower(share) => shared(share, Length::ZERO),
            Guarantee::BoundedShare(share, error) => shared(share, error),
            Guarantee::BasicHard(amount, period)
            | Guarantee::BasicSoft(amount, period)
            | Guarantee::Probabilistic(amount, period, _) => {
                rounded(amount, period).and_then(|(x, y)| Supply::basic(x, y).ok())
            }
            Guarantee::ContinuousHard(amount, period)
            | Guarantee::ContinuousSoft(amount, period)
            | Guarantee::NonPreemptive(amount, period)
            | Guarantee::Synchronized(amount, period, _) => {
                rounded(amount, period).and_then(|(x, y)| Supply::continuous(x, y).ok())
            }
            Guarantee::Share(_) | Guarantee::Null => None,
        }
        .unwrap_or(Supply::nothing())
    }
}

/// No more in no shorter a period; all of a period that is not whole is still all of it.
fn rounded(amount: Length, period: Length) -> Option<(Span, Span)> {
    let whole = if amount == period { period.ceil()? } else { amount.floor()? };
    Some((whole, period.ceil()?))
}

fn shared(share: Ratio, error: Length) -> Option<Supply> {
    let (mut above, mut below) = (share.numerator(), share.denominator());
    while below > i128::from(u64::MAX) {
        // Halved and rounded towards less: floor above, more than half below.
        (above, below) = (above / 2, below / 2 + 1);
    }
    Supply::share(Ratio::new(above, below)?, error.ceil()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn length(above: u64, below: u64) -> Length {
        Length::from_nanos(Ratio::new(above.into(), below.into()).unwrap()).unwrap()
    }

    /// The gap, then blocks, in exact rationals: what the rounded supply must not exceed.
    fn exact_blocks(gap: Ratio, amount: Ratio, period: Ratio, window: u64) -> Ratio {
        let mut start = gap;
        let (window, mut sum) = (Ratio::whole(window), Ratio::ZERO);
        while start < window {
            let held = window.checked_sub(start).unwrap().min(amount);
            sum = sum.checked_add(held).unwrap();
            start = start.checked_add(period).unwrap();
        }
        sum
    }

    proptest! {
        #[test]
        fn law_rounding_never_supplies_more(
            (period, amount) in (2..200_u64).prop_flat_map(|y| (Just(y), 1..=y)),
            below in 1..7_u64, window in 0..300_u64,
        ) {
            let (x, y) = (length(amount, below), length(period, below));
            let slack = y.checked_sub(x).unwrap().as_nanos();
            let double = slack.checked_add(slack).unwrap();
            let cases = [(Guarantee::BasicSoft(x, y), double), (Guarantee::NonPreemptive(x, y), slack)];
            for (guarantee, gap) in cases {
                let exact = exact_blocks(gap, x.as_nanos(), y.as_nanos(), window);
                let least = Supply::from(&guarantee).least(Span::from_nanos(window));
                let least = Ratio::whole(least.as_nanos());
                prop_assert!(least <= exact, "{guarantee:?}: {least:?} {exact:?}");
                prop_assert!(below > 1 || least == exact);
            }
        }

        #[test]
        fn law_shares_of_any_size_are_rounded_down(
            below in 1..i128::MAX, above: u64, window: u64, error in 0..100_u64,
        ) {
            prop_assume!(i128::from(above) <= below);
            let share = Ratio::new(above.into(), below).unwrap();
            let guarantee = Guarantee::BoundedShare(share, length(error, 1));
            let least = Supply::from(&guarantee).least(Span::from_nanos(window >> 8));
            // least <= share * window, compared by quotients: the exact product need not fit.
            let bound = i128::from(above).checked_mul((window >> 8).into()).unwrap() / below;
            prop_assert!(i128::from(least.as_nanos()) <= bound);
        }
    }

    #[test]
    fn law_a_share_just_below_one_half_does_not_become_one_half() {
        let share = Ratio::new((1 << 100) - 1, 1 << 101).unwrap();
        let supply = Supply::from(&Guarantee::Slower(share));
        assert_eq!(supply.least(Span::from_nanos(2)), Span::ZERO);
        assert_eq!(supply.least(Span::from_nanos(3)), Span::from_nanos(1));
    }

    #[test]
    fn limit_each_type_supplies_what_its_words_say() {
        let [x, y] = [3_u64, 8].map(|n| length(n, 1));
        let half = Ratio::new(1, 2).unwrap();
        let spans = [3, 8].map(Span::from_nanos);
        let basic = Supply::basic(spans[0], spans[1]).unwrap();
        let continuous = Supply::continuous(spans[0], spans[1]).unwrap();
        let cases = [
            (Guarantee::All, Supply::all()),
            (Guarantee::Slower(half), Supply::share(half, Span::ZERO).unwrap()),
            (Guarantee::BasicHard(x, y), basic),
            (Guarantee::BasicSoft(x, y), basic),
            (Guarantee::Probabilistic(x, y, x), basic),
            (Guarantee::ContinuousHard(x, y), continuous),
            (Guarantee::ContinuousSoft(x, y), continuous),
            (Guarantee::NonPreemptive(x, y), continuous),
            (Guarantee::Synchronized(x, y, x), continuous),
            (Guarantee::BoundedShare(half, x), Supply::share(half, spans[0]).unwrap()),
            (Guarantee::Share(half), Supply::nothing()),
            (Guarantee::Null, Supply::nothing()),
        ];
        for (guarantee, supply) in cases {
            assert_eq!(Supply::from(&guarantee), supply, "{guarantee:?}");
        }
    }

    #[test]
    fn refuses_to_supply_more_than_there_is() {
        let [x, y] = [9_u64, 8].map(|n| length(n, 1));
        let twice = Ratio::whole(2);
        for guarantee in [Guarantee::BasicSoft(x, y), Guarantee::Slower(twice)] {
            assert_eq!(Supply::from(&guarantee), Supply::nothing());
        }
    }
}
