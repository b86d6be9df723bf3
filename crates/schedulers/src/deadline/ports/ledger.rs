//! The tasks that were admitted, on the time of the supply, and what passes of it (decision 0029).
//!
//! Invariants: the slots of the list are the tasks of the children, in the same order; every laxity is at least 0 after each call. The first slot is
//! charged: by what its child received if that ran, else by the time of the supply that passed.

use super::rate::Rate;
use crate::parts::slots;
use alloc::vec::Vec;
use windfall_admission::{Admission, AdmitError, BPlusTree, HORIZON, Ticket};
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Note, TemporalAnswer, TemporalQuery};
use windfall_time::{Instant, Span};

/// The order of tasks: by place, then by arrival.
pub(super) type Order = (Instant, u64);

/// What became of the processor since the last account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// No child was runnable.
    Idle,
    /// The instance was runnable, and received nothing.
    Unsupplied,
    /// This child had the processor.
    Serving(ChildVp),
}

#[derive(Clone, Copy, Debug)]
struct Task {
    number: u32,
    order: Order,
    ticket: Ticket,
    deadline: Instant,
}

/// The tasks of all children.
#[derive(Clone)]
pub(super) struct Ledger {
    /// `None` without a supply: then there are no tasks.
    supplied: Option<(Rate, Admission<BPlusTree>)>,
    most: u32,
    last: Instant,
    /// By child, in order.
    tasks: Vec<Vec<Task>>,
    /// The first task of each child that has one.
    firsts: Heap<Order>,
    /// By child: whether it was runnable since the last account.
    runnable: Vec<bool>,
    arrived: u64,
    /// What is to be said of children, whose order may have changed.
    notes: Vec<(ChildVp, Note)>,
}

impl Ledger {
    /// An empty one, for at most so many tasks.
    pub(super) fn new(most: u32) -> Ledger {
        Ledger {
            supplied: None,
            most,
            last: Instant::ZERO,
            tasks: Vec::new(),
            firsts: Heap::new(),
            runnable: Vec::new(),
            arrived: 0,
            notes: Vec::new(),
        }
    }

    /// Makes room for a child.
    pub(super) fn register(&mut self, child: ChildVp) {
        slots::put(&mut self.tasks, child, Vec::new());
        slots::put(&mut self.runnable, child, false);
        self.firsts.reserve(child.index() + 1);
    }

    /// A child is removed, with its tasks.
    pub(super) fn unregister(&mut self, child: ChildVp) {
        let gone = core::mem::take(&mut self.tasks[child.index()]);
        if let Some((_, list)) = &mut self.supplied {
            for task in gone {
                let _ = list.withdraw(task.ticket);
            }
        }
        self.notes.retain(|(whose, _)| *whose != child);
        self.firsts.remove(child.0);
    }

    /// A child becomes runnable, or waits; the time before has been accounted for.
    pub(super) fn wakes(&mut self, child: ChildVp, runnable: bool) {
        self.runnable[child.index()] = runnable;
    }

    /// The order of the first task of a child.
    pub(super) fn first_of(&self, child: ChildVp) -> Option<Order> {
        self.firsts.key(child.0)
    }

    /// The next thing to be said of a child, which may have another order since.
    pub(super) fn next_note(&mut self) -> Option<(ChildVp, Note)> {
        self.notes.pop()
    }

    /// How many tasks there are now, and how often what happened to tasks since the supply became known.
    pub(super) fn counts(&self) -> (usize, windfall_admission::Counts) {
        self.supplied
            .as_ref()
            .map_or_else(Default::default, |(_, list)| (list.len(), list.counts()))
    }

    /// How much of the first task is left at the last account.
    pub(super) fn first_left(&self) -> Option<Span> {
        Some(self.supplied.as_ref()?.1.head()?.left)
    }

    /// The first moment at which a task is late if nothing is supplied until then.
    pub(super) fn late_at(&self) -> Option<Instant> {
        let (rate, list) = self.supplied.as_ref()?;
        let head = list.head()?.ticket.deadline();
        let least = list.idle_before(Instant::from_nanos(head.as_nanos().saturating_sub(1)));
        let beyond = list.now().saturating_add(least).saturating_add(Span::from_nanos(1));
        Some(rate.deadline(beyond))
    }

    /// The time up to which was accounted.
    pub(super) const fn accounted(&self) -> Instant {
        self.last
    }

    /// Accounts for the time up to `now`, in which the processor was so used, and `received` came of it.
    pub(super) fn account(&mut self, now: Instant, phase: Phase, received: Span) {
        self.last = now;
        let Some((rate, _)) = self.supplied else { return };
        match phase {
            Phase::Idle => return,
            Phase::Unsupplied => {}
            Phase::Serving(child) => {
                let at = self.time();
                let to = at.saturating_add(received).min(rate.at(now)).max(at);
                self.pass(to, Some(child), received);
            }
        }
        let least = rate.least(now);
        if self.time() < least {
            self.fail(least);
        }
    }

    /// The instance becomes runnable now, or something is submitted to it while it is not: its supply counts from here. Time that passed
    /// before is charged to the tasks that there are, whose children waited.
    pub(super) fn resume(&mut self) {
        if let Some((rate, _)) = self.supplied {
            self.pass(rate.at(self.last), None, Span::ZERO);
        }
    }

    /// The time of the supply.
    fn time(&self) -> Instant {
        self.supplied.as_ref().map_or(Instant::ZERO, |(_, list)| list.now())
    }

    /// The time of the supply moves to `to`, while `child` received `received`, which is at least as much.
    fn pass(&mut self, to: Instant, child: Option<ChildVp>, mut received: Span) {
        while let Some((_, first)) = self.firsts.peek() {
            let first = ChildVp(first);
            let left = self.first_left().unwrap_or(Span::ZERO);
            let passes = to.saturating_since(self.time());
            if received.is_zero() && passes.is_zero() {
                return;
            }
            let (work, passed) = if child == Some(first) {
                let work = received.min(left);
                (work, passes.min(work))
            } else if child.is_none() || !self.runnable[first.index()] {
                // Its child waits: its time passes for itself alone.
                (passes.min(left), passes.min(left))
            } else {
                // Another went on beyond its bound until it was interrupted.
                return self.fail(to);
            };
            if work.is_zero() {
                return;
            }
            received = received.saturating_sub(work);
            self.serve(work, self.time().saturating_add(passed));
        }
        self.serve(Span::ZERO, to);
    }

    /// Passes time in which so much of the first task was done.
    fn serve(&mut self, work: Span, to: Instant) {
        let Some((_, list)) = &mut self.supplied else { return };
        if list.serve(work, to.min(HORIZON)) == Ok(1)
            && let Some((_, first)) = self.firsts.peek()
        {
            self.take(ChildVp(first), 0);
            self.notes.push((ChildVp(first), Note::Exhausted));
        }
    }

    /// The time of the supply moves to `to`, in which no task was done. Names what is lost by that.
    fn fail(&mut self, to: Instant) {
        let Some((_, list)) = &mut self.supplied else { return };
        let _ = list.serve(Span::ZERO, to.min(HORIZON));
        while let Some((ticket, left)) =
            self.supplied.as_mut().and_then(|(_, list)| list.take_late())
        {
            let place = |tasks: &Vec<Task>| tasks.iter().position(|task| task.ticket == ticket);
            let mut all = (0..).map(ChildVp).zip(&self.tasks);
            let whose = all.find_map(|(child, tasks)| Some((child, place(tasks)?)));
            if let Some((child, at)) = whose {
                self.take(child, at);
                self.notes.push((child, Note::Lost(left)));
            }
        }
    }

    /// Takes a task of a child out of its list.
    fn take(&mut self, child: ChildVp, at: usize) {
        let tasks = &mut self.tasks[child.index()];
        tasks.remove(at);
        match tasks.first() {
            Some(task) => self.firsts.set(child.0, task.order),
            None => {
                self.firsts.remove(child.0);
            }
        }
    }

    /// A task arrives.
    pub(super) fn submit(
        &mut self,
        child: ChildVp,
        number: u32,
        (work, deadline): (Span, Instant),
    ) -> Answer {
        if self.tasks[child.index()].iter().any(|task| task.number == number) {
            return Err(AnswerError::WrongTask { task: number, has: true });
        }
        if work.is_zero() {
            return Err(AnswerError::OutOfRange { what: "work", allowed: "at least 1ns" });
        }
        let Some((rate, list)) = &mut self.supplied else { return Err(AnswerError::NoSupply) };
        let refused = |error, idle| refusal(error, *rate, work, idle);
        let ticket = list
            .admit(work, rate.place(deadline))
            .map_err(|error| refused(error, list.idle_before(rate.place(deadline))))?;
        self.arrived += 1;
        // Accounts between messages do not allocate.
        let room = list.len() + 1;
        let order = (ticket.deadline(), self.arrived);
        self.insert(child, Task { number, order, ticket, deadline });
        self.notes.reserve(room.saturating_sub(self.notes.len()));
        Ok(())
    }

    /// A task ends, or will not be done. Returns what is left of it.
    pub(super) fn end(&mut self, child: ChildVp, number: u32) -> Result<Span, AnswerError> {
        let at = self.tasks[child.index()].iter().position(|task| task.number == number);
        let (Some(at), Some((_, list))) = (at, &mut self.supplied) else {
            return Err(AnswerError::WrongTask { task: number, has: false });
        };
        let left = list.withdraw(self.tasks[child.index()][at].ticket);
        self.take(child, at);
        Ok(left.unwrap_or(Span::ZERO))
    }

    /// The instance holds another supply from now on. Tasks that cannot be done with it are lost, the later of two if not both fit.
    pub(super) fn hold(&mut self, rate: Option<Rate>) {
        if self.supplied.as_ref().map(|(rate, _)| *rate) == rate {
            return;
        }
        let before = self.supplied.take();
        self.supplied = rate.and_then(|rate| {
            let list = Admission::new(rate.at(self.last).min(HORIZON), self.most).ok()?;
            Some((rate, list))
        });
        let Some((_, mut old)) = before else { return };
        let mut all = Vec::new();
        for (child, tasks) in (0..).map(ChildVp).zip(&mut self.tasks) {
            self.firsts.remove(child.0);
            all.extend(tasks.drain(..).map(|task| (task.deadline, task.order.1, child, task)));
        }
        all.sort_unstable_by_key(|(deadline, arrival, ..)| (*deadline, *arrival));
        for (deadline, arrival, child, task) in all {
            let left = old.withdraw(task.ticket).unwrap_or(Span::ZERO);
            let again =
                self.supplied.as_mut().map(|(rate, list)| list.admit(left, rate.place(deadline)));
            if let Some(Ok(ticket)) = again {
                self.insert(child, Task { ticket, order: (ticket.deadline(), arrival), ..task });
            } else {
                self.notes.push((child, Note::Lost(left)));
            }
        }
    }

    fn insert(&mut self, child: ChildVp, task: Task) {
        let tasks = &mut self.tasks[child.index()];
        let at = tasks.partition_point(|other| other.order < task.order);
        tasks.insert(at, task);
        if at == 0 {
            self.firsts.set(child.0, task.order);
        }
    }

    /// Answers a temporal query about the time of the last account, while the instance is idle or not.
    ///
    /// While it is idle, time passes without an account, for the tasks of children that wait: each slot shrinks by what passes, and ends when it would. So only work that
    /// begins now begins later.
    pub(super) fn answer(
        &mut self,
        query: TemporalQuery<'_>,
        idle: bool,
    ) -> Option<TemporalAnswer> {
        Some(match query {
            TemporalQuery::IdleBefore(deadline) => {
                let before = |(rate, list, now): (Rate, &Admission<BPlusTree>, Instant)| {
                    let place = rate.place(deadline);
                    list.idle_before(place).min(place.saturating_since(now))
                };
                TemporalAnswer::Idle(self.begins(idle).map_or(Span::ZERO, before))
            }
            TemporalQuery::EarliestDeadline(work) => {
                let earliest = |(rate, list, now): (Rate, &Admission<BPlusTree>, Instant)| {
                    let place = list.earliest_deadline(work).ok()??;
                    Some(rate.deadline(place.max(now.saturating_add(work))))
                };
                TemporalAnswer::Earliest(self.begins(idle).and_then(earliest))
            }
            // Some of the tasks may begin before others that there are: they need the slots as they will be.
            TemporalQuery::WhatIf(tasks) if idle => {
                let mut copy = self.clone();
                copy.resume();
                copy.first_refused(tasks)
            }
            TemporalQuery::WhatIf(tasks) => self.first_refused(tasks),
            _ => return None,
        })
    }

    /// When work that begins now would begin, on the time of the supply.
    fn begins(&self, idle: bool) -> Option<(Rate, &Admission<BPlusTree>, Instant)> {
        let (rate, list) = self.supplied.as_ref()?;
        let now = if idle { rate.at(self.last).max(list.now()) } else { list.now() };
        Some((*rate, list, now))
    }

    fn first_refused(&mut self, tasks: &[(Span, Instant)]) -> TemporalAnswer {
        let Some((rate, list)) = &mut self.supplied else {
            return TemporalAnswer::FirstRefused((!tasks.is_empty()).then_some(0));
        };
        let placed: Vec<(Span, Instant)> =
            tasks.iter().map(|(work, deadline)| (*work, rate.place(*deadline))).collect();
        TemporalAnswer::FirstRefused(list.what_if(&placed).err().map(|refused| refused.index))
    }

    /// Checks that the list and the children's tasks agree.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let held = self.tasks.iter().map(Vec::len).sum::<usize>();
        if held != self.counts().0 {
            return Err("the list has other slots than the children have tasks");
        }
        let first = self.firsts.peek().map(|(order, _)| order.0);
        let head = self.supplied.as_ref().and_then(|(_, list)| list.head());
        if first != head.map(|head| head.ticket.deadline()) {
            return Err("the first slot is not the first task");
        }
        Ok(())
    }
}

/// A refusal in the words of the hierarchy, with deadlines on its clock.
fn refusal(error: AdmitError, rate: Rate, work: Span, idle: Span) -> AnswerError {
    let late = |earliest: Option<Instant>| earliest.map(|place| rate.deadline(place));
    match error {
        AdmitError::NoRoom { idle, earliest, .. } => {
            AnswerError::NoTime { work, idle, earliest: late(earliest) }
        }
        AdmitError::DeadlinePassed { earliest, .. } => {
            AnswerError::NoTime { work, idle: Span::ZERO, earliest: late(earliest) }
        }
        AdmitError::Full { .. } => AnswerError::Full { limit: "its `slots` are all taken" },
        AdmitError::BeyondHorizon { .. } => {
            let allowed = "at most 73 years after the clock's beginning";
            AnswerError::OutOfRange { what: "deadline", allowed }
        }
        _ => AnswerError::NoTime { work, idle, earliest: None },
    }
}
