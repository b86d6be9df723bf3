//! Weighted round robin: what it promises under random adversaries, and how tight that is.

use crate::common::adversary::{keeps_at_the_top, keeps_below_a_reservation, offers, steps};
use crate::common::{Host, MS, conversion, promise, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Length, Supply};
use windfall_hierarchy::Message;
use windfall_schedulers::kinds;
use windfall_time::{Ratio, Span};

const KIND: &str = "weighted-round-robin";
const WHOLE: Guarantee = Guarantee::BoundedShare(Ratio::ONE, Length::ZERO);

fn share(weight: u32) -> [Message; 1] {
    [Message::Share(weight)]
}

fn weights() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![4 => 1_u32..6, 1 => 1_u32..30], 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn law_what_is_offered_at_the_top_is_kept(weights in weights(), steps in steps(100)) {
        keeps_at_the_top(kinds::WEIGHTED_ROUND_ROBIN, &weights, &steps);
    }

    #[test]
    fn law_what_is_offered_below_a_reservation_is_kept(
        weights in weights(),
        (amount, period) in (1_u64..30, 30_u64..60),
        steps in steps(80),
    ) {
        keeps_below_a_reservation(kinds::WEIGHTED_ROUND_ROBIN, &weights, (amount, period), &steps);
    }
}

/// While the others have their turns, the child lacks just what is allowed.
#[test]
fn limit_with_a_nanosecond_less_the_promise_is_broken() {
    let mut host = Host::new(1);
    let root = host.top(kinds::WEIGHTED_ROUND_ROBIN);
    host.spin(root, "heavy", &share(3));
    let light = host.spin(root, "light", &share(1));
    host.run_to(100 * MS);
    assert_eq!(host.timeline(0), "0 heavy, 30 light, 40 heavy, 70 light, 80 heavy");
    let offered = offers(KIND, &[], &[WHOLE], &[3, 1])[1].unwrap();
    assert_eq!(offered, promise("PSBE 1/4 7.5ms"));
    assert!(host.keeps(light, 0, &offered) > 0);
    let less = Length::from(span(7_500_000 - 1));
    let quarter = Ratio::new(1, 4).unwrap();
    assert!(host.judge(light, 0, &Guarantee::BoundedShare(quarter, less)).is_broken());
}

#[test]
fn limit_ticks_make_the_others_turns_longer_and_several_processors_promise_nothing() {
    let children = [3, 1].map(|weight| ChildParams::default().weight(Ratio::whole(weight)));
    let mut turned = conversion(KIND, &[]);
    assert!(turned.at_ticks(Span::from_millis(10)));
    // The others have 40 ms for each 10 ms of the light one, and 20 ms for each 30 ms of the heavy one.
    let given = |at: usize| turned.give(Supply::of(&[WHOLE]), &children)[at].gives[0].guarantee;
    assert_eq!([0, 1].map(given), ["PSBE 3/5 12ms", "PSBE 1/5 8ms"].map(promise));
    let [several, _] = &turned.give(Supply::of(&[WHOLE; 2]), &children)[..] else { panic!() };
    assert!(several.gives.is_empty() && several.lacks.as_ref().unwrap().contains("give it one"));
}
