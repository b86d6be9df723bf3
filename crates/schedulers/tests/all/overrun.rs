//! The overrun partition: figure 6.4 by hand, and the promises beside it.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::{Host, MS, conversion, gives, promise, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Supply};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, Parent};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::kinds;

/// A reservation scheduler, a partition of `z` in 33 ms below it, shared by EDF, and time sharing
/// below both.
fn figure_6_4(z: u64) -> (Host, [NodeId; 3]) {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let rez = host.below(root, "rez", "rez", &[Message::Priority(9)]);
    let partition = host.below(rez, "partition", "edf", &[reserve(z, 33 * MS)]);
    (host, [root, rez, partition])
}

/// A probabilistic reservation of 5 ms in 33 ms.
fn video(host: &mut Host, [_, rez, partition]: [NodeId; 3], name: &str, work: u64) -> usize {
    let reserved = [reserve(5 * MS, 33 * MS)];
    let owns: [(Parent, &[Message]); 2] =
        [(Parent::Node(rez), &reserved), (Parent::Node(partition), &[])];
    let join = host.try_node(&format!("j-{name}"), "overrun", &[], &owns).unwrap();
    host.cycle(join, name, &[], (work, 33 * MS))
}

/// The partition waits for the first 5 ms. Of its 10 ms, rez gives the part for the other 28 ms at a steady rate,
/// 8.48 ms: a partition that sleeps gives less than its size.
#[test]
fn paper_hls_6_2_2_an_overrun_is_served_by_the_partition() {
    let (mut host, nodes) = figure_6_4(10 * MS);
    host.spin(nodes[0], "rest", &[]);
    video(&mut host, nodes, "long", 15 * MS);
    host.run_to(33 * MS - 1);
    assert_eq!(host.timeline(0), "0 long, 13.484848 rest");
}

#[test]
fn paper_hls_6_2_2_the_partition_is_shared_and_when_demand_collides_somebody_waits() {
    let (mut host, nodes) = figure_6_4(10 * MS);
    let two = video(&mut host, nodes, "two", 15 * MS);
    let three = video(&mut host, nodes, "three", 15 * MS);
    host.run_to(33 * MS - 1);
    let both = host.ran(two) + host.ran(three);
    assert!((18 * MS..=20 * MS).contains(&both), "5 + 5 + at most 10, and not 30: {both}");
    assert!(host.ran(two) >= 5 * MS && host.ran(three) >= 5 * MS);
}

#[test]
fn paper_hls_6_2_2_somebody_more_urgent_is_no_reason_to_ask_the_partition() {
    let (mut host, nodes) = figure_6_4(10 * MS);
    let child = video(&mut host, nodes, "child", 5 * MS);
    host.run_to(2 * MS);
    let urgent = host.thread(nodes[1], "urgent", &[reserve(4 * MS, 8 * MS)]);
    host.wake_for(urgent, 4 * MS);
    assert_eq!(host.on(0), Some(urgent));
    host.run_to(33 * MS - 1);
    assert_eq!(host.timeline(0), "0 child, 2 urgent, 6 child, 9 -");
    assert_eq!(host.ran(child), 5 * MS);
    // All of the partition's budget is still there for another.
    let other = host.spin(nodes[2], "other", &[]);
    host.run_to(33 * MS + 20 * MS);
    assert_eq!(host.ran(other), 10 * MS);
}

#[test]
fn paper_hls_6_2_2_it_goes_back_when_its_budget_is_replenished() {
    let (mut host, nodes) = figure_6_4(20 * MS);
    let child = video(&mut host, nodes, "child", 40 * MS);
    let rival = host.thread(nodes[2], "rival", &[]);
    host.run_to(30 * MS);
    assert_eq!(host.ran(child), 5 * MS + 16_969_696, "its own 5 and 28/33 of the partition's 20");
    // In the next period another has the partition, and the child its reservation.
    host.run_to(33 * MS);
    host.wake(rival);
    let before = host.ran(child);
    host.run_to(66 * MS - 1);
    assert!(host.ran(child) >= before + 5 * MS);
}

#[test]
fn refuses_a_second_child_and_parameters_beside_accepts_jobs() {
    let (mut host, nodes) = figure_6_4(10 * MS);
    let child = video(&mut host, nodes, "child", MS);
    let join = host.tree.parent_of(host.threads[child].id).unwrap();
    assert!(matches!(
        host.try_thread(join, "second", &[]),
        Err(HierarchyError::Refused(AnswerError::Full { .. }))
    ));
    assert!(matches!(
        host.tell(child, Message::Share(2)),
        Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. }))
    ));
    host.tell(child, crate::common::periodic(33 * MS, 33 * MS)).unwrap();
}

#[test]
fn paper_hls_5_2_2_2_of_a_partition_follows_nothing_but_a_chance() {
    let own = [promise("RESBH 5ms 33ms"), Guarantee::Null];
    let offered = |partition: u64| {
        let settings = [("partition", Value::Span(span(partition)))];
        let offers =
            conversion("overrun", &settings).give(Supply::of(&own), &[ChildParams::default()]);
        (gives(&offers[0]), offers[0].lacks.is_some())
    };
    let both = vec!["RESBS 5ms 33ms".to_owned(), "RESPS 5ms 33ms 10ms".to_owned()];
    assert_eq!(offered(10 * MS), (both, false));
    assert_eq!(offered(34 * MS), (vec!["RESBS 5ms 33ms".to_owned()], true));
    let offers = conversion("overrun", &[]).give(Supply::of(&own), &[ChildParams::default()]);
    assert_eq!(gives(&offers[0]), ["RESBS 5ms 33ms"]);
}

proptest! {
    #[test]
    fn law_the_reservation_is_kept_whatever_becomes_of_the_partition(
        z in MS..=18 * MS,
        works in prop::collection::vec(MS..50 * MS, 1..4),
        rivals in prop::collection::vec(
            (0..40 * MS, (MS..20 * MS, MS..60 * MS), (MS..40 * MS, MS..60 * MS)),
            0..5,
        ),
        rest in any::<bool>(),
    ) {
        let (mut host, nodes) = figure_6_4(z);
        if rest {
            host.spin(nodes[0], "rest", &[]);
        }
        let mut children = Vec::new();
        for (number, work) in works.iter().enumerate() {
            children.push(video(&mut host, nodes, &format!("v{number}"), *work));
        }
        for (after, (amount, period), (work, every)) in rivals {
            host.run_for(after);
            let requested = reserve(amount.min(period), period);
            let parent = if amount % 2 == 0 { nodes[1] } else { nodes[2] };
            let ask: &[Message] = if parent == nodes[1] { &[requested] } else { &[] };
            if let Ok(rival) = host.try_thread(parent, "rival", ask) {
                if work < every { host.begin_cycle(rival, (work, every)) } else { host.wake(rival) }
            }
        }
        host.run_for(500 * MS);
        let own = [promise("RESBH 5ms 33ms"), Guarantee::Null];
        let settings = [("partition", Value::Span(span(z)))];
        let offers = conversion("overrun", &settings).give(Supply::of(&own), &[ChildParams::default()]);
        for child in children {
            for given in &offers[0].gives {
                host.keeps(child, 0, &given.guarantee);
            }
        }
    }
}
