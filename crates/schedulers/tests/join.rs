//! Join, by hand.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use common::{Host, MS, periodic, reserve};
use windfall_hierarchy::{Message, NodeId, Parent, Refusal};

/// Two processors, a fixed-priority scheduler on each, and a join of the two with a thread below.
fn joined() -> (Host, [NodeId; 2], NodeId) {
    let mut host = Host::new(2);
    let parents = ["zero", "one"]
        .map(|name| host.try_node(name, "fixed-priority", &[], &[(Parent::Top, &[])]).unwrap());
    let ask: &[Message] = &[Message::Priority(5)];
    let owns = parents.map(|parent| (Parent::Node(parent), ask));
    let join = host.try_node("join", "join", &[], &owns).unwrap();
    (host, parents, join)
}

#[test]
fn paper_hls_9_3_4_the_highest_numbered_parent_that_grants_serves() {
    let (mut host, parents, join) = joined();
    let child = host.spin(join, "child", &[]);
    assert_eq!((host.on(0), host.on(1)), (None, Some(child)));
    let high = host.spin(parents[1], "high", &[Message::Priority(9)]);
    assert_eq!((host.on(0), host.on(1)), (Some(child), Some(high)));
    host.block(high);
    assert_eq!((host.on(0), host.on(1)), (None, Some(child)));
    host.block(child);
    assert_eq!((host.on(0), host.on(1)), (None, None));
}

#[test]
fn paper_hls_5_3_1_2_the_lower_parent_has_its_processor_back_at_once() {
    let (mut host, parents, join) = joined();
    let child = host.spin(join, "child", &[]);
    let low = host.spin(parents[0], "low", &[Message::Priority(1)]);
    assert_eq!((host.on(0), host.on(1)), (Some(low), Some(child)));
    let high = host.spin(parents[1], "high", &[Message::Priority(9)]);
    assert_eq!((host.on(0), host.on(1)), (Some(child), Some(high)));
    host.exit(high);
    assert_eq!((host.on(0), host.on(1)), (Some(low), Some(child)));
}

#[test]
fn refuses_a_second_child_and_parameters_beside_accepts_jobs() {
    let (mut host, _, join) = joined();
    let child = host.thread(join, "child", &[]);
    let second = host.try_thread(join, "second", &[]);
    assert!(matches!(second, Err(Refusal::Full { .. })));
    let share = host.tell(child, Message::Share(2));
    assert!(matches!(share, Err(Refusal::NotUnderstood { .. })));
    let reserved = host.tell(child, reserve(MS, 10 * MS));
    assert!(matches!(reserved, Err(Refusal::NotUnderstood { .. })));
    host.tell(child, periodic(10 * MS, 10 * MS)).unwrap();
    host.ask(join, 1, Message::Priority(7)).unwrap();
    host.exit(child);
    host.thread(join, "another", &[]);
}
