//! Linux' EEVDF: shares, lag, wake-ups.

use crate::common::{Host, MS, S, US, span};
use windfall_hierarchy::{Message, NodeId};
use windfall_schedulers::catalogue::Value;

/// `sched_prio_to_weight` at some nice values.
const WEIGHTS: [(i32, u64); 6] =
    [(-20, 88_761), (-5, 3121), (0, 1024), (1, 820), (5, 335), (19, 15)];

fn nice(n: i32) -> [Message; 1] {
    [Message::Priority(-n)]
}

fn machine(processors: u16, settings: &[(&str, Value<'_>)]) -> (Host, NodeId) {
    let mut host = Host::new(processors);
    let root = host.root("linux-eevdf", settings);
    (host, root)
}

fn precise<'a>(slice: u64) -> [(&'static str, Value<'a>); 2] {
    [("slice", Value::Span(span(slice))), ("tick", Value::Span(span(1)))]
}

#[test]
fn paper_linux_6_12_equals_change_over_at_the_tick_after_their_slice() {
    let (mut host, root) = machine(1, &[]);
    host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    host.run_to(11 * MS);
    // New children begin with half a slice, 1.4 ms, so the first turn is 2 ms; then 3 ms each.
    assert_eq!(host.timeline(0), "0 a, 2 b, 4 a, 7 b, 10 a");
}

/// Theorem 1 of Stoica and Abdel-Wahab: no child's lag exceeds the longest slice. This is exact for precise clocks
/// and a set that does not change.
#[test]
fn law_nobody_is_further_from_its_share_than_a_slice() {
    for values in [&[0, 0, 0][..], &[0, 5], &[-5, 0, 0, 1], &[19, -20, 0], &[1; 9]] {
        let (mut host, root) = machine(1, &precise(3 * MS));
        let weight = |n: &i32| WEIGHTS.iter().find(|(nice, _)| nice == n).unwrap().1;
        let total: u64 = values.iter().map(weight).sum();
        let threads: Vec<_> =
            values.iter().map(|n| host.thread(root, &format!("t{n}"), &nice(*n))).collect();
        for thread in &threads {
            host.wake(*thread);
        }
        let mut most = 0;
        for step in 1..4000 {
            host.run_to(step * 700 * US);
            for (thread, n) in threads.iter().zip(values) {
                let ideal = host.now * weight(n) / total;
                most = most.max(host.ran(*thread).abs_diff(ideal));
            }
        }
        assert!(most <= 3 * MS + 1, "{values:?}: {most}");
        assert!(most >= MS / 2 || values.len() == 1, "{values:?}: {most}");
    }
}

/// A running child that is alone is at the average, and so eligible; a new one has half a slice and the earlier
/// deadline.
#[test]
fn paper_linux_6_12_to_parity_one_that_wakes_waits_for_the_end_of_the_slice() {
    for (parity, expected) in [(true, "0 a, 4.5 b"), (false, "0 a, 2 b, 3.5 a")] {
        let settings = [
            ("slice", Value::Span(span(3 * MS))),
            ("tick", Value::Span(span(1))),
            ("parity", Value::Bool(parity)),
        ];
        let (mut host, root) = machine(1, &settings);
        host.spin(root, "a", &[]);
        // The slices of a child that is alone end at 1.5 ms and every 3 ms from there.
        host.run_to(2 * MS);
        host.spin(root, "b", &[]);
        host.run_to(5 * MS);
        assert_eq!(host.timeline(0), expected, "parity {parity}");
    }
}

/// Lag is kept: a child that owes time still owes it after a short wait, and one that is owed time still is.
#[test]
fn paper_linux_6_12_a_wait_does_not_clear_the_account() {
    let (mut host, root) = machine(1, &precise(3 * MS));
    let a = host.spin(root, "a", &[]);
    let b = host.spin(root, "b", &[]);
    // Half a slice each, then a whole one for a, which is ahead by 1 ms when it waits for an instant.
    host.run_to(4 * MS);
    assert_eq!(host.on(0), Some(a));
    host.block(a);
    host.run_to(4 * MS + 100 * US);
    host.wake(a);
    assert_eq!(host.on(0), Some(b));
    host.run_to(8 * MS);
    assert_eq!(host.timeline(0), "0 a, 1.5 b, 3 a, 4 b, 7 a");
    host.run_to(S);
    assert!(host.ran(a).abs_diff(host.ran(b)) <= 3 * MS + 100 * US);
}

/// Delayed dequeue: being ahead is worked off during a wait, so that a long wait is not followed by another one.
#[test]
fn paper_linux_6_12_a_long_wait_clears_a_debt_and_not_a_claim() {
    let (mut host, root) = machine(1, &precise(3 * MS));
    let a = host.spin(root, "a", &[]);
    let b = host.spin(root, "b", &[]);
    host.run_to(4 * MS);
    host.block(a);
    host.run_to(S);
    host.wake(a);
    // As if it had no lag: at the end of b's slice it is a's turn, for a whole slice.
    let turn = (1..400).find(|_| {
        host.run_for(10 * US);
        host.on(0) == Some(a)
    });
    assert!(turn.is_some_and(|steps| steps <= 300), "{turn:?}");
    host.run_for(2900 * US);
    assert_eq!(host.on(0), Some(a));
    // a was chosen just before; b is owed about 1 ms when it waits, and goes first when it wakes.
    host.block(b);
    host.run_for(S);
    let before = host.now;
    host.wake(b);
    host.run_for(3 * MS);
    assert!(host.now > before && host.on(0) == Some(b));
}

/// A child that needs little receives all of it beside eight spinners, each time before it is needed again.
#[test]
fn accepts_an_interactive_thread_among_spinners() {
    let (mut host, root) = machine(1, &[]);
    for n in 0..8 {
        host.spin(root, &format!("s{n}"), &[]);
    }
    let keys = host.cycle(root, "keys", &[], (US * 500, 50 * MS));
    host.run_to(10 * S);
    assert!(host.ran(keys) >= 199 * 500 * US, "{}", host.ran(keys));
}

#[test]
fn limit_the_queue_serves_two_processors_and_leaves_none_idle() {
    let (mut host, root) = machine(2, &[]);
    let all: Vec<_> = (0..5).map(|n| host.spin(root, &format!("t{n}"), &[])).collect();
    host.run_to(10 * S);
    let total: u64 = all.iter().map(|thread| host.ran(*thread)).sum();
    assert_eq!(total, 20 * S);
    for thread in all {
        assert!(host.ran(thread).abs_diff(4 * S) <= 10 * MS, "{}", host.ran(thread));
    }
}

#[test]
fn limit_another_weight_holds_from_then_on() {
    let (mut host, root) = machine(1, &[]);
    let a = host.spin(root, "a", &[]);
    let b = host.spin(root, "b", &[]);
    host.run_to(S);
    host.tell(b, Message::Priority(-5)).unwrap();
    let before = host.ran(a);
    host.run_to(S + 1359 * MS);
    let got = host.ran(a) - before;
    assert!(got.abs_diff(1024 * MS) <= 6 * MS, "{got}");
}

/// `sched_attr::sched_runtime`: a child's own slice.
#[test]
fn paper_linux_6_12_a_slice_of_ones_own_lasts_as_long_as_it_says() {
    let (mut host, root) = machine(1, &precise(2 * MS));
    host.spin(root, "a", &[Message::Quantum(span(6 * MS))]);
    host.spin(root, "b", &[]);
    host.run_to(30 * MS);
    // a begins with half a slice, 3 ms, then has 6 ms at a time. b's slice ends every 2 ms, from 4 ms on, and b
    // gives way if it is ahead: as long as it is not, its deadline is the earlier one.
    assert_eq!(host.timeline(0), "0 a, 3 b, 8 a, 14 b, 20 a, 26 b");
    let zero = host.try_thread(root, "c", &[Message::Quantum(span(0))]);
    assert!(zero.is_err());
}

#[test]
fn refuses_nice_values_outside_minus_20_to_19_beside_accepts_both_ends() {
    let (mut host, root) = machine(1, &[]);
    let a = host.thread(root, "a", &[]);
    for (n, ok) in [(-21, false), (-20, true), (19, true), (20, false)] {
        assert_eq!(host.tell(a, Message::Priority(-n)).is_ok(), ok, "{n}");
    }
    assert!(host.tell(a, Message::Share(2)).is_err());
}
