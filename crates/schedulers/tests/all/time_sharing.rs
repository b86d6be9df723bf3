//! Time sharing, by hand.

use crate::common::{Host, MS, S, span};
use windfall_hierarchy::{AnswerError, HierarchyError, JournalEvent, Message, Note};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;
use windfall_schedulers::time_sharing::TimeSharing;

const PLAIN: [(&str, Value<'_>); 2] =
    [("boost", Value::Integer(0)), ("rescue", Value::Bool(false))];

fn priority(p: i32) -> [Message; 1] {
    [Message::Priority(p)]
}

#[test]
fn paper_hls_9_3_1_never_ready_while_a_lower_priority_runs() {
    let mut host = Host::new(2);
    let root = host.root("time-sharing", &PLAIN);
    let low = host.spin(root, "low", &priority(4));
    let a = host.spin(root, "a", &[]);
    assert_eq!((host.on(0), host.on(1)), (Some(low), Some(a)));
    let b = host.spin(root, "b", &[]);
    assert_eq!((host.on(0), host.on(1)), (Some(b), Some(a)));
    host.run_to(S);
    assert_eq!(host.ran(low), 0);
    host.tell(low, Message::Priority(9)).unwrap();
    host.run_to(2 * S);
    assert_eq!(host.ran(low), S);
}

#[test]
fn accepts_equals_each_in_turn() {
    let mut host = Host::new(1);
    let root = host.root("time-sharing", &PLAIN);
    for name in ["a", "b", "c"] {
        host.spin(root, name, &[]);
    }
    host.run_to(80 * MS);
    assert_eq!(host.timeline(0), "0 a, 20 b, 40 c, 60 a, 80 b");
    host.tree.configure(crate::common::at(host.now), root, Message::Quantum(span(5 * MS))).unwrap();
    host.run_to(150 * MS);
    assert_eq!(host.timeline(0), "0 a, 20 b, 40 c, 60 a, 80 b, 100 c, 120 a, 140 b, 145 c, 150 a");
}

#[test]
fn accepts_a_boost_on_waking_that_decays_by_one_each_quantum() {
    let mut host = Host::new(1);
    let root = host.top(TimeSharing::default().rescue(false));
    let hog = host.spin(root, "hog", &[]);
    let sleeper = host.thread(root, "sleeper", &[]);
    host.wake_for(sleeper, MS);
    assert_eq!(host.on(0), Some(hog), "new threads are not boosted");
    host.run_to(30 * MS);
    host.wake(sleeper);
    assert_eq!(host.on(0), Some(sleeper));
    host.run_to(100 * MS);
    // 10 for one quantum, 9 for another, then 8 as the hog.
    assert_eq!(host.timeline(0), "0 hog, 20 sleeper, 21 hog, 30 sleeper, 70 hog, 81 sleeper");
}

#[test]
fn limit_letting_others_go_first_boosts_nobody() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_SHARING);
    let a = host.spin(root, "a", &[]);
    let b = host.spin(root, "b", &[]);
    host.run_to(5 * MS);
    host.yields(a);
    assert_eq!(host.on(0), Some(b));
    host.run_to(30 * MS);
    assert_eq!(host.timeline(0), "0 a, 5 b, 25 a");
}

#[test]
fn paper_hls_9_2_2_the_starved_are_rescued() {
    let mut host = Host::new(1);
    host.tree.open_journal(64, false);
    let root = host.top(kinds::TIME_SHARING);
    let high = host.spin(root, "high", &priority(12));
    let low = host.spin(root, "low", &priority(1));
    host.run_to(3_100 * MS);
    assert_eq!(host.timeline(0), "0 high, 3000 low, 3040 high");
    let notes: Vec<_> = host.tree.drain_journal().map(|entry| entry.what).collect();
    assert!(matches!(&notes[..], [JournalEvent::Noted { note: Note::Rescued, .. }]));
    host.run_to(30 * S);
    assert_eq!(host.ran(high) + host.ran(low), 30 * S);
    assert_eq!(host.ran(low), 9 * 40 * MS);
}

#[test]
fn limit_real_time_priorities_are_neither_boosted_nor_outranked_by_the_rescued() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_SHARING);
    let real = host.spin(root, "real", &priority(16));
    let low = host.spin(root, "low", &priority(1));
    host.run_to(10 * S);
    assert_eq!((host.ran(real), host.ran(low)), (10 * S, 0));
}

#[test]
fn accepts_many_starved_at_once() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_SHARING);
    host.spin(root, "high", &priority(10));
    let low: Vec<_> = (0..40).map(|n| host.spin(root, &format!("low{n}"), &priority(1))).collect();
    host.run_to(5 * S);
    for thread in low {
        assert_eq!(host.ran(thread), 40 * MS);
    }
}

#[test]
fn paper_hls_9_3_1_non_preemptive_runs_to_the_next_wait() {
    let mut host = Host::new(1);
    let mode = [("mode", Value::Word("non-preemptive"))];
    let root = host.top(kinds::FIXED_PRIORITY);
    let parents = [(windfall_hierarchy::Parent::Node(root), &[][..])];
    let node = host.try_node("node", "time-sharing", &mode, &parents).unwrap();
    let low = host.thread(node, "low", &priority(1));
    let middle = host.thread(node, "middle", &priority(2));
    let high = host.thread(node, "high", &priority(3));
    let above = host.thread(root, "above", &priority(1));
    host.wake_for(low, 100 * MS);
    host.wake_for(middle, 10 * MS);
    host.wake_for(high, 10 * MS);
    host.run_to(50 * MS);
    host.wake_for(above, MS);
    host.run_to(200 * MS);
    assert_eq!(host.timeline(0), "0 low, 50 above, 51 low, 101 high, 111 middle, 121 -");
}

#[test]
fn refuses_priorities_outside_1_to_31_beside_accepts_both_ends() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_SHARING);
    let thread = host.thread(root, "a", &[]);
    for (p, ok) in [(0, false), (1, true), (31, true), (32, false)] {
        let answer = host.tell(thread, Message::Priority(p));
        assert_eq!(answer.is_ok(), ok, "{p}");
        assert!(
            ok || matches!(answer, Err(HierarchyError::Refused(AnswerError::OutOfRange { .. })))
        );
    }
}
