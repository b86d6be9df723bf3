//! Random tasks and moves: what was admitted is done.

use super::*;
use crate::ports::{APART, Task, held, refused};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

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
