//! Times on a supply, against what a supplier that keeps its promise may give.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::Cell;
use windfall_admission::{HORIZON, Supply, SupplyError};
use windfall_time::{Instant, Span};

const fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

fn supply(amount: u64, period: u64, latency: u64) -> Result<Supply, SupplyError> {
    let [amount, period, latency] = [amount, period, latency].map(Span::from_nanos);
    Supply::new(amount, period, latency)
}

proptest! {
    #[test]
    fn law_places_and_positions_are_inverse(
        (amount, period) in (1_u64..1_000).prop_flat_map(|y| (1..=y, Just(y))),
        latency in 0_u64..5_000, now in prop_oneof![0_u64..10_000, 0..1_u64 << 60],
    ) {
        let supply = supply(amount, period, latency).unwrap();
        let place = supply.place(at(now));
        let deadline = supply.deadline(place).unwrap();
        prop_assert!(supply.place(deadline) >= place && deadline <= at(now.max(latency)));
        let before = deadline.checked_sub(Span::from_nanos(1));
        prop_assert!(before.is_none_or(|before| place == Instant::ZERO || supply.place(before) < place));
        let position = supply.position(at(now));
        let exact = u128::from(now) * u128::from(amount);
        let rounded = u128::from(position.as_nanos()) * u128::from(period);
        prop_assert!((exact..exact + u128::from(period)).contains(&rounded));
        prop_assert!(supply.least_position(at(now)) <= position);
        let last = supply.last_with_position(position).unwrap();
        prop_assert!(last >= at(now) && supply.position(last) == position);
        prop_assert!(supply.position(last + Span::from_nanos(1)) > position);
    }
}

/// A supplier that gives when it likes, and when a window would lack something; whether each nanosecond is given.
fn given(likes: &[bool], (amount, period, latency): (u64, u64, u64)) -> Vec<bool> {
    let mut given: Vec<bool> = Vec::new();
    for likes in likes {
        given.push(*likes);
        let lacks = |s: usize| {
            let window = ((given.len() - s) as u64).saturating_sub(latency);
            count(&given[s..]) * period < amount * window
        };
        if (0..given.len()).any(lacks) {
            *given.last_mut().unwrap() = true;
        }
    }
    given
}

fn count(given: &[bool]) -> u64 {
    given.iter().filter(|given| **given).count() as u64
}

#[test]
fn law_a_place_less_the_position_is_received() {
    let shape = (1_u64..8).prop_flat_map(|y| (1..=y, Just(y)));
    let drawn =
        (shape, 0_u64..20, prop::collection::vec(any::<bool>(), 150), 0_usize..60, 0_usize..90);
    let config =
        Config { rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..Config::default() };
    // Deadlines until which something was sure, and until which exactly that was received.
    let (sure_of, exact) = (Cell::new(0), Cell::new(0));
    let judged =
        TestRunner::new(config).run(&drawn, |((amount, period), latency, likes, from, passes)| {
            let supply = supply(amount, period, latency).unwrap();
            let given = given(&likes, (amount, period, latency));
            let now = from + passes;
            let since = |s: usize| supply.position(at(s as u64)).as_nanos() + count(&given[s..now]);
            let position = (from..=now).map(since).min().unwrap();
            prop_assert!(position >= supply.least_position(at(now as u64)).as_nanos());
            for deadline in now..given.len() {
                let sure = supply.place(at(deadline as u64)).as_nanos().saturating_sub(position);
                let received = count(&given[now..deadline]);
                prop_assert!(received >= sure, "until {deadline}");
                sure_of.set(sure_of.get() + usize::from(sure > 0));
                exact.set(exact.get() + usize::from(sure > 0 && received == sure));
            }
            Ok(())
        });
    judged.unwrap_or_else(|why| panic!("{why}"));
    assert!(sure_of.get() > 1_000 && exact.get() > 100, "{sure_of:?}, {exact:?}");
}

#[test]
fn limit_a_whole_processor_has_its_own_time() {
    let now = at(u64::MAX);
    let whole = Supply::WHOLE;
    assert_eq!((whole.place(now), whole.position(now)), (now, now));
    assert_eq!((whole.deadline(now), whole.last_with_position(now)), (Some(now), Some(now)));
    assert_eq!(whole.least_position(now), now);
    assert_eq!(
        Supply::reservation(Span::from_millis(10), Span::from_millis(10)).unwrap().place(now),
        now
    );
}

#[test]
fn refuses_supplies_that_do_not_exist() {
    let said = |amount, period, latency| supply(amount, period, latency).unwrap_err().to_string();
    assert_eq!(
        said(0, 10, 0),
        "a supply of no processor time promises nothing; it must be above zero"
    );
    assert_eq!(said(11, 10, 0), "11ns in every 10ns is more than a processor; at most 10ns");
    let late = said(1, 10, HORIZON.as_nanos());
    assert!(late.starts_with("a supply may be away for 2305843009"), "{late}");
    assert_eq!(Supply::reservation(Span::from_nanos(1), Span::MAX).map_err(|_| ()), Err(()));
}

#[test]
fn accepts_a_whole_processor_and_the_longest_latency() {
    assert!(supply(10, 10, HORIZON.as_nanos() - 1).is_ok());
    assert!(supply(1, u64::MAX, 0).unwrap().deadline(at(u64::MAX)).is_none());
}
