//! Windows 2000, by hand.

use crate::common::{Host, MS, S};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId};
use windfall_schedulers::catalogue::Value;

const CALM: [(&str, Value<'_>); 2] = [("boost", Value::Integer(0)), ("rescue", Value::Bool(false))];

fn priority(p: i32) -> [Message; 1] {
    [Message::Priority(p)]
}

fn machine(settings: &[(&str, Value<'_>)]) -> (Host, NodeId) {
    let mut host = Host::new(1);
    let root = host.root("windows-2000", settings);
    (host, root)
}

#[test]
fn paper_solomon_2000_a_workstation_has_quanta_of_2_ticks_and_a_server_of_12() {
    let (mut host, root) = machine(&CALM);
    host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    host.run_to(59 * MS);
    assert_eq!(host.timeline(0), "0 a, 20 b, 40 a");
    let (mut host, root) = machine(&[("edition", Value::Word("server"))]);
    host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    host.run_to(300 * MS);
    assert_eq!(host.timeline(0), "0 a, 120 b, 240 a");
}

#[test]
fn paper_solomon_2000_the_foreground_runs_three_times_as_long() {
    let (mut host, root) = machine(&CALM);
    host.spin(root, "back", &[]);
    let front = host.spin(root, "front", &[Message::Share(3)]);
    host.run_to(8 * S);
    assert_eq!(host.ran(front), 6 * S);
}

/// The tick charges the child that runs then: one that begins between two ticks pays for both in full.
#[test]
fn limit_a_quantum_that_begins_between_ticks_is_shorter() {
    let (mut host, root) = machine(&CALM);
    host.spin(root, "a", &priority(4));
    host.run_to(7 * MS);
    host.spin(root, "b", &[]);
    host.spin(root, "c", &[]);
    host.run_to(45 * MS);
    assert_eq!(host.timeline(0), "0 a, 7 b, 20 c, 40 b");
}

#[test]
fn limit_one_that_always_waits_before_the_tick_still_pays_for_its_waits() {
    let (mut host, root) = machine(&CALM);
    let sly = host.cycle(root, "sly", &[], (9 * MS, 10 * MS));
    let fair = host.spin(root, "fair", &[]);
    host.run_to(10 * S);
    assert!(host.ran(fair) > 4 * S && host.ran(sly) > 3 * S, "{}", host.ran(fair));
}

#[test]
fn paper_solomon_2000_a_boost_decays_by_one_at_each_end_of_a_quantum() {
    let boost = [("boost", Value::Integer(6)), ("rescue", Value::Bool(false))];
    let (mut host, root) = machine(&boost);
    let keys = host.thread(root, "keys", &priority(8));
    host.wake_for(keys, MS);
    host.run_to(MS);
    host.spin(root, "busy", &priority(12));
    host.run_to(10 * MS);
    assert_eq!(host.on(0), Some(1));
    host.wake(keys);
    assert_eq!(host.on(0), Some(keys), "8 + 6 is above 12");
    host.run_to(S);
    // 5 units are left after the wait: two ticks at 14, two at 13; at 12 it takes turns with the other child, which
    // has 3 units left, and at 11 it waits.
    assert_eq!(host.timeline(0), "0 keys, 1 busy, 10 keys, 50 busy, 60 keys, 80 busy");
}

#[test]
fn limit_boosts_end_at_15_and_do_not_touch_real_time() {
    let boost = [("boost", Value::Integer(14))];
    let (mut host, root) = machine(&boost);
    let high = host.thread(root, "high", &priority(14));
    host.wake_for(high, MS);
    host.run_to(MS);
    let real = host.spin(root, "real", &priority(16));
    host.run_to(2 * MS);
    host.wake(high);
    host.run_to(20 * S);
    assert_eq!(
        (host.on(0), host.ran(high)),
        (Some(real), MS),
        "15 is the end, and rescue leads no further"
    );
}

#[test]
fn paper_solomon_2000_the_starved_run_for_two_quanta_after_3_to_4_seconds() {
    let (mut host, root) = machine(&[]);
    host.spin(root, "high", &priority(12));
    host.run_to(500 * MS);
    let low = host.spin(root, "low", &priority(1));
    host.run_to(5 * S);
    assert_eq!(host.timeline(0), "0 high, 4000 low, 4040 high");
    host.run_to(9 * S);
    // Ready again from 4.04 s: found at 8 s.
    assert_eq!(host.ran(low), 80 * MS);
}

#[test]
fn paper_solomon_2000_ten_are_rescued_in_a_second() {
    let (mut host, root) = machine(&[]);
    host.spin(root, "high", &priority(12));
    let low: Vec<_> = (0..25).map(|n| host.spin(root, &format!("l{n}"), &priority(1))).collect();
    let ran = |host: &Host| low.iter().filter(|thread| host.ran(**thread) > 0).count();
    for (second, expected) in [(3, 0), (4, 10), (5, 20), (6, 25)] {
        host.run_to(second * S);
        assert_eq!(ran(&host), expected, "after {second} s");
    }
}

#[test]
fn refuses_stretches_on_a_server_and_beyond_3_beside_accepts_1_to_3() {
    let (mut host, root) = machine(&[]);
    let a = host.thread(root, "a", &[]);
    for (n, ok) in [(0, false), (1, true), (3, true), (4, false), (257, false)] {
        assert_eq!(host.tell(a, Message::Share(n)).is_ok(), ok, "{n}");
    }
    for (p, ok) in [(0, false), (1, true), (31, true), (32, false)] {
        assert_eq!(host.tell(a, Message::Priority(p)).is_ok(), ok, "{p}");
    }
    let (mut host, root) = machine(&[("edition", Value::Word("server"))]);
    let a = host.thread(root, "a", &[]);
    let answer = host.tell(a, Message::Share(2));
    assert!(matches!(answer, Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. }))));
}
