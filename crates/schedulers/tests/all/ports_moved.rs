//! Laxity that one scheduler that admits tasks moves to another below it (PORTS 2.5, decision 0034).

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use crate::common::{Host, at, promise, reserve, span};
use crate::ports::{APART, Held, Task, held, refused};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use windfall_hierarchy::{
    AnswerError, HierarchyError, JournalEvent, Message, NodeId, Note, Parent, TemporalAnswer,
    TemporalQuery,
};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::parameters;

/// The giver and the receiver, and whose own virtual processor 0 or 1 gets what is moved.
struct Two {
    host: Host,
    giver: NodeId,
    taker: NodeId,
    way: (NodeId, u16),
}

impl Two {
    /// A receiver that is the giver's child.
    fn below(held: Held) -> Two {
        let mut host = Host::new(1);
        let giver = held.build(&mut host);
        let taker = host.below(giver, "taker", "ports", &[]);
        Two { host, giver, taker, way: (taker, 0) }
    }

    /// A receiver that holds a reservation of its own, beside the giver's: a join adds what it is given.
    fn joined((amount, period): (u64, u64), (own, its): (u64, u64), exact: bool) -> Two {
        let mut host = Host::new(1);
        let rez = host.root("rez", &[]);
        let (mine, yours) = ([reserve(amount, period)], [reserve(own, its)]);
        let giver = host.below(rez, "ports", "ports", &mine);
        let owns: [(Parent, &[Message]); 2] =
            [(Parent::Node(rez), &yours), (Parent::Node(giver), &[])];
        let join = host.try_node("join", "join", &[], &owns).unwrap();
        let exact = [("exact", Value::Bool(exact))];
        let below = [(Parent::Node(join), &[][..])];
        let taker = host.try_node("taker", "ports", &exact, &below).unwrap();
        host.spin(rez, "rest", &[]);
        for period in [7, 31] {
            let _ = host.try_thread(rez, "other", &[reserve(period / 3, period)]);
        }
        let mut two = Two { host, giver, taker, way: (join, 1) };
        two.holds(giver, &format!("RESBS {amount}ns {period}ns"));
        two.holds(taker, &format!("RESBS {own}ns {its}ns"));
        two
    }

    fn holds(&mut self, node: NodeId, guarantee: &str) {
        let message = parameters::supply(&promise(guarantee));
        self.host.tree.configure(at(self.host.now), node, message).unwrap();
    }

    fn moves(&mut self, work: u64) -> Result<(), AnswerError> {
        match self.host.ask(self.way.0, self.way.1, Message::Transfer(span(work))) {
            Ok(()) => Ok(()),
            Err(HierarchyError::Refused(why)) => Err(why),
            other => panic!("{other:?}"),
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// A task of a thread: work, time until the deadline, tenths of what it says that it needs.
    Submit(usize, u64, u64, u64),
    Move(u64),
}

fn steps() -> impl Strategy<Value = Vec<(Step, u64)>> {
    let submit = (0..4_usize, 1..20_u64, 1..300_u64, 4..=10_u64);
    let submit =
        submit.prop_map(|(thread, work, after, tenths)| Step::Submit(thread, work, after, tenths));
    let step = prop_oneof![3 => submit, 1 => (1..40_u64).prop_map(Step::Move)];
    prop::collection::vec((step, prop_oneof![Just(0), 0..12_u64]), 1..120)
}

/// The supplies of the two.
#[derive(Clone, Copy, Debug)]
enum Holds {
    /// This the giver, and the receiver nothing.
    Below(Held),
    /// A reservation each; the receiver with `exact`, or not.
    Joined((u64, u64), (u64, u64), bool),
}

impl Holds {
    const fn kind(self) -> usize {
        match self {
            Holds::Below(held) => held.kind(),
            Holds::Joined(.., exact) => 3 + exact as usize,
        }
    }

    fn build(self) -> Two {
        match self {
            Holds::Below(held) => Two::below(held),
            Holds::Joined(giver, taker, exact) => Two::joined(giver, taker, exact),
        }
    }
}

fn holds() -> impl Strategy<Value = Holds> {
    let part = || (2..=8_u64, 16..40_u64);
    prop_oneof![
        held().prop_map(Holds::Below),
        (part(), part(), any::<bool>())
            .prop_map(|(giver, taker, exact)| Holds::Joined(giver, taker, exact)),
    ]
}

#[derive(Default, Debug)]
struct Tally {
    /// By the giver's supply: all, a reservation, a share; then with a join, without and with `exact`.
    moved: [usize; 5],
    admitted: [usize; 5],
    refused: usize,
    promised: usize,
    passing: usize,
    waiting: usize,
    ready: usize,
    done: usize,
    blocked: usize,
}

/// Threads 0 and 1 are the giver's, 2 and 3 the receiver's; 1 and 3 block in the middle of tasks, and they alone may be late.
struct Run {
    two: Two,
    kind: usize,
    threads: Vec<usize>,
    tasks: [Vec<Task>; 4],
    blocks: [u64; 4],
    next: u32,
}

impl Run {
    fn new(kind: usize, mut two: Two) -> Run {
        let nodes = [two.giver, two.giver, two.taker, two.taker];
        let threads = (0..4).map(|at| two.host.thread(nodes[at], &format!("t{at}"), &[])).collect();
        Run { two, kind, threads, tasks: Default::default(), blocks: [0; 4], next: 0 }
    }

    fn submit(&mut self, (thread, work, after): (usize, u64, u64), tenths: u64, tally: &mut Tally) {
        let node = if thread < 2 { self.two.giver } else { self.two.taker };
        let host = &mut self.two.host;
        let deadline = (host.now + after).next_multiple_of(APART);
        let now = at(host.now);
        let one = [(span(work), at(deadline))];
        let fits = host.tree.temporal_query(now, node, TemporalQuery::WhatIf(&one)).unwrap();
        let earliest = TemporalQuery::EarliestDeadline(span(work));
        let earliest = host.tree.temporal_query(now, node, earliest).unwrap();
        let idle = host.tree.temporal_query(now, node, TemporalQuery::IdleBefore(at(deadline)));
        let message = Message::Submit { task: self.next, work: span(work), deadline: at(deadline) };
        let answer = host.tell(self.threads[thread], message);
        if answer == Err(HierarchyError::Refused(AnswerError::NoSupply)) {
            return;
        }
        // A query says what happens.
        assert_eq!(fits, Some(TemporalAnswer::FirstRefused(refused(&answer))), "{answer:?}");
        let Ok(Some(TemporalAnswer::Idle(idle))) = idle else { panic!("{idle:?}") };
        assert_eq!(idle < span(work), answer.is_err(), "{idle} idle for {work}: {answer:?}");
        let Some(TemporalAnswer::Earliest(earliest)) = earliest else { panic!("{earliest:?}") };
        let fits = earliest.is_some_and(|earliest| earliest <= at(deadline));
        assert_eq!(fits, answer.is_ok(), "{earliest:?} by {deadline}: {answer:?}");
        if answer.is_err() {
            tally.refused += 1;
            return;
        }
        tally.admitted[self.kind] += usize::from(thread > 1);
        let needs = (work * tenths / 10).max(1);
        let task = Task { number: self.next, deadline, needs, early: needs < work };
        self.next += 1;
        let tasks = &mut self.tasks[thread];
        tasks.insert(tasks.partition_point(|other| other.deadline <= deadline), task);
        if self.blocks[thread] == 0 && !self.two.host.is_awake(self.threads[thread]) {
            self.two.host.wake(self.threads[thread]);
        }
    }

    fn moves(&mut self, work: u64, tally: &mut Tally) {
        let awake = (2..4).any(|thread| self.two.host.is_awake(self.threads[thread]));
        match self.two.moves(work) {
            Ok(()) => {
                tally.moved[self.kind] += 1;
                *if awake { &mut tally.ready } else { &mut tally.waiting } += 1;
            }
            Err(AnswerError::NoLaxity { work: requested, most }) => {
                assert!(requested == span(work) && most < requested);
                tally.promised += 1;
                // What it says is the most is granted.
                if !most.is_zero() {
                    self.two.moves(most.as_nanos()).unwrap();
                }
            }
            Err(AnswerError::Moving { until }) => {
                assert!(until > at(self.two.host.now), "{until}");
                tally.passing += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// Lets a unit of time pass.
    fn pass(&mut self, tally: &mut Tally) {
        let before: Vec<u64> = self.threads.iter().map(|one| self.two.host.ran(*one)).collect();
        self.two.host.run_for(1);
        for (thread, before) in before.into_iter().enumerate() {
            let (host, id) = (&mut self.two.host, self.threads[thread]);
            if self.blocks[thread] > 0 && self.blocks[thread] <= host.now {
                self.blocks[thread] = 0;
                host.wake(id);
            } else if host.ran(id) > before {
                let tasks = &mut self.tasks[thread];
                tasks[0].needs -= 1;
                if tasks[0].needs == 0 {
                    self.done(thread, tally);
                } else if thread % 2 == 1 && host.now % 7 == 3 {
                    tally.blocked += 1;
                    host.block(id);
                    self.blocks[thread] = host.now + 9;
                }
            }
        }
    }

    fn done(&mut self, thread: usize, tally: &mut Tally) {
        let (host, id) = (&mut self.two.host, self.threads[thread]);
        let task = self.tasks[thread].remove(0);
        let answer = host.tell(id, Message::Finish(task.number));
        if thread.is_multiple_of(2) {
            let Task { number, deadline, early, .. } = task;
            assert!(host.now <= deadline, "{number} of {thread} by {deadline} at {}", host.now);
            assert!(answer.is_ok() || !early, "{number} of {thread}: {answer:?}");
            tally.done += 1;
        }
        if self.tasks[thread].is_empty() {
            host.block(id);
        }
    }
}

#[test]
fn law_admitted_is_done_whatever_laxity_moves() {
    let tally = std::cell::RefCell::new(Tally::default());
    let cases = if cfg!(debug_assertions) { 600 } else { 20_000 };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let judged = TestRunner::new(config).run(&(holds(), steps()), |(holds, steps)| {
        let (mut run, tally) = (Run::new(holds.kind(), holds.build()), &mut tally.borrow_mut());
        for (step, gap) in steps {
            match step {
                Step::Submit(thread, work, after, tenths) => {
                    run.submit((thread, work, after), tenths, tally)
                }
                Step::Move(work) => run.moves(work, tally),
            }
            (0..gap).for_each(|_| run.pass(tally));
        }
        (0..500).for_each(|_| run.pass(tally));
        Ok(())
    });
    judged.unwrap_or_else(|why| panic!("{why}"));
    let tally = tally.into_inner();
    for kind in 0..5 {
        assert!(tally.moved[kind] > 50 && tally.admitted[kind] > 50, "{tally:?}");
    }
    let Tally { refused, promised, passing, waiting, ready, done, blocked, .. } = tally;
    for count in [refused, promised, passing, waiting, ready, done, blocked] {
        assert!(count > 80, "{tally:?}");
    }
}

fn submit(task: u32, work: u64, deadline: u64) -> Message {
    Message::Submit { task, work: span(work), deadline: at(deadline) }
}

impl Two {
    fn idle(&mut self, node: NodeId, deadline: u64) -> u64 {
        let query = TemporalQuery::IdleBefore(at(deadline));
        match self.host.tree.temporal_query(at(self.host.now), node, query) {
            Ok(Some(TemporalAnswer::Idle(idle))) => idle.as_nanos(),
            other => panic!("{other:?}"),
        }
    }

    /// Notes about moved or lost laxity since the last time.
    fn noted(&mut self) -> Vec<Note> {
        let noted = self.host.tree.drain_journal().filter_map(|entry| match entry.what {
            JournalEvent::Noted { note: note @ (Note::Moved(_) | Note::Lost(_)), .. } => Some(note),
            _ => None,
        });
        noted.collect()
    }
}

#[test]
fn limit_what_moves_is_the_receivers_from_now_until_it_has_passed_and_not_the_givers() {
    let mut two = Two::below(Held::All);
    let (giver, taker) = (two.giver, two.taker);
    assert_eq!((two.idle(giver, 100), two.idle(taker, 100)), (100, 0));
    two.moves(30).unwrap();
    assert_eq!((two.idle(taker, 20), two.idle(taker, 30), two.idle(taker, 100)), (20, 30, 30));
    assert_eq!((two.idle(giver, 30), two.idle(giver, 100)), (0, 70));
    two.host.run_to(10);
    // Nobody was ready: a third has passed.
    assert_eq!((two.idle(taker, 100), two.idle(giver, 100)), (20, 70));
    let thread = two.host.thread(taker, "t", &[]);
    two.host.tell(thread, submit(0, 20, 30)).unwrap();
    let none = AnswerError::NoTime { work: span(1), idle: span(0), earliest: None };
    assert_eq!(two.host.tell(thread, submit(1, 1, 500)), Err(HierarchyError::Refused(none)));
    two.host.wake_for(thread, 20);
    two.host.run_to(40);
    assert_eq!((two.host.ran(thread), two.idle(giver, 100), two.idle(taker, 900)), (20, 60, 0));
    two.moves(5).unwrap();
    assert_eq!(two.idle(taker, 900), 5, "again");
}

#[test]
fn refuses_laxity_that_is_promised_or_still_moves() {
    let mut two = Two::below(Held::All);
    let thread = two.host.thread(two.giver, "t", &[]);
    two.host.tell(thread, submit(0, 10, 40)).unwrap();
    let work = AnswerError::OutOfRange { what: "work", allowed: "at least 1ns" };
    assert_eq!(two.moves(0), Err(work));
    let most = AnswerError::NoLaxity { work: span(31), most: span(30) };
    assert_eq!(two.moves(31), Err(most));
    assert!(most.to_string().contains("30ns could be moved now"), "{most}");
    two.moves(30).unwrap();
    let moving = AnswerError::Moving { until: at(30) };
    assert_eq!(two.moves(1), Err(moving));
    assert!(moving.to_string().contains("ask again"), "{moving}");
    // The receiver does not pass it on meanwhile, and has nothing else.
    let (taker, giver) = (two.taker, two.giver);
    let lowest = two.host.below(taker, "lowest", "ports", &[]);
    two.way = (lowest, 0);
    assert_eq!(two.moves(1), Err(moving));
    two.host.run_to(31);
    assert_eq!(two.moves(1), Err(AnswerError::NoSupply));
    two.holds(giver, "NULL");
    two.way = (taker, 0);
    assert_eq!(two.moves(1), Err(AnswerError::NoSupply));
}

#[test]
fn law_what_does_not_come_takes_nothing_that_the_own_steps_promise() {
    let mut two = Two::joined((4, 10), (2, 4), true);
    // In any 5 of its own, 1 is sure; none comes before 4.
    two.host.stolen = vec![(0, 4)];
    two.host.tree.open_journal(100, false);
    let thread = two.host.thread(two.taker, "t", &[]);
    two.host.tell(thread, submit(0, 1, 5)).unwrap();
    two.host.wake_for(thread, 1);
    two.host.run_to(1);
    two.moves(1).unwrap();
    two.host.run_to(3);
    let giver = two.giver;
    two.holds(giver, "NULL");
    assert_eq!(
        two.noted(),
        [Note::Moved(span(1)), Note::Lost(span(1))],
        "what was moved, and no task"
    );
    two.host.run_to(5);
    assert_eq!(two.host.ran(thread), 1);
}

#[test]
fn refuses_to_move_laxity_from_an_instance_that_admits_by_steps() {
    let mut two = Two::joined((4, 10), (2, 10), true);
    let lowest = two.host.below(two.taker, "lowest", "ports", &[]);
    two.way = (lowest, 0);
    let allowed = "none by an instance with `exact`";
    assert_eq!(two.moves(1), Err(AnswerError::OutOfRange { what: "a transfer", allowed }));
}

#[test]
fn law_what_was_moved_and_does_not_come_is_named_and_so_are_the_tasks_that_it_was_for() {
    let mut two = Two::below(Held::All);
    let (giver, taker) = (two.giver, two.taker);
    two.host.tree.open_journal(1_000, false);
    let thread = two.host.thread(taker, "t", &[]);
    two.moves(30).unwrap();
    two.host.tell(thread, submit(0, 20, 60)).unwrap();
    assert_eq!(two.noted(), [Note::Moved(span(30))]);
    two.holds(giver, "RESBS 30ns 60ns");
    assert_eq!(two.noted(), [Note::Lost(span(30)), Note::Lost(span(20))]);
    assert_eq!(two.idle(taker, 900), 0);
    // One that is given something while it gives: what it gave does not come.
    two.holds(taker, "RESBS 10ns 60ns");
    let lowest = two.host.below(taker, "lowest", "ports", &[]);
    two.way = (lowest, 0);
    two.moves(5).unwrap();
    assert_eq!(two.idle(lowest, 900), 5);
    two.way = (taker, 0);
    two.moves(7).unwrap();
    assert_eq!(two.noted(), [Note::Moved(span(5)), Note::Moved(span(7)), Note::Lost(span(5))]);
    assert_eq!(two.idle(lowest, 900), 0);
}

/// A giver that holds 40 in 100, and another that takes the rest when it wakes.
fn busy() -> (Two, usize) {
    let mut host = Host::new(1);
    let rez = host.root("rez", &[]);
    let giver = host.below(rez, "ports", "ports", &[reserve(40, 100)]);
    let rest = host.thread(rez, "rest", &[reserve(60, 100)]);
    let taker = host.below(giver, "taker", "ports", &[]);
    let mut two = Two { host, giver, taker, way: (taker, 0) };
    two.holds(giver, "RESBS 40ns 100ns");
    (two, rest)
}

#[test]
fn law_what_the_receiver_had_early_is_not_promised_again() {
    let (mut two, other) = busy();
    let (giver, taker) = (two.giver, two.taker);
    let [own, its] =
        [(giver, "own"), (taker, "its")].map(|(node, name)| two.host.thread(node, name, &[]));
    two.moves(80).unwrap();
    two.host.tell(its, submit(0, 39, 400)).unwrap();
    // At the beginning of the period it receives 39 in 39, where 16 fall due.
    two.host.wake_for(its, 39);
    two.host.wake(other);
    two.host.run_to(40);
    assert_eq!(two.host.ran(its), 39);
    two.host.run_to(100);
    let left = two.idle(taker, 2_000);
    assert!(left > 30, "{left}");
    let query = TemporalQuery::EarliestDeadline(span(left));
    let earliest = two.host.tree.temporal_query(at(100), taker, query).unwrap();
    let Some(TemporalAnswer::Earliest(Some(deadline))) = earliest else { panic!("{earliest:?}") };
    two.host.tell(its, submit(1, left, deadline.as_nanos())).unwrap();
    // The giver promises all that it has until some time after that.
    let end = deadline.as_nanos() + 500;
    let rest = two.idle(giver, end);
    two.host.tell(own, submit(0, rest, end)).unwrap();
    two.host.wake_for(own, rest);
    two.host.wake_for(its, left);
    two.host.run_to(deadline.as_nanos());
    assert_eq!(two.host.ran(its), 39 + left);
    two.host.run_to(end);
    assert_eq!(two.host.ran(own), rest);
}

#[test]
fn limit_a_receiver_that_waits_gains_all_of_it_and_so_does_one_behind_a_join() {
    let (mut two, other) = busy();
    two.host.wake(other);
    let own = two.host.thread(two.giver, "own", &[]);
    two.host.tell(own, submit(0, 40, 900)).unwrap();
    two.host.wake_for(own, 40);
    // The giver has received 20 in 80, and its supply may catch up with 12.
    two.host.run_to(80);
    two.moves(50).unwrap();
    let taker = two.taker;
    assert_eq!(two.idle(taker, 2_000), 50);
    let mut two = Two::joined((4, 10), (2, 10), false);
    let (taker, far) = (two.taker, 1_000);
    let before = two.idle(taker, far);
    two.moves(50).unwrap();
    assert_eq!(two.idle(taker, far), before + 50);
}
