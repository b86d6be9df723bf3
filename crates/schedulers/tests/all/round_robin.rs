//! Round robin, by hand.

use crate::common::{Host, MS, span};
use windfall_hierarchy::{AnswerError, HierarchyError, Message};
use windfall_schedulers::Affinity;
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;
use windfall_schedulers::time_sharing::RoundRobin;

#[test]
fn accepts_each_in_turn_a_quantum_long() {
    let mut host = Host::new(1);
    let root = host.top(RoundRobin::default().quantum(span(4 * MS)));
    for name in ["a", "b", "c"] {
        host.spin(root, name, &[]);
    }
    host.run_to(16 * MS);
    assert_eq!(host.timeline(0), "0 a, 4 b, 8 c, 12 a, 16 b");
}

#[test]
fn accepts_more_threads_than_processors() {
    let mut host = Host::new(2);
    let root = host.top(RoundRobin::default().affinity(Affinity::None));
    let threads = ["a", "b", "c"].map(|name| host.spin(root, name, &[]));
    host.run_to(30 * MS);
    for thread in threads {
        assert_eq!(host.ran(thread), 20 * MS);
    }
}

#[test]
fn law_children_whose_quanta_end_together_have_equal_turns() {
    let alike = [Value::Word("none"), Value::Word("weak"), Value::Word("strong")];
    let kinds = alike.iter().flat_map(|word| {
        ["round-robin", "time-sharing"].map(|kind| (kind, vec![("affinity", *word)]))
    });
    for (kind, settings) in kinds.chain([("weighted-round-robin", Vec::new())]) {
        for (processors, count) in [(2, 3), (3, 4), (3, 5), (4, 5), (4, 7)] {
            let mut host = Host::new(processors);
            let root = host.root(kind, &settings);
            let threads: Vec<_> = (0..count).map(|_| host.spin(root, "spinner", &[])).collect();
            host.run_to(10_000 * MS);
            let ran: Vec<u64> = threads.iter().map(|thread| host.ran(*thread)).collect();
            let apart = ran.iter().max().unwrap() - ran.iter().min().unwrap();
            // With affinity, a child's turn comes some quanta early or late.
            assert!(apart <= 240 * MS, "{kind} {settings:?} on {processors}: {ran:?}");
        }
    }
}

#[test]
fn limit_a_preempted_child_keeps_the_rest_of_its_quantum() {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let line = host.below(root, "line", "round-robin", &[]);
    host.spin(line, "a", &[]);
    host.spin(line, "b", &[]);
    let high = host.thread(root, "high", &[Message::Priority(1)]);
    host.run_to(7 * MS);
    host.wake_for(high, 2 * MS);
    host.run_to(22 * MS);
    assert_eq!(host.timeline(0), "0 a, 7 high, 9 a, 12 b, 22 a");
}

#[test]
fn limit_a_lone_child_begins_a_quantum_when_one_ends() {
    let mut host = Host::new(1);
    let root = host.top(kinds::ROUND_ROBIN);
    host.spin(root, "a", &[]);
    host.run_to(23 * MS);
    host.spin(root, "b", &[]);
    host.run_to(30 * MS);
    assert_eq!(host.timeline(0), "0 a, 30 b");
}

#[test]
fn refuses_a_quantum_of_nothing_beside_accepts_another_length() {
    let mut host = Host::new(1);
    let root = host.top(kinds::ROUND_ROBIN);
    let zero = host.tree.configure(crate::common::at(0), root, Message::Quantum(span(0)));
    assert!(matches!(
        zero,
        Err(HierarchyError::Refused(AnswerError::OutOfRange { what: "quantum", .. }))
    ));
    let set = host.tree.configure(crate::common::at(0), root, Message::Quantum(span(MS)));
    assert_eq!(set, Ok(()));
    host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    host.run_to(2 * MS);
    assert_eq!(host.timeline(0), "0 a, 1 b, 2 a");
}
