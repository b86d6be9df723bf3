//! Join, by hand.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::{Host, MS, conversion, gives, periodic, promise, reserve};
use proptest::prelude::*;
use windfall_guarantees::{ChildParams, Guarantee, Supply};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, Parent, VpState};
use windfall_schedulers::kinds;

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
    assert!(matches!(second, Err(HierarchyError::Refused(AnswerError::Full { .. }))));
    let share = host.tell(child, Message::Share(2));
    assert!(matches!(share, Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. }))));
    let reserved = host.tell(child, reserve(MS, 10 * MS));
    assert!(matches!(reserved, Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. }))));
    host.tell(child, periodic(10 * MS, 10 * MS)).unwrap();
    host.ask(join, 1, Message::Priority(7)).unwrap();
    host.exit(child);
    host.thread(join, "another", &[]);
}

#[test]
fn paper_hls_5_3_1_2_any_one_of_the_guarantees_in_its_soft_form() {
    let own = [promise("RESBH 2ms 30ms"), promise("RESCH 3ms 40ms"), promise("NULL")];
    let offers = conversion("join", &[]).give(Supply::on_one(&own), &[ChildParams::default()]);
    let offered = gives(&offers[0]);
    for soft in ["RESBS 2ms 30ms", "RESCS 3ms 40ms"] {
        assert!(offered.iter().any(|given| given == soft), "{offered:?}");
    }
}

#[test]
fn paper_hls_5_3_1_2_continuous_reservations_and_shares_add_up() {
    let sums = |own: &[&str]| {
        let own: Vec<Guarantee> = own.iter().map(|text| promise(text)).collect();
        gives(&conversion("join", &[]).give(Supply::on_one(&own), &[ChildParams::default()])[0])
    };
    let continuous = sums(&["RESCS 2ms 30ms", "RESCS 3ms 30ms"]);
    assert!(continuous.contains(&"RESCS 5ms 30ms".into()), "{continuous:?}");
    let bounded = sums(&["PSBE 1/5 3ms", "PSBE 3/10 4ms"]);
    assert!(bounded.contains(&"PSBE 1/2 7ms".into()), "{bounded:?}");
    let shares = sums(&["PS 1/5", "RESBS 3ms 10ms"]);
    assert!(shares.contains(&"PS 1/2".into()), "{shares:?}");
    let basic = sums(&["RESBS 2ms 30ms", "RESBS 3ms 30ms"]);
    assert!(basic.contains(&"RESCS 5ms 58ms".into()), "{basic:?}");
    assert!(!basic.contains(&"RESBS 5ms 30ms".into()), "{basic:?}");
}

#[test]
fn refuses_on_several_processors_what_lower_parents_give() {
    let own = [promise("RESBH 2ms 30ms"), promise("RESCH 3ms 40ms")];
    let offers = conversion("join", &[]).give(Supply::of(&own), &[ChildParams::default()]);
    assert_eq!(gives(&offers[0]), ["RESCS 3ms 40ms"]);
}

/// Two ways lead through one time-sharing scheduler on one processor, and one to another processor. Requested again
/// each time that the other way served, the first way preempted the second, without end.
#[test]
fn r0006_a_join_asked_again_for_what_it_had_given_back() {
    let mut host = Host::new(2);
    let one = host.try_node("one", "edf", &[], &[(Parent::Top, &[])]).unwrap();
    let two = host.try_node("two", "time-sharing", &[], &[(Parent::Top, &[])]).unwrap();
    let owns = [two, one, two].map(|parent| (Parent::Node(parent), &[][..]));
    let join = host.try_node("join", "join", &[], &owns).unwrap();
    let child = host.spin(join, "child", &[]);
    host.block(child);
    host.run_for(1);
    host.wake(child);
    host.run_for(20 * MS);
    assert_eq!(host.ran(child), 20 * MS);
}

/// A join of two reservations of one scheduler, the second made `late`.
fn askew(amounts: (u64, u64), period: u64, late: u64) -> (Host, [NodeId; 3], usize) {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let rez = host.below(root, "rez", "rez", &[Message::Priority(9)]);
    let first = [reserve(amounts.0, period)];
    let owns: [(Parent, &[Message]); 2] = [(Parent::Node(rez), &first), (Parent::Node(rez), &[])];
    let join = host.try_node("join", "join", &[], &owns).unwrap();
    let child = host.spin(join, "child", &[]);
    host.run_to(late);
    host.ask(join, 1, reserve(amounts.1, period)).unwrap();
    (host, [root, rez, join], child)
}

/// 5.3.1.2 adds RESBS 2 30 and RESBS 3 30 to RESBS 5 30. If the periods begin 27 ms apart, the least service in 55
/// ms, from 31 ms on, is 4 ms.
#[test]
fn refuses_the_papers_sum_of_basic_reservations_whose_periods_lie_askew() {
    let (mut host, [_, rez, _], child) = askew((2 * MS, 3 * MS), 30 * MS, 27 * MS);
    host.run_to(55 * MS);
    host.spin(rez, "other", &[reserve(14 * MS, 17 * MS)]);
    host.run_to(115 * MS);
    assert!(host.judge(child, 27 * MS, &promise("RESBS 5ms 30ms")).is_broken());
    host.keeps(child, 27 * MS, &promise("RESCS 5ms 58ms"));
}

#[test]
fn law_each_parent_is_asked_as_long_as_the_child_is_runnable() {
    let (mut host, [_, _, join], child) = askew((MS, MS), 10 * MS, 0);
    let requested = |host: &Host| {
        let owns = host.tree.node(join).unwrap().owns;
        owns.iter().all(|(_, state)| *state != VpState::Waiting)
    };
    for _ in 0..40 {
        assert!(requested(&host), "at {} ns", host.now);
        host.run_for(MS / 2);
    }
    host.block(child);
    assert!(!requested(&host));
}

/// A competitor: its start, its reservation, its work and period (or work for ever).
type Rival = (u64, (u64, u64), (u64, u64));

fn rivals(most: u64) -> impl Strategy<Value = Vec<Rival>> {
    let ms = MS..=most * MS;
    let rival = (0..40 * MS, (ms.clone(), ms.clone()), (ms.clone(), ms));
    prop::collection::vec(rival, 0..6)
}

/// Adds rivals below `rez`, as far as they are admitted, and below the root.
fn compete(host: &mut Host, [root, rez]: [NodeId; 2], rivals: &[Rival]) {
    for (after, (amount, period), (work, every)) in rivals {
        host.run_for(*after);
        let requested = reserve(*amount.min(period), *period);
        let rival = host.try_thread(rez, "rival", &[requested]);
        let rival = rival.unwrap_or_else(|_| host.thread(root, "low", &[]));
        if work < every { host.begin_cycle(rival, (*work, *every)) } else { host.wake(rival) }
    }
}

proptest! {
    #[test]
    fn law_every_sum_is_kept_on_one_processor(
        amounts in (MS..15 * MS, MS..15 * MS),
        late in 0..60 * MS,
        work in prop::option::of((MS..80 * MS, 40 * MS..90 * MS)),
        rivals in rivals(40),
    ) {
        let period = 30 * MS;
        let (mut host, [root, rez, _], child) = askew(amounts, period, late);
        if let Some((work, every)) = work {
            host.block(child);
            host.begin_cycle(child, (work, every));
        }
        let begun = host.now;
        compete(&mut host, [root, rez], &rivals);
        host.run_for(600 * MS);
        let own = [amounts.0, amounts.1].map(|amount| {
            Guarantee::BasicHard(crate::common::span(amount).into(), crate::common::span(period).into())
        });
        let offers = conversion("join", &[]).give(Supply::on_one(&own), &[ChildParams::default()]);
        prop_assert!(offers[0].gives.len() >= 5);
        for given in &offers[0].gives {
            host.keeps(child, begun, &given.guarantee);
        }
    }

    #[test]
    fn law_the_last_parents_guarantee_is_kept_on_two_processors(
        amount in MS..20 * MS,
        work in prop::option::of((MS..80 * MS, 40 * MS..90 * MS)),
        here in rivals(30),
        there in rivals(30),
    ) {
        let (mut host, [zero, one], _) = joined();
        let rez = host.below(one, "rez", "rez", &[Message::Priority(9)]);
        let high = [Message::Priority(5)];
        let requested = [reserve(amount, 20 * MS)];
        let owns: [(Parent, &[Message]); 2] = [(Parent::Node(zero), &high), (Parent::Node(rez), &requested)];
        let join = host.try_node("two", "join", &[], &owns).unwrap();
        let child = host.thread(join, "child", &[]);
        match work {
            Some(work) => host.begin_cycle(child, work),
            None => host.wake(child),
        }
        for (delay, _, work) in here {
            host.run_for(delay);
            host.cycle(zero, "rival", &[Message::Priority(7)], work);
        }
        compete(&mut host, [one, rez], &there);
        host.run_for(400 * MS);
        let reserved = Guarantee::BasicHard(crate::common::span(amount).into(), crate::common::span(20 * MS).into());
        let offers = conversion("join", &[]).give(Supply::of(&[Guarantee::Null, reserved]), &[ChildParams::default()]);
        for given in &offers[0].gives {
            host.keeps(child, 0, &given.guarantee);
        }
    }
}
