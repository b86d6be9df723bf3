//! Limit, by hand.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use common::{Host, MS, reserve, span};
use windfall_hierarchy::{Message, NodeId, Parent, Refusal};
use windfall_schedulers::catalogue::{self, Settings, Value};

/// A limit above a fixed-priority scheduler that also serves `rest`.
fn limited(amount: u64, period: u64) -> (Host, NodeId, NodeId) {
    let mut host = Host::new(1);
    let root = host.root("fixed-priority", &[]);
    let cap = [("amount", Value::Span(span(amount))), ("period", Value::Span(span(period)))];
    let high: &[Message] = &[Message::Priority(2)];
    let limit = host.try_node("limit", "limit", &cap, &[(Parent::Node(root), high)]).unwrap();
    (host, root, limit)
}

#[test]
fn paper_hls_5_3_1_3_no_more_than_the_amount_in_each_period() {
    let (mut host, root, limit) = limited(3 * MS, 10 * MS);
    host.spin(root, "rest", &[]);
    let child = host.spin(limit, "child", &[]);
    host.run_to(24 * MS);
    assert_eq!(host.timeline(0), "0 child, 3 rest, 10 child, 13 rest, 20 child, 23 rest");
    host.block(child);
    host.run_to(36 * MS);
    host.wake(child);
    host.run_to(42 * MS);
    assert_eq!(host.ran(child), 9 * MS + 3 * MS + 2 * MS);
}

#[test]
fn accepts_a_cap_by_message_and_its_end() {
    let mut host = Host::new(1);
    let root = host.root("limit", &[]);
    let child = host.spin(root, "child", &[]);
    host.run_to(10 * MS);
    assert_eq!(host.ran(child), 10 * MS, "without a cap nothing is limited");
    host.tell(child, reserve(MS, 4 * MS)).unwrap();
    host.run_to(16 * MS);
    assert_eq!(host.timeline(0), "0 child, 11 -, 14 child, 15 -");
    host.tell(child, Message::Unreserve).unwrap();
    host.run_to(20 * MS);
    assert_eq!(host.ran(child), 16 * MS);
}

#[test]
fn limit_time_under_another_does_not_count() {
    let (mut host, root, limit) = limited(4 * MS, 10 * MS);
    let child = host.spin(limit, "child", &[]);
    let above = host.thread(root, "above", &[Message::Priority(9)]);
    host.run_to(2 * MS);
    host.wake_for(above, 3 * MS);
    host.run_to(20 * MS);
    assert_eq!(host.timeline(0), "0 child, 2 above, 5 child, 7 -, 10 child, 14 -, 20 child");
    assert_eq!(host.ran(child), 8 * MS);
}

#[test]
fn refuses_a_second_child_and_odd_caps() {
    let (mut host, _, limit) = limited(MS, 2 * MS);
    let child = host.thread(limit, "child", &[]);
    assert!(matches!(host.try_thread(limit, "second", &[]), Err(Refusal::Full { .. })));
    assert!(matches!(host.tell(child, reserve(2, 1)), Err(Refusal::OutOfRange { .. })));
    assert!(host.tell(child, Message::Share(1)).is_err());
    host.tell(child, reserve(1, 1)).unwrap();
    let kind = catalogue::find("limit").unwrap();
    let build = |settings: &[_]| (kind.build)(&Settings(settings)).is_ok();
    let amount = ("amount", Value::Span(span(2)));
    assert!(!build(&[amount]));
    assert!(!build(&[amount, ("period", Value::Span(span(1)))]));
    assert!(build(&[amount, ("period", Value::Span(span(2)))]));
}
