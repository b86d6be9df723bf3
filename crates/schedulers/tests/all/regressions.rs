//! Defects that random testing has found and that a small script reproduces. Others are kept in `hierarchy/tests/random.rs` as the steps that led to
//! them, or are of the hierarchy and in `hierarchy/tests/quarantine.rs`.

use crate::common::Host;
use windfall_hierarchy::{Message, Parent};

/// Two parents of one scheduler: one busy with something better, the other idle.
#[test]
fn r0002_a_ready_thread_waited_for_a_busy_parent_while_another_was_idle() {
    let mut host = Host::new(2);
    let [zero, one] = ["zero", "one"].map(|name| {
        let top: (Parent, &[Message]) = (Parent::Top, &[]);
        host.try_node(name, "fixed-priority", &[], &[top]).unwrap()
    });
    let busy = host.spin(zero, "busy", &[Message::Priority(9)]);
    let parents = [(Parent::Node(zero), &[][..]), (Parent::Node(one), &[][..])];
    let both = host.try_node("both", "edf", &[], &parents).unwrap();
    let thread = host.spin(both, "thread", &[]);
    assert_eq!((host.on(0), host.on(1)), (Some(busy), Some(thread)));
}
