//! Tasks that are admitted when they are submitted, under any supply.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod held;

use self::held::held_or_exact;
pub(crate) use self::held::{HELD, Held, held};
use crate::common::{Host, at, promise, span};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use windfall_hierarchy::{
    AnswerError, HierarchyError, JournalEvent, Message, NodeId, Note, Target, TemporalAnswer,
    TemporalQuery,
};
use windfall_schedulers::catalogue::Value;
use windfall_schedulers::parameters;

#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) child: usize,
    pub(crate) work: u64,
    pub(crate) after: u64,
    /// Until the next arrival.
    pub(crate) gap: u64,
    /// The need in tenths of the declared work.
    pub(crate) tenths: u64,
}

pub(crate) fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let one = (0..4_usize, 1..20_u64, 1..300_u64, 0..10_u64, 4..=10_u64);
    let one = one.prop_map(|(child, work, after, gap, tenths)| Arrival {
        child,
        work,
        after,
        gap,
        tenths,
    });
    prop::collection::vec(one, 1..100)
}

/// The distance of deadlines: no instance holds less than 1 in so much.
pub(crate) const APART: u64 = 40;

#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) number: u32,
    pub(crate) deadline: u64,
    /// The rest of its need.
    pub(crate) needs: u64,
    /// Whether that is less than it said.
    pub(crate) early: bool,
}

#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) admitted: [usize; HELD.len()],
    pub(crate) refused: [usize; HELD.len()],
    early: usize,
    beyond: usize,
    pub(crate) blocked: usize,
    naps: usize,
    pub(crate) done: usize,
    lost: usize,
    /// Named, and done in time all the same.
    named: usize,
    late: usize,
}

/// Runs arrivals, and holds that nothing that was admitted is late. Child 2 overruns its bounds, child 3 blocks in the middle of tasks; they alone may be late.
pub(crate) struct Run {
    pub(crate) host: Host,
    pub(crate) node: NodeId,
    threads: Vec<usize>,
    tasks: Vec<Vec<Task>>,
    /// For how long a child goes on blocking.
    blocks: [u64; 4],
    held: Held,
    /// Whether what is supplied may be less than what is held.
    pub(crate) stolen: bool,
    next: u32,
}

impl Run {
    pub(crate) fn new(held: Held, stolen: Vec<(u64, u64)>) -> Run {
        let mut host = Host::new(1);
        let node = held.build(&mut host);
        let threads = (0..4).map(|child| host.thread(node, &format!("t{child}"), &[])).collect();
        let is_stolen = !stolen.is_empty();
        host.stolen = stolen;
        let tasks = (0..4).map(|_| Vec::new()).collect();
        Run { host, node, threads, tasks, blocks: [0; 4], held, stolen: is_stolen, next: 0 }
    }

    pub(crate) fn arrive(&mut self, arrival: &Arrival, tally: &mut Tally) {
        let Arrival { child, work, after, tenths, .. } = *arrival;
        // So far apart that other deadlines have other places: a child does its tasks in order of deadline.
        let deadline = (self.host.now + after).next_multiple_of(APART);
        let now = at(self.host.now);
        let before = TemporalQuery::IdleBefore(at(deadline));
        let idle = self.host.tree.temporal_query(now, self.node, before).unwrap();
        let one = [(span(work), at(deadline))];
        let fits = self.host.tree.temporal_query(now, self.node, TemporalQuery::WhatIf(&one));
        let earliest = TemporalQuery::EarliestDeadline(span(work));
        let earliest = self.host.tree.temporal_query(now, self.node, earliest).unwrap();
        let submit = Message::Submit { task: self.next, work: span(work), deadline: at(deadline) };
        let answer = self.host.tell(self.threads[child], submit);
        // A query says what happens.
        assert_eq!(fits.unwrap(), Some(TemporalAnswer::FirstRefused(refused(&answer))));
        let Some(TemporalAnswer::Idle(idle)) = idle else { panic!("{idle:?}") };
        assert_eq!(idle < span(work), answer.is_err(), "{idle} idle for {work}: {answer:?}");
        let Some(TemporalAnswer::Earliest(earliest)) = earliest else { panic!("{earliest:?}") };
        assert_eq!(earliest.unwrap() <= at(deadline), answer.is_ok(), "{earliest:?}");
        if let Err(refusal) = answer {
            let requested = AnswerError::NoTime { work: span(work), idle, earliest };
            assert_eq!(refusal, HierarchyError::Refused(requested));
            tally.refused[self.held.kind()] += 1;
            return;
        }
        tally.admitted[self.held.kind()] += 1;
        let needs = match child {
            2 => work * (5 + tenths) / 10,
            _ => work * tenths / 10,
        };
        let needs = needs.max(1);
        let task = Task { number: self.next, deadline, needs, early: needs < work };
        self.next += 1;
        let tasks = &mut self.tasks[child];
        let place = tasks.partition_point(|other| other.deadline <= deadline);
        tasks.insert(place, task);
        if self.blocks[child] == 0 && !self.host.is_awake(self.threads[child]) {
            self.host.wake(self.threads[child]);
        }
    }

    /// Lets a unit of time pass.
    pub(crate) fn pass(&mut self, tally: &mut Tally) {
        let before: Vec<u64> = self.threads.iter().map(|thread| self.host.ran(*thread)).collect();
        self.host.run_for(1);
        for (child, before) in before.into_iter().enumerate() {
            let thread = self.threads[child];
            if self.blocks[child] > 0 && self.blocks[child] <= self.host.now {
                self.blocks[child] = 0;
                self.host.wake(thread);
            } else if self.host.ran(thread) > before {
                self.tasks[child][0].needs -= 1;
                if self.tasks[child][0].needs == 0 {
                    self.done(child, tally);
                } else if child == 3 && self.host.now % 7 == 3 {
                    tally.blocked += 1;
                    self.host.block(thread);
                    self.blocks[child] = self.host.now + 9;
                }
            }
        }
        tally.naps += usize::from(self.tasks.iter().all(Vec::is_empty));
    }

    fn done(&mut self, child: usize, tally: &mut Tally) {
        let task = self.tasks[child].remove(0);
        let answer = self.host.tell(self.threads[child], Message::Finish(task.number));
        let late = self.host.now > task.deadline;
        if child < 2 {
            let named = answer.is_err();
            assert!(!late || self.stolen && named, "{task:?} at {}, {answer:?}", self.host.now);
            // Nothing is named before anything was stolen.
            let stolen = self.host.stolen_within(0, self.host.now);
            assert!(stolen > 0 || !named || !task.early, "{task:?}: {answer:?}");
            tally.named += usize::from(named && task.early && !late);
            tally.early += usize::from(task.early);
            tally.done += 1;
            tally.lost += usize::from(late);
        } else {
            tally.late += usize::from(late);
            tally.beyond += usize::from(answer.is_err());
        }
        if self.tasks[child].is_empty() {
            self.host.block(self.threads[child]);
        }
    }
}

fn law(cases: u32, stolen: bool) -> Tally {
    let tally = std::cell::RefCell::new(Tally::default());
    let times = match stolen {
        true => prop::collection::vec((1..50_u64, 1..25_u64), 4..16).boxed(),
        false => Just(Vec::new()).boxed(),
    };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let judged = TestRunner::new(config).run(
        &(held_or_exact(), arrivals(), times),
        |(held, arrivals, times)| {
            let mut end = 0;
            let apart = times.into_iter().map(|(gap, long)| {
                let start = end + gap;
                end = start + long;
                (start, long)
            });
            let mut run = Run::new(held, apart.collect());
            let tally = &mut tally.borrow_mut();
            for arrival in &arrivals {
                run.arrive(arrival, tally);
                for _ in 0..arrival.gap {
                    run.pass(tally);
                }
            }
            for _ in 0..500 {
                run.pass(tally);
            }
            Ok(())
        },
    );
    judged.unwrap_or_else(|why| panic!("{why}"));
    tally.into_inner()
}

#[test]
fn law_admitted_is_done() {
    let tally = law(if cfg!(debug_assertions) { 300 } else { 85_000 }, false);
    for (kind, name) in HELD.into_iter().enumerate() {
        assert!(tally.admitted[kind] > 100 && tally.refused[kind] > 30, "{name}: {tally:?}");
    }
    let Tally { early, beyond, blocked, naps, done, .. } = tally;
    for count in [early, beyond, blocked, naps, done] {
        assert!(count > 100, "{tally:?}");
    }
    // Of those that neither block nor overrun.
    assert!(cfg!(debug_assertions) || done > 1_000_000, "{tally:?}");
}

#[test]
fn law_what_stolen_time_makes_late_is_named_and_nothing_else() {
    let tally = law(if cfg!(debug_assertions) { 200 } else { 3_000 }, true);
    assert!(tally.admitted.iter().all(|count| *count > 100), "{tally:?}");
    assert!(tally.lost > 50 && tally.done > 2 * tally.lost, "{tally:?}");
    // What is sure is less than what comes, so some that are named are in time.
    assert!(tally.named < tally.lost, "{tally:?}");
}

/// What a query about one task answers, if its submission is answered so.
pub(crate) fn refused(answer: &Result<(), HierarchyError>) -> Option<(usize, AnswerError)> {
    match answer {
        Ok(()) => None,
        Err(HierarchyError::Refused(why)) => Some((0, *why)),
        Err(other) => panic!("{other}"),
    }
}

pub(crate) fn submit(task: u32, work: u64, deadline: u64) -> Message {
    Message::Submit { task, work: span(work), deadline: at(deadline) }
}

pub(crate) fn holds(host: &mut Host, node: NodeId, guarantee: &str) {
    let message = parameters::supply(&promise(guarantee));
    host.tree.configure(at(host.now), node, message).unwrap();
}

#[test]
fn refuses_each_task_that_can_never_be_admitted() {
    let mut host = Host::new(1);
    let node = host.root("ports", &[("slots", Value::Integer(2))]);
    let a = host.thread(node, "a", &[]);
    let refused = |host: &mut Host, message| match host.tell(a, message) {
        Err(HierarchyError::Refused(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&mut host, submit(0, 1, 100)), AnswerError::NoSupply);
    for nothing in ["RESU 1/2", "PS 1/2", "NULL"] {
        holds(&mut host, node, nothing);
        assert_eq!(refused(&mut host, submit(0, 1, 100)), AnswerError::NoSupply);
    }
    holds(&mut host, node, "RESBS 5ns 10ns");
    let work = AnswerError::OutOfRange { what: "work", allowed: "at least 1ns" };
    assert_eq!(refused(&mut host, submit(0, 0, 100)), work);
    let beyond = refused(&mut host, submit(0, 1, u64::MAX));
    assert!(matches!(beyond, AnswerError::OutOfRange { what: "deadline", .. }), "{beyond}");
    host.run_to(50);
    // Ten of latency, and then a half: 20 in 50.
    let none = AnswerError::NoTime { work: span(21), idle: span(20), earliest: Some(at(102)) };
    assert_eq!(refused(&mut host, submit(0, 21, 100)), none);
    assert_eq!(
        none.to_string(),
        "work 21ns does not fit before its deadline, 20ns would; the earliest deadline for it is 102ns"
    );
    let past = AnswerError::NoTime { work: span(1), idle: span(0), earliest: Some(at(62)) };
    assert_eq!(refused(&mut host, submit(0, 1, 50)), past);
    host.tell(a, submit(7, 10, 100)).unwrap();
    let twice = AnswerError::WrongTask { task: 7, has: true };
    assert_eq!(refused(&mut host, submit(7, 1, 100)), twice);
    let stale = AnswerError::WrongTask { task: 8, has: false };
    assert_eq!(refused(&mut host, Message::Finish(8)), stale);
    assert_eq!(refused(&mut host, Message::Withdraw(8)), stale);
    host.tell(a, submit(8, 1, 200)).unwrap();
    assert!(matches!(refused(&mut host, submit(9, 1, 300)), AnswerError::Full { .. }));
    assert!(matches!(refused(&mut host, Message::Share(1)), AnswerError::NotUnderstood { .. }));
    host.tell(a, Message::Withdraw(7)).unwrap();
    host.tell(a, submit(9, 20, 100)).unwrap();
    // Whoever goes takes his tasks with him.
    let b = host.thread(node, "b", &[]);
    host.exit(a);
    host.tell(b, submit(9, 20, 100)).unwrap();
}

#[test]
fn law_less_supply_names_each_task_that_is_lost() {
    let mut host = Host::new(1);
    let node = host.root("ports", &[]);
    holds(&mut host, node, "ALL");
    host.tree.open_journal(100, false);
    let [a, b] = ["a", "b"].map(|name| host.thread(node, name, &[]));
    host.tell(a, submit(0, 10, 30)).unwrap();
    host.tell(b, submit(0, 20, 60)).unwrap();
    host.tell(b, submit(1, 20, 60)).unwrap();
    holds(&mut host, node, "RESBS 30ns 60ns");
    let lost = |host: &mut Host| {
        let notes = host.tree.drain_journal().filter_map(|entry| match entry.what {
            JournalEvent::Noted { note: Note::Lost(left), about, .. } => Some((left, about)),
            _ => None,
        });
        notes.collect::<Vec<_>>()
    };
    // The latency is 60.
    let all = [a, b, b].map(|thread| Some(Target::Thread(host.threads[thread].id)));
    let mut found = lost(&mut host);
    found.sort_by_key(|(left, _)| *left);
    let requested: Vec<_> = [10, 20, 20].map(span).into_iter().zip(all).collect();
    assert_eq!(found, requested);
    host.tell(a, submit(1, 10, 80)).unwrap();
    holds(&mut host, node, "RESCS 30ns 60ns");
    assert_eq!(lost(&mut host), [], "more is no loss");
    host.tell(b, submit(2, 10, 80)).unwrap();
    holds(&mut host, node, "RESBS 30ns 60ns");
    assert_eq!(lost(&mut host).len(), 1, "the later one");
    host.tell(a, Message::Finish(1)).unwrap();
}
