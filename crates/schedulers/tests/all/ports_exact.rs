//! Admission by the step function of a reservation, `exact` (decision 0037).

use crate::common::{Host, at, promise, span};
use crate::ports::{Arrival, Held, Run, Tally, arrivals, submit};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use windfall_hierarchy::{
    JournalEvent, Message, NodeId, Note, Parent, TemporalAnswer, TemporalQuery,
};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::parameters;

/// A reservation of so much in every period, and where its block begins in each.
#[derive(Clone, Debug)]
struct Blocks {
    amount: u64,
    period: u64,
    begins: Vec<u64>,
}

fn blocks() -> impl Strategy<Value = Blocks> {
    let begins = prop_oneof![
        // As late as can be after as early as can be, and anywhere.
        Just(vec![0, u64::MAX]),
        prop::collection::vec(any::<u64>(), 1..9),
    ];
    (2..40_u64, begins).prop_flat_map(|(period, begins)| {
        (1..period).prop_map(move |amount| Blocks { amount, period, begins: begins.clone() })
    })
}

impl Blocks {
    /// An instance to which these blocks and nothing else are supplied.
    fn run(&self, exact: bool) -> Run {
        let Blocks { amount, period, ref begins } = *self;
        let mut stolen = Vec::new();
        let mut from = 0;
        for (number, begins) in (0..3_000 / period).zip(begins.iter().cycle()) {
            let start = number * period;
            let begins = start + begins.min(&(period - amount)) % (period - amount + 1);
            if from < begins {
                stolen.push((from, begins - from));
            }
            from = begins + amount;
        }
        let mut run = Run::new(Held::Said(amount, period, exact), stolen);
        run.stolen = false;
        run
    }
}

fn judge<T: std::fmt::Debug>(
    cases: u32,
    what: &impl Strategy<Value = T>,
    mut judge: impl FnMut(T, &mut Tally),
) -> Tally {
    let tally = RefCell::new(Tally::default());
    let judge = RefCell::new(&mut judge);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let judged = TestRunner::new(config).run(what, |what| {
        judge.borrow_mut()(what, &mut tally.borrow_mut());
        Ok(())
    });
    judged.unwrap_or_else(|why| panic!("{why}"));
    tally.into_inner()
}

#[test]
fn law_admitted_is_done_by_the_blocks_of_a_reservation_and_no_more() {
    let cases = if cfg!(debug_assertions) { 300 } else { 10_000 };
    let what = (blocks(), arrivals(), any::<bool>());
    let tally = judge(cases, &what, |(blocks, arrivals, exact), tally| {
        let mut run = blocks.run(exact);
        for arrival in &arrivals {
            run.arrive(arrival, tally);
            (0..arrival.gap).for_each(|_| run.pass(tally));
        }
        (0..500).for_each(|_| run.pass(tally));
    });
    for kind in [1, 3] {
        assert!(tally.admitted[kind] > 1_000 && tally.refused[kind] > 1_000, "{tally:?}");
    }
    assert!(tally.blocked > 100 && tally.done > 1_000, "{tally:?}");
}

fn idle(run: &mut Run, deadline: u64) -> u64 {
    let (now, query) = (at(run.host.now), TemporalQuery::IdleBefore(at(deadline)));
    match run.host.tree.temporal_query(now, run.node, query) {
        Ok(Some(TemporalAnswer::Idle(idle))) => idle.as_nanos(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn law_exact_admits_no_less_than_the_line_and_at_most_the_gap_to_the_steps_more() {
    let cases = if cfg!(debug_assertions) { 200 } else { 5_000 };
    let (mut equal, mut more, mut most) = (0, 0, 0);
    let what = (blocks(), arrivals());
    judge(cases, &what, |(blocks, arrivals), tally| {
        let [mut line, mut exact] = [false, true].map(|exact| blocks.run(exact));
        for arrival in arrivals {
            let arrival = Arrival { child: arrival.child % 2, ..arrival };
            for after in [arrival.after, arrival.after * 3] {
                let deadline = line.host.now + after;
                let [by_line, by_steps] = [&mut line, &mut exact].map(|run| idle(run, deadline));
                assert!(by_line <= by_steps, "{by_line}, {by_steps} by {deadline}");
                let (x, y) = (blocks.amount, blocks.period);
                assert!((by_steps - by_line).saturating_sub(2) * y <= x * (y - x));
                equal += usize::from(by_line == by_steps);
                more += usize::from(by_line < by_steps);
                most += usize::from((by_steps - by_line + 2) * y >= x * (y - x));
            }
            let deadline = (line.host.now + arrival.after).next_multiple_of(crate::ports::APART);
            if idle(&mut line, deadline) >= arrival.work {
                [&mut line, &mut exact].into_iter().for_each(|run| run.arrive(&arrival, tally));
            }
            for _ in 0..arrival.gap {
                [&mut line, &mut exact].into_iter().for_each(|run| run.pass(tally));
            }
        }
    });
    assert!(equal > 1_000 && more > 1_000 && most > 100, "{equal}, {more}, {most}");
}

fn noted(host: &mut Host) -> Vec<Note> {
    let notes = host.tree.drain_journal().filter_map(|entry| match entry.what {
        JournalEvent::Noted { note, .. } => Some(note),
        _ => None,
    });
    notes.collect()
}

#[test]
fn limit_what_waiting_makes_too_much_is_charged_to_the_first_and_no_other() {
    // A block of 2 in every 4, in which 1 by 5 and 1 by 6 are sure. Both wait until 1: then 1 by 6 is all that is sure.
    let run = Blocks { amount: 2, period: 4, begins: vec![0, 2] }.run(true);
    let (mut host, node): (Host, NodeId) = (run.host, run.node);
    host.tree.open_journal(100, false);
    let [a, b] = ["a", "b"].map(|name| host.thread(node, name, &[]));
    host.tell(a, submit(0, 1, 5)).unwrap();
    host.tell(b, submit(0, 1, 6)).unwrap();
    let admitted = Note::Admitted(span(1));
    assert_eq!(noted(&mut host), [admitted, admitted]);
    host.run_to(1);
    host.wake_for(a, 1);
    assert_eq!(noted(&mut host), [Note::Exhausted]);
    host.wake_for(b, 1);
    host.run_to(6);
    assert_eq!((host.ran(b), noted(&mut host)), (1, vec![Note::Exhausted]));
    // The line admits none of them.
    let mut line = Blocks { amount: 2, period: 4, begins: vec![0, 2] }.run(false);
    let a = line.host.thread(line.node, "a", &[]);
    assert!(line.host.tell(a, submit(0, 1, 5)).is_err());
}

#[test]
fn limit_what_only_the_steps_promise_is_named_when_its_deadline_comes() {
    let mut host = Host::new(1);
    let parent = host.root("fixed-priority", &[]);
    let exact = [("exact", Value::Bool(true))];
    let below = [(Parent::Node(parent), &[Message::Priority(1)][..])];
    let node = host.try_node("ports", "ports", &exact, &below).unwrap();
    host.spin(parent, "other", &[Message::Priority(2)]);
    let supply = parameters::supply(&promise("RESBS 2ns 4ns"));
    host.tree.configure(at(0), node, supply).unwrap();
    let a = host.thread(node, "a", &[]);
    host.tell(a, submit(0, 1, 5)).unwrap();
    host.wake_for(a, 1);
    host.tree.open_journal(100, false);
    host.run_to(4);
    assert_eq!(noted(&mut host), []);
    host.run_to(5);
    // By the line, it would be sure by 6.
    assert_eq!(noted(&mut host), [Note::Lost(span(1))]);
}

#[test]
fn law_an_instance_that_holds_nothing_runs_its_children_and_promises_nothing() {
    for exact in [false, true] {
        let mut host = Host::new(1);
        let node = host.root("ports", &[("exact", Value::Bool(exact))]);
        let a = host.thread(node, "a", &[]);
        let hold = |host: &mut Host, guarantee: &str| {
            let supply = parameters::supply(&promise(guarantee));
            host.tree.configure(at(host.now), node, supply).unwrap();
        };
        host.wake_for(a, 10);
        host.run_to(20);
        hold(&mut host, "RESBS 2ns 4ns");
        host.wake_for(a, 10);
        host.run_to(50);
        hold(&mut host, "NULL");
        host.wake_for(a, 10);
        host.run_to(80);
        assert_eq!(host.ran(a), 30);
        assert!(host.tell(a, submit(0, 1, 900)).is_err());
        // Also beyond the last time for which anything is promised.
        hold(&mut host, "ALL");
        let beyond = windfall_admission::HORIZON.as_nanos() + 50;
        host.run_to(beyond);
        host.wake_for(a, 10);
        host.run_to(beyond + 20);
        assert_eq!(host.ran(a), 40);
        assert!(host.tell(a, submit(0, 1, beyond + 900)).is_err());
    }
}

#[test]
fn law_tasks_with_one_deadline_keep_their_order_when_all_are_admitted_again() {
    let mut run = Run::new(Held::Exact(7, 36), Vec::new());
    let mut tally = Tally::default();
    // The fourth has the place of the first, which goes behind it; the last is refused, after all were admitted again.
    let all = [(1, 15, 161, 5), (0, 1, 36, 7), (1, 3, 149, 6), (0, 10, 103, 0), (0, 14, 1, 0)];
    for (child, work, after, gap) in all {
        run.arrive(&Arrival { child, work, after, gap, tenths: 6 }, &mut tally);
        (0..gap).for_each(|_| run.pass(&mut tally));
    }
    (0..300).for_each(|_| run.pass(&mut tally));
    assert_eq!((tally.admitted[3], tally.refused[3], tally.done), (4, 1, 4));
}
