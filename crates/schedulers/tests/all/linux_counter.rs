//! Linux 2.2 and 2.4, by hand.

use crate::common::{Host, MS, S};
use windfall_hierarchy::{Message, NodeId};
use windfall_schedulers::catalogue::Value;

fn nice(n: i32) -> [Message; 1] {
    [Message::Priority(-n)]
}

fn machine(processors: u16, version: &'static str) -> (Host, NodeId) {
    let mut host = Host::new(processors);
    let root = host.root("linux-2.4", &[("version", Value::Word(version))]);
    (host, root)
}

#[test]
fn paper_linux_2_4_37_equals_run_for_60_ms_and_on_2_2_26_for_200_ms() {
    let (mut host, root) = machine(1, "2.4");
    host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    host.run_to(200 * MS);
    // The child that woke last goes first in the next epoch, so there is no switch.
    assert_eq!(host.timeline(0), "0 a, 60 b, 180 a");
    let (mut host, root) = machine(1, "2.2");
    host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    host.run_to(650 * MS);
    assert_eq!(host.timeline(0), "0 a, 200 b, 600 a");
}

#[test]
fn paper_linux_2_4_37_nice_decides_how_many_ticks_there_are_in_an_epoch() {
    for (n, ticks) in [(19, 1), (16, 2), (0, 6), (-10, 8), (-20, 11)] {
        let (mut host, root) = machine(1, "2.4");
        let zero = host.spin(root, "zero", &[]);
        let other = host.spin(root, "other", &nice(n));
        // In the first epoch each child has the ticks of a new one at nice 0.
        host.run_to(120 * MS + 1000 * (6 + ticks) * 10 * MS);
        assert_eq!(host.ran(zero), 60 * MS + 1000 * 60 * MS, "nice {n}");
        assert_eq!(host.ran(other), 60 * MS + 1000 * ticks * 10 * MS, "nice {n}");
    }
}

/// A counter grows to nearly twice an epoch's ticks while its child waits.
#[test]
fn paper_linux_2_4_37_one_that_waits_gathers_ticks_and_preempts() {
    let (mut host, root) = machine(1, "2.4");
    host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    let waiter = host.thread(root, "waiter", &[]);
    host.run_to(2 * S + 5 * MS);
    host.wake(waiter);
    assert_eq!(host.on(0), Some(waiter));
    host.run_to(2 * S + 109 * MS);
    assert_eq!(host.on(0), Some(waiter), "11 ticks");
    host.run_to(2 * S + 110 * MS);
    assert_ne!(host.on(0), Some(waiter));
}

/// Compares with the slow definition: every counter is halved and added to whenever no ready child has ticks.
#[test]
fn limit_counters_are_those_of_a_loop_over_all() {
    let (mut host, root) = machine(1, "2.4");
    let values = [0, 5, -20, 19, 10];
    let threads: Vec<_> =
        values.iter().map(|n| host.spin(root, &format!("t{n}"), &nice(*n))).collect();
    let added: Vec<i32> = values.iter().map(|n| (20 - n) / 4 + 1).collect();
    let mut counters = vec![6; values.len()];
    // Of the children that wake, only the one at -20 exceeds the first by enough.
    let mut runs = 2;
    host.run_to(5 * MS);
    assert_eq!(host.on(0), Some(threads[runs]));
    for tick in 1..3000 {
        counters[runs] -= 1;
        if counters[runs] == 0 {
            if counters.iter().all(|counter| *counter == 0) {
                for (counter, added) in counters.iter_mut().zip(&added) {
                    *counter = *counter / 2 + added;
                }
            }
            let goodness = |n: &usize| match counters[*n] {
                0 => 0,
                counter => counter + 20 - values[*n],
            };
            runs = (0..values.len()).max_by_key(|n| (goodness(n), *n)).unwrap();
        }
        host.run_to(tick * 10 * MS + 5 * MS);
        assert_eq!(host.on(0), Some(threads[runs]), "tick {tick}");
    }
}

#[test]
fn limit_one_that_yields_lets_all_with_ticks_go_first() {
    let (mut host, root) = machine(1, "2.4");
    let a = host.spin(root, "a", &[]);
    host.spin(root, "b", &[]);
    host.run_to(5 * MS);
    host.yields(a);
    host.run_to(119 * MS);
    assert_eq!(host.timeline(0), "0 a, 5 b, 60 a");
}

#[test]
fn accepts_two_processors_and_leaves_none_idle() {
    let (mut host, root) = machine(2, "2.4");
    let all: Vec<_> = (0..3).map(|n| host.spin(root, &format!("t{n}"), &[])).collect();
    host.run_to(18 * S);
    let total: u64 = all.iter().map(|thread| host.ran(*thread)).sum();
    assert_eq!(total, 36 * S);
    // Not exactly: an epoch may end while a child still runs, which then gathers more ticks.
    for thread in all {
        assert!(host.ran(thread).abs_diff(12 * S) <= 12 * S / 5, "{}", host.ran(thread));
    }
}

#[test]
fn refuses_nice_values_outside_minus_20_to_19_beside_accepts_both_ends() {
    let (mut host, root) = machine(1, "2.4");
    let a = host.thread(root, "a", &[]);
    for (n, ok) in [(-21, false), (-20, true), (19, true), (20, false)] {
        assert_eq!(host.tell(a, Message::Priority(-n)).is_ok(), ok, "{n}");
    }
    assert!(host.tell(a, Message::Priority(i32::MIN)).is_err());
}
