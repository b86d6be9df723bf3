//! Supply bound functions against their slow definition: the worst of all placements.
//!
//! A placement says for each nanosecond whether the owner has the processor. For small parameters
//! all of them are tried (by dynamic programming over the phase of a window in its periods), so the
//! closed forms are compared with what the guarantee's words say and with nothing else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use windfall_analysis::{Supply, SupplyError};
use windfall_time::{Ratio, Span};

fn ns(n: u64) -> Span {
    Span::from_nanos(n)
}

/// All ways to place exactly `amount` among the first `deadline` of `period` nanoseconds.
fn placements(amount: u32, deadline: u32, period: u32) -> Vec<Vec<bool>> {
    (0..1_u32 << deadline)
        .filter(|bits| bits.count_ones() == amount)
        .map(|bits| (0..period).map(|at| at < deadline && bits >> at & 1 == 1).collect())
        .collect()
}

/// The least time in any window of length `window`, when each period holds one of `choices`
/// independently of the others: the window starts anywhere in a first period.
fn worst_of_independent(choices: &[Vec<bool>], period: usize, window: usize) -> usize {
    let within = |from: usize, to: usize| {
        choices.iter().map(|c| c[from..to].iter().filter(|b| **b).count()).min().unwrap()
    };
    (0..period)
        .map(|phase| {
            let first = window.min(period - phase);
            let rest = window - first;
            within(phase, phase + first)
                + rest / period * within(0, period)
                + within(0, rest % period)
        })
        .min()
        .unwrap()
}

/// The least time in any window of length `window` over all placements in which every window of
/// length `period` holds at least `amount`: shortest path over the last `period` nanoseconds.
fn worst_of_continuous(amount: u32, period: u32, window: usize) -> usize {
    let states = 1_usize << period;
    let lawful = |state: usize| state.count_ones() >= amount;
    // Any lawful history can come before the window.
    let mut least: Vec<Option<usize>> = (0..states).map(|s| lawful(s).then_some(0)).collect();
    for _ in 0..window {
        let mut next = vec![None; states];
        for (state, cost) in least.iter().enumerate() {
            for bit in 0..2 {
                let after = (state << 1 | bit) % states;
                if let (Some(cost), true) = (cost, lawful(after)) {
                    let cost = cost + bit;
                    if next[after].is_none_or(|known| cost < known) {
                        next[after] = Some(cost);
                    }
                }
            }
        }
        least = next;
    }
    least.into_iter().flatten().min().unwrap()
}

#[test]
fn limit_explicit_deadline_is_the_worst_of_all_placements() {
    for period in 1..=7_u32 {
        for deadline in 1..=period {
            for amount in 0..=deadline {
                let supply = Supply::explicit_deadline(
                    ns(amount.into()),
                    ns(deadline.into()),
                    ns(period.into()),
                );
                let choices = placements(amount, deadline, period);
                for window in 0..=4 * period {
                    let slow = worst_of_independent(&choices, period as usize, window as usize);
                    let fast = supply.unwrap().least(ns(window.into()));
                    assert_eq!(fast, ns(slow as u64), "{amount} {deadline} {period} {window}");
                }
            }
        }
    }
}

#[test]
fn limit_continuous_is_the_worst_of_all_placements() {
    for period in 1..=6_u32 {
        for amount in 0..=period {
            let supply = Supply::continuous(ns(amount.into()), ns(period.into())).unwrap();
            for window in 0..=4 * period {
                let slow = worst_of_continuous(amount, period, window as usize);
                let fast = supply.least(ns(window.into()));
                assert_eq!(fast, ns(slow as u64), "{amount} {period} {window}");
            }
        }
    }
}

#[test]
fn limit_one_block_a_period_supplies_as_a_continuous_reservation() {
    for period in 1..=9_u64 {
        for amount in 0..=period {
            let supply = Supply::continuous(ns(amount), ns(period)).unwrap();
            for window in 0..=4 * period {
                let runs = |at: u64| u64::from(at % period < amount);
                let at_phase = |phase: u64| (phase..phase + window).map(runs).sum::<u64>();
                let slow = (0..period).map(at_phase).min().unwrap();
                assert_eq!(supply.least(ns(window)), ns(slow), "{amount} {period} {window}");
            }
        }
    }
}

/// Any supply with small parameters, of every shape.
fn any_supply() -> impl Strategy<Value = Supply> {
    let triple = (1..60_u64).prop_flat_map(|y| (Just(y), 1..=y));
    let triple = triple.prop_flat_map(|(y, d)| (Just(y), Just(d), 0..=d));
    prop_oneof![
        Just(Supply::all()),
        Just(Supply::nothing()),
        triple.clone().prop_map(|(y, _, x)| Supply::continuous(ns(x), ns(y)).unwrap()),
        triple
            .clone()
            .prop_map(|(y, d, x)| Supply::explicit_deadline(ns(x), ns(d), ns(y)).unwrap()),
        (triple, 0..90_u64).prop_map(|((y, _, x), error)| {
            Supply::share(Ratio::new(x.into(), y.into()).unwrap(), ns(error)).unwrap()
        }),
    ]
}

proptest! {
    #[test]
    fn limit_window_is_the_least_window_that_holds_the_work(
        supply in any_supply(), work in 0..200_u64,
    ) {
        match supply.window(ns(work)) {
            Some(window) => {
                prop_assert!(supply.least(window) >= ns(work));
                let shorter = window.checked_sub(ns(1));
                prop_assert!(shorter.is_none_or(|t| supply.least(t) < ns(work)));
            }
            None => prop_assert_eq!(supply, Supply::nothing()),
        }
    }

    #[test]
    fn law_supply_grows_with_time_and_never_faster(supply in any_supply(), window in 0..400_u64) {
        let (now, next) = (supply.least(ns(window)), supply.least(ns(window + 1)));
        prop_assert!(now <= next && next <= now + ns(1));
    }

    #[test]
    fn law_two_windows_hold_no_more_than_their_union(
        supply in any_supply(), a in 0..300_u64, b in 0..300_u64,
    ) {
        // Rounding down to whole nanoseconds keeps this: whole numbers add below a whole sum.
        let apart = supply.least(ns(a)) + supply.least(ns(b));
        prop_assert!(apart <= supply.least(ns(a + b)));
    }

    #[test]
    fn limit_a_share_is_its_formula_rounded_down(
        below in 1..50_i128, above in 0..50_i128, error in 0..90_u64, window in 0..500_u64,
    ) {
        prop_assume!(above <= below);
        let share = Ratio::new(above, below).unwrap();
        let supply = Supply::share(share, ns(error)).unwrap();
        let exact = Ratio::whole(window).checked_mul(share).unwrap();
        let exact = exact.checked_sub(Ratio::whole(error)).unwrap().max(Ratio::ZERO);
        let least = Ratio::whole(supply.least(ns(window)).as_nanos());
        prop_assert!(least <= exact && exact < least.checked_add(Ratio::ONE).unwrap());
    }

    #[test]
    fn law_a_shorter_period_or_a_larger_amount_never_supplies_less(
        period in 2..60_u64, amount in 0..59_u64, window in 0..400_u64,
    ) {
        prop_assume!(amount < period);
        for make in [Supply::basic, Supply::continuous] {
            let here = make(ns(amount), ns(period)).unwrap().least(ns(window));
            let more = make(ns(amount + 1), ns(period)).unwrap().least(ns(window));
            let rarer = make(ns(amount), ns(period + 1)).unwrap().least(ns(window));
            prop_assert!(rarer <= here && here <= more);
        }
    }
}

#[test]
fn paper_a_basic_reservation_is_a_continuous_one_with_a_longer_period() {
    // HLS theorem 5.3: RESB x y gives RESC x (2y - x).
    for (amount, period) in [(10, 20), (3, 8), (1, 7)] {
        let basic = Supply::basic(ns(amount), ns(period)).unwrap();
        let continuous = Supply::continuous(ns(amount), ns(2 * period - amount)).unwrap();
        for window in 0..10 * period {
            assert!(basic.least(ns(window)) >= continuous.least(ns(window)));
        }
    }
}

#[test]
fn refuses_an_amount_above_the_period() {
    assert_eq!(Supply::basic(ns(6), ns(5)), Err(SupplyError::AmountTooLarge));
    assert_eq!(Supply::continuous(ns(6), ns(5)), Err(SupplyError::AmountTooLarge));
    let much = Supply::explicit_deadline(ns(4), ns(3), ns(5));
    assert_eq!(much, Err(SupplyError::AmountTooLarge));
    let late = Supply::explicit_deadline(ns(4), ns(6), ns(5));
    assert_eq!(late, Err(SupplyError::DeadlineAbovePeriod));
    assert_eq!(Supply::basic(ns(0), ns(0)), Err(SupplyError::ZeroPeriod));
    assert_eq!(Supply::basic(ns(1), Span::MAX), Err(SupplyError::TooLong), "its gap");
    let share = |above, below| Supply::share(Ratio::new(above, below).unwrap(), ns(0));
    assert_eq!(share(3, 2), Err(SupplyError::ShareOutOfRange));
    assert_eq!(share(-1, 2), Err(SupplyError::ShareOutOfRange));
    assert_eq!(share(1, 1 << 64), Err(SupplyError::ShareTooFine));
    assert!(share(1, (1 << 64) - 1).is_ok());
}

#[test]
fn accepts_an_amount_equal_to_the_period() {
    assert_eq!(Supply::basic(ns(5), ns(5)), Ok(Supply::all()));
    assert_eq!(Supply::continuous(ns(5), ns(5)), Ok(Supply::all()));
    assert_eq!(Supply::continuous(Span::MAX, Span::MAX), Ok(Supply::all()));
    assert_eq!(Supply::share(Ratio::ONE, ns(0)), Ok(Supply::all()));
    assert_eq!(Supply::basic(ns(0), ns(5)), Ok(Supply::nothing()));
}

#[test]
fn limit_the_range_ends_without_a_wrong_answer() {
    let supply = Supply::basic(ns(1), ns(1 << 40)).unwrap();
    assert_eq!(supply.window(ns(1 << 30)), None);
    let share = Supply::share(Ratio::new(1, i128::from(u64::MAX)).unwrap(), Span::MAX).unwrap();
    assert_eq!(share.window(Span::MAX), None);
    assert_eq!(share.least(Span::MAX), ns(0));
    assert_eq!(Supply::all().least(Span::MAX), Span::MAX);
}
