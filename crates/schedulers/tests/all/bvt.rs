//! BVT: shares before random adversaries with warps, warps and their limits by hand.

use crate::common::adversary::{offers, play, steps};
use crate::common::warp::warped_is_first_within_its_share;
use crate::common::{Host, MS, S, span};
use proptest::prelude::*;
use windfall_guarantees::Guarantee;
use windfall_hierarchy::{AnswerError, HierarchyError, Message};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters;
use windfall_time::Ratio;

const WHOLE: Guarantee = Guarantee::Share(Ratio::ONE);

fn share(weight: u32) -> [Message; 1] {
    [Message::Share(weight)]
}

fn limit(limit: u64, unwarp: u64) -> Message {
    crate::common::warp_limit(limit, unwarp)
}

/// Weight, warp in ms, limits in ms if any.
type Ask = (u32, u64, Option<(u64, u64)>);

fn asks(weight: impl Strategy<Value = u32>) -> impl Strategy<Value = Vec<Ask>> {
    let warp = prop_oneof![2 => Just(0), 1 => 0_u64..30];
    let limits = prop::option::of((1_u64..20, 0_u64..100));
    prop::collection::vec((weight, warp, limits), 1..8)
}

/// Runs these steps on this many processors. Every offered guarantee must be kept.
fn law(processors: u16, asks: &[Ask], steps: &[crate::common::adversary::Step]) {
    let mut host = Host::new(processors);
    let root = host.top(kinds::BVT);
    let mut threads = Vec::new();
    for (n, (weight, warp, limits)) in asks.iter().enumerate() {
        let mut messages = vec![Message::Share(*weight), parameters::warp(span(warp * MS))];
        messages.extend(limits.map(|(l, u)| limit(l * MS, u * MS)));
        threads.push(host.thread(root, &format!("t{n}"), &messages));
    }
    host.wake(threads[0]);
    play(&mut host, &threads[usize::from(threads.len() > 1)..], steps);
    let own = vec![WHOLE; processors.into()];
    let weights: Vec<_> = asks.iter().map(|(weight, ..)| *weight).collect();
    for (thread, offer) in threads.iter().zip(offers("bvt", &[], &own, &weights)) {
        if let Some(offer) = offer {
            host.keeps(*thread, 0, &offer);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn law_what_is_offered_on_one_processor_is_kept(
        asks in asks(prop_oneof![6 => 1_u32..10, 1 => Just(0)]),
        steps in steps(120),
    ) {
        law(1, &asks, &steps);
    }

    #[test]
    fn law_what_is_offered_on_several_processors_is_kept(
        processors in 2_u16..4,
        asks in asks(prop_oneof![4 => 1_u32..10, 2 => 1_u32..50, 1 => Just(0)]),
        steps in steps(120),
    ) {
        law(processors, &asks, &steps);
    }

    /// Without warps, the shortfall in any window is at most one allowance, plus for each sibling what its weight
    /// makes of one allowance of this child.
    #[test]
    fn law_without_warp_the_error_is_bounded(
        weights in prop::collection::vec(1_u32..10, 1..8),
        steps in steps(120),
    ) {
        let mut host = Host::new(1);
        let root = host.top(kinds::BVT);
        let spawn = |(n, weight): (usize, &u32)| host.thread(root, &format!("t{n}"), &share(*weight));
        let threads: Vec<_> = weights.iter().enumerate().map(spawn).collect();
        host.wake(threads[0]);
        play(&mut host, &threads[usize::from(threads.len() > 1)..], &steps);
        for (thread, offer) in threads.iter().zip(offers("bvt", &[], &[WHOLE], &weights)) {
            let part = offer.unwrap().share().unwrap();
            // 1 + n part allowances: less than one ahead at the beginning, one of each behind.
            let times = part.checked_mul(Ratio::whole(weights.len() as u64)).unwrap();
            let times = times.checked_add(Ratio::ONE).unwrap();
            let error = windfall_guarantees::Length::from(span(10 * MS)).checked_mul(times).unwrap();
            host.keeps(*thread, 0, &Guarantee::BoundedShare(part, error));
        }
    }
}

#[test]
fn paper_duda_1999_a_warped_thread_is_dispatched_at_once_and_keeps_its_share() {
    warped_is_first_within_its_share(kinds::BVT);
}

/// Section 3.2 of Duda and Cheriton: a warped thread that loops is unwarped after its limit.
#[test]
fn paper_duda_1999_the_warp_time_limit_ends_a_warp_and_the_unwarp_requirement_keeps_it_ended() {
    let mut host = Host::new(1);
    let root = host.top(kinds::BVT);
    let other = host.spin(root, "other", &[]);
    let warped =
        host.thread(root, "warped", &[parameters::warp(span(S)), limit(15 * MS, 100 * MS)]);
    host.run_to(20 * MS);
    host.wake(warped);
    // First its 15 ms, then turns until 135 ms and the end of its turn; then 15 ms again.
    host.run_to(190 * MS);
    let line = "0 other, 20 warped, 35 other, 55 warped, 65 other, 75 warped, 85 other, 95 warped, \
                105 other, 115 warped, 125 other, 135 warped, 160 other";
    assert!(host.timeline(0).starts_with(line), "{}", host.timeline(0));
    host.run_to(2 * S);
    assert!(host.ran(warped).abs_diff(host.ran(other)) <= 40 * MS, "shares are as without warp");
}

#[test]
fn limit_a_rest_of_the_unwarp_requirement_begins_a_new_stretch() {
    for (rest, expected) in [(49, 5), (50, 15)] {
        let mut host = Host::new(1);
        let root = host.top(kinds::BVT);
        host.spin(root, "other", &[]);
        let warped =
            host.thread(root, "warped", &[parameters::warp(span(S)), limit(15 * MS, 50 * MS)]);
        host.run_to(S);
        host.wake_for(warped, 10 * MS);
        host.run_for((10 + rest) * MS);
        assert_eq!(host.ran(warped), 10 * MS, "at once");
        host.wake(warped);
        let from = host.now;
        while host.on(0) == Some(warped) {
            host.run_for(MS);
        }
        assert_eq!(host.now - from, expected * MS, "after {rest} ms");
    }
}

#[test]
fn refuses_a_warp_limit_of_nothing() {
    let mut host = Host::new(1);
    let root = host.top(kinds::BVT);
    let a = host.thread(root, "a", &[]);
    let none = host.tell(a, limit(0, MS));
    assert!(matches!(
        none,
        Err(HierarchyError::Refused(AnswerError::OutOfRange { what: "limit", .. }))
    ));
    host.tell(a, limit(1, 0)).unwrap();
}

#[test]
fn limit_what_is_offered_on_several_processors() {
    let half = Guarantee::Share(Ratio::new(1, 2).unwrap());
    let told = |own: &[Guarantee], weights: &[u32]| {
        let offers = offers("bvt", &[], own, weights).into_iter();
        offers.map(|offer| offer.map_or("NULL".into(), |o| o.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(told(&[WHOLE], &[1, 3, 0]), ["PS 1/4", "PS 3/4", "NULL"]);
    assert_eq!(told(&[WHOLE, WHOLE], &[1]), ["PS 1"]);
    assert_eq!(told(&[WHOLE, WHOLE], &[1, 1, 1]), ["PS 1/2", "PS 1/2", "PS 1/2"]);
    assert_eq!(told(&[half, half, Guarantee::Null], &[4, 1]), ["PS 4/9", "PS 1/6"]);
}

/// Shows why the bound is w/(W + (k - 1) w) and not the lesser of k w/W and 1: a child that wakes begins at the
/// heavy child's virtual time, and when the heavy child's turn ends, two such children may take both processors.
#[test]
fn limit_naps_keep_a_heavy_child_from_a_processor_of_its_own() {
    let weights = [10, 1, 1, 1, 1, 1];
    let mut host = Host::new(2);
    let root = host.top(kinds::BVT);
    let heavy = host.spin(root, "heavy", &share(10));
    host.spin(root, "light", &share(1));
    let naps: Vec<_> = (0..4).map(|n| host.thread(root, &format!("nap{n}"), &share(1))).collect();
    while host.now < 100 * S {
        // All wake at once; each has one turn.
        naps.iter().for_each(|nap| host.wake_for(*nap, 10 * MS));
        host.run_for(120 * MS);
    }
    assert!(host.ran(heavy) < 93 * S, "{}", host.ran(heavy));
    let offered = offers("bvt", &[], &[WHOLE, WHOLE], &weights)[0].unwrap();
    assert_eq!(offered.to_string(), "PS 4/5");
    host.keeps(heavy, 0, &offered);
}
