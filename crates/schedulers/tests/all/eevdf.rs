//! EEVDF: its promises under random adversaries, their tightness, and the papers' numbers.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::adversary::{keeps_at_the_top, keeps_below_a_reservation, offers, steps};
use crate::common::{Host, MS, S, US, conversion, promise, span};
use proptest::prelude::*;
use windfall_guarantees::meaning::Verdict;
use windfall_guarantees::{ChildParam, Guarantee, Length};
use windfall_hierarchy::Message;
use windfall_schedulers::kinds;
use windfall_schedulers::needed_share;
use windfall_schedulers::share::Eevdf;
use windfall_time::{Ratio, Span};

const WHOLE: Guarantee = Guarantee::BoundedShare(Ratio::ONE, Length::ZERO);

fn ratio(above: i128, below: i128) -> Ratio {
    Ratio::new(above, below).unwrap()
}

fn ms(n: u32) -> Length {
    Span::from_millis(n).into()
}

fn share(weight: u32) -> [Message; 1] {
    [Message::Share(weight)]
}

fn weights() -> impl Strategy<Value = Vec<u32>> {
    let weight = prop_oneof![4 => 1_u32..10, 2 => 1_u32..1000, 1 => Just(1), 1 => Just(0)];
    prop::collection::vec(weight, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn law_what_is_offered_at_the_top_is_kept(weights in weights(), steps in steps(100)) {
        keeps_at_the_top(kinds::EEVDF, &weights, &steps);
    }

    #[test]
    fn law_what_is_offered_below_a_reservation_is_kept(
        weights in weights(),
        (amount, period) in (1_u64..30, 30_u64..60),
        steps in steps(80),
    ) {
        keeps_below_a_reservation(kinds::EEVDF, &weights, (amount, period), &steps);
    }
}

/// The counter-example to an error of one quantum in every window: of ten nearly equal children, the first comes
/// first in the first round and last in the second.
#[test]
fn limit_a_window_may_lack_nearly_two_quanta() {
    let mut host = Host::new(1);
    let root = host.top(kinds::EEVDF);
    let first = host.spin(root, "first", &share(1000));
    for n in 0..9 {
        host.spin(root, &format!("other{n}"), &share(1001));
    }
    host.run_to(S);
    let part = ratio(1000, 10_009);
    let verdict = host.judge(first, 0, &Guarantee::BoundedShare(part, ms(10)));
    let Verdict::Broken { short, worst, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(worst.received, Length::ZERO);
    assert_eq!((worst.from, worst.to), (ms(10), ms(190)), "between its first turn and its second");
    assert_eq!(short.checked_add(ms(10)), ms(180).checked_mul(part), "so much was behind");
    let offered = offers("eevdf", &[], &[WHOLE], &[vec![1000], vec![1001; 9]].concat());
    host.keeps(first, 0, &offered[0].unwrap());
}

/// The offer is tight: with 50 ns less it is broken. Our child and a rival have nearly half each. A light child
/// starts just before both are due, and the rival is due first.
#[test]
fn limit_with_little_less_the_promise_is_broken() {
    const HEAVY: u32 = 1 << 24;
    let weights = [HEAVY, HEAVY, 1];
    let Some(Guarantee::BoundedShare(part, error)) = offers("eevdf", &[], &[WHOLE], &weights)[0]
    else {
        panic!("nothing is offered")
    };
    let mut host = Host::new(1);
    let root = host.top(kinds::EEVDF);
    let rival = host.thread(root, "rival", &share(HEAVY));
    let ours = host.spin(root, "ours", &share(HEAVY));
    host.run_to(1);
    host.wake(rival);
    host.run_to(10 * MS);
    // Our child is ahead by half a quantum. The rival waits just before the end of its quantum, so the quantum is
    // not complete, and the light child has the next turn.
    assert_eq!(host.on(0), Some(rival));
    let light = host.thread(root, "light", &share(1));
    host.run_to(20 * MS - 10);
    host.wake(light);
    host.block(rival);
    assert_eq!(host.on(0), Some(light), "ours is not eligible yet");
    host.wake(rival);
    host.run_to(40 * MS - 10);
    assert_eq!(host.timeline(0), "0 ours, 10 rival, 19.99999 light, 29.99999 rival, 39.99999 ours");
    host.keeps(ours, 0, &Guarantee::BoundedShare(part, error));
    let less = error.checked_sub(Span::from_nanos(50).into()).unwrap();
    assert!(host.judge(ours, 0, &Guarantee::BoundedShare(part, less)).is_broken());
}

#[test]
fn paper_hls_5_3_3_2_five_in_33_ms_need_5_11_of_the_processor_with_an_error_of_one_quantum() {
    assert_eq!(needed_share(ms(5), ms(33), ms(10)), Some(ratio(5, 11)));
    // At most 10 % pessimism: the quantum is 0.5 ms.
    let half: Length = "0.5ms".parse().unwrap();
    assert_eq!(needed_share(ms(5), ms(33), half), ratio(5, 33).checked_mul(ratio(11, 10)));
}

#[test]
fn limit_what_is_told_is_just_enough() {
    let conversion = conversion("eevdf", &[]);
    let told = conversion.parameter_for(&promise("RESCS 5ms 33ms"));
    assert_eq!(told, Ok(ChildParam::Share(ratio(25, 43))));
    let Some(Guarantee::BoundedShare(s, d)) = offers("eevdf", &[], &[WHOLE], &[25, 18])[0] else {
        panic!("nothing is offered")
    };
    assert_eq!(s, ratio(25, 43));
    assert_eq!(ms(33).checked_mul(s).unwrap().checked_sub(d), Some(ms(5)));
    assert_eq!(
        conversion.parameter_for(&promise("RESCS 23ms 33ms")),
        Ok(ChildParam::Share(Ratio::ONE))
    );
}

#[test]
fn refuses_what_no_share_can_give() {
    let conversion = conversion("eevdf", &[]);
    for text in ["RESCS 24ms 33ms", "PSBE 1/2 4ms", "RESBH 1ms 100ms", "RESU 1/2"] {
        assert!(conversion.parameter_for(&promise(text)).is_err(), "{text}");
    }
}

#[test]
fn accepts_an_error_that_a_larger_share_makes_up_for() {
    let conversion = conversion("eevdf", &[]);
    for (text, share) in [("PSBE 1/4 20ms", (1, 4)), ("PSBE 1/4 10ms", (2, 5)), ("NULL", (0, 1))] {
        let told = conversion.parameter_for(&promise(text));
        assert_eq!(told, Ok(ChildParam::Share(ratio(share.0, share.1))), "{text}");
    }
}

/// With equal requests, the clients of the paper's figure 1 take turns; the second joins at zero lag.
#[test]
fn paper_stoica_1996_a_client_that_joins_later_gets_its_share_from_then_on() {
    let mut host = Host::new(1);
    let root = host.top(Eevdf::default().quantum(span(MS)));
    let a = host.spin(root, "a", &[]);
    host.run_to(MS);
    let b = host.spin(root, "b", &[]);
    host.run_to(101 * MS);
    assert_eq!((host.ran(a), host.ran(b)), (51 * MS, 50 * MS));
}

#[test]
fn law_waiting_ahead_of_its_share_wins_nothing() {
    let mut host = Host::new(1);
    let root = host.top(kinds::EEVDF);
    let honest = host.spin(root, "honest", &[]);
    let sly = host.spin(root, "sly", &[]);
    // It waits for an instant whenever it has used most of a turn.
    for _ in 0..2000 {
        host.run_for(MS);
        if host.on(0) == Some(sly) && host.now % (9 * MS) < MS {
            host.block(sly);
            host.run_for(US);
            host.wake(sly);
        }
    }
    assert!(host.ran(honest) + 20 * MS >= host.ran(sly), "{}", host.ran(sly));
}

#[test]
fn accepts_weight_zero_in_the_background() {
    let mut host = Host::new(1);
    let root = host.top(kinds::EEVDF);
    let idle = [0, 1].map(|n| host.spin(root, &format!("idle{n}"), &share(0)));
    host.run_to(35 * MS);
    assert_eq!((host.ran(idle[0]), host.ran(idle[1])), (20 * MS, 15 * MS), "turns");
    let a = host.spin(root, "a", &share(5));
    host.run_to(S);
    assert_eq!(host.ran(a), S - 35 * MS, "at once, and alone");
    host.tell(idle[0], Message::Share(5)).unwrap();
    host.run_to(2 * S);
    assert!(host.ran(idle[0]).abs_diff(S / 2) <= 30 * MS);
    host.tell(a, Message::Share(0)).unwrap();
    host.run_to(3 * S);
    assert!(host.ran(idle[0]).abs_diff(S + S / 2) <= 30 * MS);
}

/// Strategy 3: a child that waits ahead of its share counts until it no longer is. So virtual time is 10 ms at 30
/// ms, and a child that starts just before is due before those that become eligible later.
#[test]
fn paper_stoica_1996_one_that_waits_ahead_of_its_share_still_counts() {
    let mut host = Host::new(1);
    let root = host.top(kinds::EEVDF);
    let [a, _, _] = ["a", "b", "c"].map(|name| host.spin(root, name, &[]));
    let d = host.thread(root, "d", &[]);
    host.run_to(10 * MS);
    host.block(a);
    host.run_to(30 * MS - 1);
    host.wake(d);
    host.run_to(50 * MS);
    assert_eq!(host.timeline(0), "0 a, 10 b, 20 c, 30 d, 40 b, 50 c");
}
