//! The parts of Rialto, as in figure 6.5: the time line, activities, briefly blocked threads, and the rest.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use crate::common::{Host, MS, T, at, conversion, gives, promise, reserve, span};
use proptest::prelude::*;
use windfall_guarantees::{ChildParam, ChildParams, Guarantee, Supply};
use windfall_hierarchy::{AnswerError, HierarchyError, Message, NodeId, Parent};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters;

fn constraint(work: u64, deadline: u64) -> Message {
    parameters::constraint(span(work), at(deadline))
}

#[test]
fn paper_hls_5_2_2_2_a_continuous_reservation_has_its_offset() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_LINE);
    let a = host.spin(root, "a", &[reserve(3 * MS, 10 * MS)]);
    let b = host.spin(root, "b", &[reserve(2 * MS, 20 * MS)]);
    host.run_to(40 * MS - 1);
    let line = "0 a, 3 b, 5 -, 10 a, 13 -, 20 a, 23 b, 25 -, 30 a, 33 -";
    assert_eq!(host.timeline(0), line);
    host.keeps(a, 0, &promise("RESCS 3ms 10ms"));
    host.keeps(b, 0, &promise("RESCS 2ms 20ms"));
}

#[test]
fn refuses_what_the_plan_has_no_place_for_beside_accepts_what_it_has() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_LINE);
    let a = host.thread(root, "a", &[reserve(3 * MS, 10 * MS)]);
    let long = host.try_thread(root, "long", &[reserve(8 * MS, 100 * MS)]);
    assert!(
        matches!(long, Err(HierarchyError::Refused(AnswerError::NoPlace { .. }))),
        "longer than the gaps of a"
    );
    let odd = host.try_thread(root, "odd", &[reserve(MS, 7 * MS)]);
    assert!(
        matches!(odd, Err(HierarchyError::Refused(AnswerError::NoPlace { .. }))),
        "always meets a at last"
    );
    host.thread(root, "gap", &[reserve(7 * MS, 100 * MS)]);
    host.tell(a, reserve(MS, 10 * MS)).unwrap();
    assert!(host.tell(a, reserve(4 * MS, 10 * MS)).is_err());
    assert!(matches!(
        host.tell(a, reserve(2, 1)),
        Err(HierarchyError::Refused(AnswerError::OutOfRange { .. }))
    ));
    host.tell(a, Message::Unreserve).unwrap();
    host.thread(root, "whole", &[reserve(3 * MS, 10 * MS)]);
    assert!(matches!(
        host.tell(a, Message::Share(1)),
        Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. }))
    ));
}

#[test]
fn paper_hls_6_2_4_a_constraint_takes_its_own_blocks_first_then_what_is_nobodys() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_LINE);
    let a = host.spin(root, "a", &[reserve(3 * MS, 10 * MS)]);
    let b = host.spin(root, "b", &[reserve(2 * MS, 10 * MS)]);
    host.run_to(6 * MS);
    // 6 ms by 20 ms: 3 ms in the block at 10 ms, and so 3 ms of the free time, at once.
    host.tell(a, constraint(6 * MS, 20 * MS)).unwrap();
    // 1 ms by 8 ms: more urgent, in free time.
    host.tell(b, constraint(MS, 8 * MS)).unwrap();
    host.run_to(20 * MS - 1);
    assert_eq!(host.timeline(0), "0 a, 3 b, 5 -, 6 b, 7 a, 13 b, 15 -");
}

#[test]
fn refuses_a_constraint_that_does_not_fit_beside_accepts_one_that_just_does() {
    let mut host = Host::new(1);
    let root = host.top(kinds::TIME_LINE);
    let a = host.spin(root, "a", &[reserve(3 * MS, 10 * MS)]);
    let b = host.spin(root, "b", &[reserve(2 * MS, 10 * MS)]);
    let none = host.spin(root, "none", &[]);
    // Until 20 ms: 6 ms belong to a, 4 ms to b, 10 ms to nobody.
    assert!(matches!(
        host.tell(a, constraint(17 * MS, 20 * MS)),
        Err(HierarchyError::Refused(AnswerError::NoRoom { .. }))
    ));
    host.tell(a, constraint(14 * MS, 20 * MS)).unwrap();
    assert!(matches!(
        host.tell(b, constraint(7 * MS, 20 * MS)),
        Err(HierarchyError::Refused(AnswerError::NoRoom { .. }))
    ));
    host.tell(b, constraint(5 * MS, 20 * MS)).unwrap();
    assert!(host.tell(none, constraint(MS + 1, 20 * MS)).is_err());
    host.tell(none, constraint(MS, 20 * MS)).unwrap();
    assert!(matches!(
        host.tell(none, constraint(2, 1)),
        Err(HierarchyError::Refused(AnswerError::OutOfRange { .. }))
    ));
    host.run_to(20 * MS);
    assert_eq!([a, b, none].map(|thread| host.ran(thread)), [14 * MS, 5 * MS, MS]);
}

#[test]
fn paper_hls_table_5_1_a_whole_processor_becomes_continuous_reservations() {
    let conversion = conversion("time-line", &[]);
    let told = conversion.parameter_for(&promise("RESCS 3ms 10ms")).unwrap();
    assert_eq!(told, ChildParam::Reserve { amount: span(3 * MS), period: span(10 * MS) });
    assert!(conversion.parameter_for(&promise("RESBH 3ms 10ms")).is_err());
    let params = |(amount, period): (u64, u64)| {
        ChildParams::default().reserve(span(amount * MS), span(period * MS))
    };
    let params = [(3, 10), (8, 100), (2, 20)].map(params);
    let offers = conversion.give(Supply::of(&[Guarantee::All]), &params);
    let offered: Vec<Vec<String>> = offers.iter().map(gives).collect();
    assert_eq!(offered, [vec!["RESCS 3ms 10ms"], vec![], vec!["RESCS 2ms 20ms"]]);
    assert!(offers[1].lacks.is_some());
}

/// Figure 6.5: for each activity a reservation and threads, each below a join of three.
struct Rialto {
    host: Host,
    activity: NodeId,
    threads: Vec<T>,
}

fn figure_6_5(names: &[&str]) -> Rialto {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let line = host.below(root, "line", "time-line", &[Message::Priority(3)]);
    let blocked = host.below(root, "blocked", "briefly-blocked", &[Message::Priority(2)]);
    let rest = host.below(root, "rest", "round-robin", &[Message::Priority(1)]);
    let activity = host.below(line, "activity", "activity", &[reserve(4 * MS, 20 * MS)]);
    let mut threads = Vec::new();
    for name in names {
        let owns = [rest, blocked, activity].map(|parent| (Parent::Node(parent), &[][..]));
        let join = host.try_node(&format!("j-{name}"), "join", &[], &owns).unwrap();
        threads.push(host.thread(join, name, &[]));
    }
    Rialto { host, activity, threads }
}

#[test]
fn paper_hls_6_2_4_what_is_left_goes_round() {
    let Rialto { mut host, threads, .. } = figure_6_5(&["a", "b"]);
    threads.iter().for_each(|thread| host.wake(*thread));
    host.run_to(200 * MS);
    assert_eq!(host.ran(threads[0]) + host.ran(threads[1]), 200 * MS);
    let apart = host.ran(threads[0]).abs_diff(host.ran(threads[1]));
    assert!(apart <= 20 * MS, "{apart}");
}

#[test]
fn paper_hls_6_2_4_the_activity_serves_the_thread_with_the_constraint() {
    let Rialto { mut host, activity, threads } = figure_6_5(&["a", "b", "c"]);
    threads.iter().for_each(|thread| host.wake(*thread));
    let spinner = host.spin(activity, "spinner", &[]);
    host.run_to(40 * MS);
    for round in 0..10 {
        let begun = host.now;
        let urgent = threads[round % 3];
        // 4 ms come from the activity's block and 6 ms from free time, whichever thread has its turn elsewhere.
        host.tell(urgent, constraint(10 * MS, begun + 20 * MS)).unwrap();
        host.run_to(begun + 20 * MS);
        assert!(host.ran_within(urgent, begun, begun + 20 * MS) >= 10 * MS, "round {round}");
    }
    assert!(host.ran(spinner) < 40 * MS, "it is in no other scheduler's line");
}

#[test]
fn paper_hls_6_2_4_who_was_blocked_briefly_catches_up_before_the_rest() {
    let Rialto { mut host, threads, .. } = figure_6_5(&["a", "b"]);
    let [a, b] = threads[..] else { panic!("two threads") };
    host.wake(a);
    host.wake(b);
    host.run_to(45 * MS);
    host.block(a);
    host.run_for(6 * MS);
    host.wake(a);
    host.run_for(6 * MS);
    assert_eq!(host.ran_within(a, 51 * MS, 57 * MS), 6 * MS, "a credit of 6 ms");
    host.run_to(100 * MS);
    host.block(a);
    host.run_for(200 * MS + 4 * MS);
    host.wake(a);
    host.run_for(16 * MS);
    let ran = host.ran_within(a, 304 * MS, 320 * MS);
    assert!((10 * MS..16 * MS).contains(&ran), "a credit of 10 ms at most, and its turn: {ran}");
}

/// The load of a thread of the time line: its reservation, and its work and period if it does not always work.
type Load = ((u64, u64), Option<(u64, u64)>);

fn loads() -> impl Strategy<Value = Vec<Load>> {
    let periods = prop::sample::select(vec![5_u64, 10, 12, 15, 20, 30, 40, 60]);
    let load = ((1..12_u64, periods), prop::option::of((1..60_u64, 1..60_u64)));
    prop::collection::vec(load, 1..7)
}

/// Threads, and their promises.
fn line(loads: &[Load]) -> (Host, Vec<(T, Vec<Guarantee>)>) {
    let mut host = Host::new(1);
    let root = host.top(kinds::FIXED_PRIORITY);
    let line = host.below(root, "line", "time-line", &[Message::Priority(3)]);
    host.spin(root, "low", &[Message::Priority(1)]);
    let size = |load: &Load| (load.0.0.min(load.0.1) * MS, load.0.1 * MS);
    let params: Vec<ChildParams> = loads
        .iter()
        .map(|load| ChildParams::default().reserve(span(size(load).0), span(size(load).1)))
        .collect();
    let offers = conversion("time-line", &[]).give(Supply::of(&[Guarantee::All]), &params);
    let mut threads = Vec::new();
    for (load, offer) in loads.iter().zip(&offers) {
        let (amount, period) = size(load);
        let thread = host.try_thread(line, "t", &[reserve(amount, period)]);
        assert_eq!(thread.is_ok(), offer.lacks.is_none(), "admission as the checker says");
        let thread = thread.unwrap_or_else(|_| host.thread(line, "none", &[]));
        match load.1 {
            Some((work, every)) => host.begin_cycle(thread, (work * MS, every * MS)),
            None => host.wake(thread),
        }
        threads.push((thread, offer.gives.iter().map(|given| given.guarantee).collect()));
    }
    (host, threads)
}

proptest! {
    #[test]
    fn law_continuous_reservations_are_kept_whatever_constraints_come(
        loads in loads(),
        wishes in prop::collection::vec((0..30 * MS, any::<prop::sample::Index>(), 0..30 * MS, 0..80 * MS), 0..40),
    ) {
        let (mut host, threads) = line(&loads);
        for (after, who, work, due) in wishes {
            host.run_for(after);
            let (thread, _) = threads[who.index(threads.len())];
            let _ = host.tell(thread, constraint(work, host.now + due));
        }
        host.run_for(300 * MS);
        for (thread, promises) in threads {
            for promise in promises {
                host.keeps(thread, 0, &promise);
            }
        }
    }

    #[test]
    fn law_an_accepted_constraint_is_met_by_a_thread_that_does_not_block(
        loads in loads(),
        wishes in prop::collection::vec((0..30 * MS, any::<prop::sample::Index>(), 0..30 * MS, 0..80 * MS), 0..40),
    ) {
        let (mut host, threads) = line(&loads);
        let mut accepted: Vec<(T, u64, u64, u64)> = Vec::new();
        for (after, who, work, due) in wishes {
            host.run_for(after);
            let at = who.index(threads.len());
            let (thread, begun) = (threads[at].0, host.now);
            if host.tell(thread, constraint(work, begun + due)).is_ok() && loads[at].1.is_none() {
                accepted.push((thread, begun, begun + due, work));
            }
        }
        host.run_for(100 * MS);
        for (thread, begun, deadline, _) in &accepted {
            let within = |c: &&(T, u64, u64, u64)| c.0 == *thread && c.1 >= *begun && c.2 <= *deadline;
            let requested: u64 = accepted.iter().filter(within).map(|(.., work)| work).sum();
            let ran = host.ran_within(*thread, *begun, *deadline);
            prop_assert!(ran >= requested, "{requested} from {begun} to {deadline}: {ran}");
        }
    }
}
