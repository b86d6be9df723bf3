//! The admitted tasks, on the time of the supply, which advances as they are served (decision 0029).
//!
//! Invariants: the slots of the list are the tasks of the children, in the same order; every laxity is at least 0 after each call. The first slot is
//! charged: by what its child received if that ran, else by the time of the supply that passed. A slot that was moved to a child, itself a scheduler, has no laxity, so
//! it is the first; while it is, time passes at least as fast as that child receives it, so that the child knows how much has passed (decision 0034).

mod admits;
mod again;
mod places;
mod tasks;

use super::holding::Holding;
use crate::parts::slots;
use again::Again;
use alloc::vec::Vec;
use tasks::{Task, Tasks};
use windfall_admission::{Admission, BPlusTree, Counts, HORIZON, Ticket};
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{AnswerError, ChildVp, Note};
use windfall_time::{Instant, Span};

/// The order of tasks: by place, then by arrival.
pub(super) type Order = (Instant, u64);

/// The use of the processor since the last account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// No child was runnable.
    Idle,
    /// The instance was runnable, and received nothing.
    Unsupplied,
    /// This child had the processor.
    Serving(ChildVp),
}

/// A note about a child, whose order may have changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub(super) child: ChildVp,
    pub(super) note: Note,
    /// The task of the child; `None` for laxity that was moved to it.
    pub(super) task: Option<u32>,
    /// Whether laxity that was moved to it does not come.
    pub(super) ends: bool,
}

/// The tasks of all children.
#[derive(Clone)]
pub(super) struct Ledger {
    holds: Holding,
    /// `None` while nothing is held: then there are no tasks.
    list: Option<Admission<BPlusTree>>,
    most: u32,
    counts: Counts,
    last: Instant,
    /// By child.
    tasks: Vec<Tasks>,
    /// The first task of each child that has one.
    firsts: Heap<Order>,
    /// By child: whether it was runnable since the last account.
    runnable: Vec<bool>,
    arrived: u64,
    notes: Vec<Said>,
}

impl Ledger {
    /// An empty one, for at most so many tasks.
    pub(super) fn new(most: u32, exact: bool) -> Ledger {
        Ledger {
            holds: Holding::new(exact),
            list: None,
            most,
            counts: Counts::default(),
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
        slots::put(&mut self.tasks, child, Tasks::default());
        slots::put(&mut self.runnable, child, false);
        self.firsts.reserve(child.index() + 1);
    }

    /// A child is removed, with its tasks.
    pub(super) fn unregister(&mut self, child: ChildVp) {
        let gone = core::mem::take(&mut self.tasks[child.index()]);
        for task in gone.iter() {
            self.withdraw(task.ticket);
        }
        self.notes.retain(|said| said.child != child);
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
    pub(super) fn next_note(&mut self) -> Option<Said> {
        self.notes.pop()
    }

    /// Whether there are lost tasks that were not named yet.
    pub(super) fn has_unnamed(&self) -> bool {
        self.notes.iter().any(|said| matches!(said.note, Note::Lost(_)))
    }

    /// Whether the supply grows with time, and as a line. If not, a task that is admitted may change the order of others.
    pub(super) fn is_line(&self) -> bool {
        self.holds.is_line()
    }

    /// Whether places are by all that is sure.
    pub(super) const fn is_exact(&self) -> bool {
        self.holds.is_exact()
    }

    /// How many tasks there are now, and how often what happened to tasks.
    pub(super) fn counts(&self) -> (usize, Counts) {
        (self.list.as_ref().map_or(0, Admission::len), self.counts)
    }

    /// How much of the first task is left at the last account.
    pub(super) fn first_left(&self) -> Option<Span> {
        Some(self.list.as_ref()?.head()?.left)
    }

    /// The least laxity of all tasks; `None` without any.
    fn laxity(&self) -> Option<Span> {
        let list = self.list.as_ref()?;
        let head = list.head()?.ticket.deadline();
        Some(list.idle_before(Instant::from_nanos(head.as_nanos().saturating_sub(1))))
    }

    /// The time up to which was accounted.
    pub(super) const fn accounted(&self) -> Instant {
        self.last
    }

    /// Accounts for the time up to `now`, in which the processor was so used, and `received` came of it.
    pub(super) fn account(&mut self, now: Instant, phase: Phase, received: Span) {
        self.last = now;
        if phase == Phase::Idle {
            return self.holds.passes_idle(now);
        }
        self.holds.passes(now, received);
        if self.list.is_none() {
            return;
        }
        if let Phase::Serving(child) = phase {
            let to = self.time().saturating_add(received);
            self.holds.reaches(to, now);
            self.pass(to.min(self.holds.at(now)), Some(child), received);
        }
        // Each time that is more than the line says, a first task is lost.
        loop {
            let least = self.least(now);
            if least <= self.time() {
                return;
            }
            self.fail(least);
        }
    }

    /// The instance becomes runnable now, or something is submitted to it while it is not: its supply counts from here. Time that passed
    /// before is charged to the tasks that there are, whose children waited.
    /// Returns whether the places of tasks are others now.
    pub(super) fn resume(&mut self) -> bool {
        if self.list.is_none() {
            return false;
        }
        let at = self.holds.at(self.last);
        let again = self.holds.is_exact() && self.firsts.peek().is_some();
        if again {
            self.admit_again(at, Again::Charged);
        } else {
            self.pass(at, None, Span::ZERO);
        }
        again
    }

    /// The time of the supply.
    fn time(&self) -> Instant {
        self.list.as_ref().map_or(Instant::ZERO, Admission::now)
    }

    /// The time of the supply moves to `to`, if that is later, while `child` received `received`, which is at least as much.
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
                // What is moved is not saved up: else its receiver had received more of it than has passed.
                (work, if self.is_moved(first) { work } else { passes.min(work) })
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

    /// The tasks of all children, those of a child in order.
    fn each(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().flat_map(Tasks::iter)
    }

    /// Whether the first task of a child is laxity that was moved to it.
    fn is_moved(&self, child: ChildVp) -> bool {
        self.tasks[child.index()].first().is_some_and(|task| task.moved)
    }

    /// Passes time in which so much of the first task was done.
    fn serve(&mut self, work: Span, to: Instant) {
        let Some(list) = &mut self.list else { return };
        let to = to.min(HORIZON).max(list.now());
        if list.serve(work, to) == Ok(1)
            && let Some((order, first)) = self.firsts.peek()
        {
            let child = ChildVp(first);
            if let Some(task) = self.take(child, order) {
                self.used_up(child, task);
            }
        }
    }

    /// All the time that a task may need has passed.
    fn used_up(&mut self, child: ChildVp, task: Task) {
        self.counts.collected += u64::from(!task.moved);
        self.says(child, task, Note::Exhausted);
    }

    /// The time of the supply moves to `to`, in which no task was done. Names what is lost by that.
    fn fail(&mut self, to: Instant) {
        self.serve(Span::ZERO, to);
        while let Some((ticket, left)) = self.list.as_mut().and_then(Admission::take_late) {
            let order = |tasks: &Tasks| {
                let mut same = tasks.at(ticket.deadline());
                same.find(|task| task.ticket == ticket).map(|task| task.order)
            };
            let mut all = (0..).map(ChildVp).zip(&self.tasks);
            let whose = all.find_map(|(child, tasks)| Some((child, order(tasks)?)));
            if let Some((child, order)) = whose
                && let Some(task) = self.take(child, order)
            {
                self.lose(child, task, left);
            }
        }
    }

    /// A task cannot be done any longer.
    fn lose(&mut self, child: ChildVp, task: Task, left: Span) {
        self.counts.lost += u64::from(!task.moved);
        self.says(child, task, Note::Lost(left));
    }

    fn says(&mut self, child: ChildVp, task: Task, note: Note) {
        let ends = task.moved && matches!(note, Note::Lost(_));
        let task = (!task.moved).then_some(task.number);
        self.notes.push(Said { child, note, task, ends });
    }

    /// Takes a task of a child out of its list.
    fn take(&mut self, child: ChildVp, order: Order) -> Option<Task> {
        let tasks = &mut self.tasks[child.index()];
        let task = tasks.remove(order);
        match tasks.first() {
            Some(task) => self.firsts.set(child.0, task.order),
            None => {
                self.firsts.remove(child.0);
            }
        }
        task
    }

    /// Takes a slot out. Returns what was left of it, which is free.
    fn withdraw(&mut self, ticket: Ticket) -> Span {
        let left = self.list.as_mut().and_then(|list| list.withdraw(ticket).ok());
        let left = left.unwrap_or(Span::ZERO);
        self.counts.freed = self.counts.freed.saturating_add(left);
        left
    }

    /// A task ends, or will not be done. Returns what is left of it.
    pub(super) fn end(&mut self, child: ChildVp, number: u32) -> Result<Span, AnswerError> {
        let order = self.tasks[child.index()].find(number);
        match order.and_then(|order| self.take(child, order)) {
            Some(task) => Ok(self.withdraw(task.ticket)),
            None => Err(AnswerError::WrongTask { task: number, has: false }),
        }
    }

    fn insert(&mut self, child: ChildVp, task: Task) {
        self.tasks[child.index()].insert(task);
        if self.firsts.key(child.0).is_none_or(|first| task.order < first) {
            self.firsts.set(child.0, task.order);
        }
    }

    /// Checks that the list and the children's tasks agree.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let held = self.tasks.iter().map(Tasks::len).sum::<usize>();
        if held != self.list.as_ref().map_or(0, Admission::len) {
            return Err("the list has other slots than the children have tasks");
        }
        let first = self.firsts.peek().map(|(order, _)| order.0);
        let head = self.list.as_ref().and_then(Admission::head);
        if first != head.map(|head| head.ticket.deadline()) {
            return Err("the first slot is not the first task");
        }
        Ok(())
    }
}
