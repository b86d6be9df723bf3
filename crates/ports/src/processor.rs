//! One processor: its schedulers, their collator, its dispatcher, and the accounts (sections 2.2, 2.4).
//!
//! Invariants: a task is late by at most what was stolen after it was admitted (decision 0032, 6); asked = admitted + refused, and admitted = done + exceeded +
//! cancelled + those that are there.

use crate::collator::Collator;
use crate::dispatcher::{Dispatcher, Running};
use crate::error::{not_passed, owing};
use crate::scheduler::{Laxity, Queries, Scheduler};
use crate::table::{Table, Task};
use crate::{
    ClockError, Counts, Request, ShareError, SubmitError, TaskError, TaskId, TransferError,
};
use std::collections::BTreeMap;
use windfall_admission::{AdmitError, WhatIfError};
use windfall_time::{Instant, Span};

/// How a task ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Ended {
    /// By how much it ended after its deadline: at most `stolen`.
    pub late: Span,
    /// The time stolen on its processor since it was admitted.
    pub stolen: Span,
    /// How much it took beyond its bound.
    pub beyond: Span,
}

/// Schedulers over a collator over a dispatcher, as a state machine without a clock.
#[derive(Debug)]
pub struct Processor {
    dispatcher: Dispatcher,
    collator: Collator,
    tasks: Table,
    /// How many tasks use a state.
    states: BTreeMap<u64, u32>,
    /// How many tasks are there that were promised to end by a deadline.
    promised: usize,
    /// The time stolen since there was no task.
    debt: Span,
    counts: Counts,
}

impl Processor {
    /// Without schedulers, for so many tasks.
    #[must_use]
    pub fn new(now: Instant, most: u32) -> Processor {
        let (dispatcher, collator) = (Dispatcher::new(now), Collator::default());
        let (tasks, states) = (Table::new(most), BTreeMap::new());
        let counts = Counts::default();
        Processor { dispatcher, collator, tasks, states, promised: 0, debt: Span::ZERO, counts }
    }

    /// Adds a scheduler, and returns its number.
    ///
    /// # Errors
    /// When all shares together would be more than the processor.
    pub fn add(
        &mut self,
        mut scheduler: impl Scheduler + Send + 'static,
    ) -> Result<usize, ShareError> {
        scheduler.advance(self.now());
        self.collator.add(Box::new(scheduler))
    }

    /// The time that was reached.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.dispatcher.now()
    }

    /// How often what happened.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Stolen time that has not been caught up with. Deadlines that are submitted meanwhile count as earlier by this.
    #[must_use]
    pub const fn debt(&self) -> Span {
        self.debt
    }

    /// The task to run, and for how long at most; then [`Processor::expire`] is due.
    #[must_use]
    pub const fn running(&self) -> Option<Running> {
        self.dispatcher.running()
    }

    /// When to call [`Processor::advance`], even if nothing ends or is submitted.
    #[must_use]
    pub fn wakes(&self) -> Option<Instant> {
        self.collator.wakes()
    }

    /// Whether a task uses this state, before it ends: during, or shortly after anything that is submitted now (section 4).
    #[must_use]
    pub fn touches(&self, state: u64) -> bool {
        self.states.contains_key(&state)
    }

    /// Time has passed, of which the running task received a part; the rest was stolen.
    ///
    /// # Errors
    /// When time would go back, or more was received than has passed; nothing has changed then.
    pub fn advance(&mut self, now: Instant, received: Span) -> Result<(), ClockError> {
        let passed = self.dispatcher.pass(now, received)?;
        let stolen = passed.stolen.saturating_add(passed.overrun);
        if let Some((id, received)) = passed.ran
            && let Some(task) = self.tasks.get_mut(id)
        {
            let within = received.min(task.left);
            let beyond = received.saturating_sub(within);
            task.left = task.left.saturating_sub(within);
            task.beyond = task.beyond.saturating_add(beyond);
            if let Some(scheduler) = self.collator.get_mut(task.scheduler) {
                scheduler.ran(id, within);
            }
        }
        self.counts.stolen = self.counts.stolen.saturating_add(stolen);
        self.collator.advance(now);
        if self.promised > 0 {
            self.debt = self.debt.saturating_add(stolen);
        } else if !stolen.is_zero() {
            self.collator.renew();
        }
        self.dispatch();
        Ok(())
    }

    fn dispatch(&mut self) {
        self.dispatcher.run(self.collator.first().map(|claim| (claim.task, claim.at_most)));
    }

    /// The timer has gone off. Returns the running task if its bound is used up: it exceeds that, and is no task of this processor any more.
    pub fn expire(&mut self) -> Option<TaskId> {
        let id = self.running()?.task;
        self.tasks.get(id).filter(|task| task.left.is_zero())?;
        self.end(id).ok()?;
        self.counts.exceeded += 1;
        Some(id)
    }

    /// A task has ended by itself. The unused part of its bound is free.
    ///
    /// # Errors
    /// When it is not there.
    pub fn done(&mut self, id: TaskId) -> Result<Ended, TaskError> {
        let task = self.end(id)?;
        let late = task.deadline.map(|deadline| self.now().saturating_since(deadline));
        let late = late.unwrap_or_default();
        let stolen = self.counts.stolen.saturating_sub(task.stolen_before);
        self.counts.late += u64::from(!late.is_zero());
        *if task.beyond.is_zero() { &mut self.counts.done } else { &mut self.counts.exceeded } += 1;
        Ok(Ended { late, stolen, beyond: task.beyond })
    }

    /// Takes a task out, whether it has begun or not.
    ///
    /// # Errors
    /// When it is not there.
    pub fn cancel(&mut self, id: TaskId) -> Result<(), TaskError> {
        self.end(id)?;
        self.counts.cancelled += 1;
        Ok(())
    }

    fn end(&mut self, id: TaskId) -> Result<Task, TaskError> {
        let task = self.tasks.remove(id).ok_or(TaskError { task: id })?;
        if let Some(state) = task.state
            && let Some(users) = self.states.get_mut(&state)
        {
            *users -= 1;
            if *users == 0 {
                self.states.remove(&state);
            }
        }
        if let Some(scheduler) = self.collator.get_mut(task.scheduler) {
            scheduler.ended(id);
        }
        self.promised -= usize::from(task.promised);
        if self.promised == 0 && !self.debt.is_zero() {
            self.debt = Span::ZERO;
            self.collator.renew();
        }
        self.dispatch();
        Ok(task)
    }

    /// Submits a task.
    ///
    /// # Errors
    /// When its scheduler cannot promise it, or has no use for it.
    pub fn submit(&mut self, scheduler: usize, request: Request) -> Result<TaskId, SubmitError> {
        self.submit_first(scheduler, &[request]).map(|(_, task)| task)
    }

    /// Submits the first of these that there is time for: a primary, else a secondary (section 2.4). Returns which.
    ///
    /// # Errors
    /// For the last of them, when there is time for none.
    pub fn submit_first(
        &mut self,
        scheduler: usize,
        alternatives: &[Request],
    ) -> Result<(usize, TaskId), SubmitError> {
        self.counts.submitted += 1;
        let answer = self.choose(scheduler, alternatives).and_then(|index| {
            let request = alternatives.get(index).ok_or(SubmitError::Nothing)?;
            Ok((index, self.take_in(scheduler, request)?))
        });
        match &answer {
            Ok((index, _)) => {
                self.counts.admitted += 1;
                self.counts.smaller += u64::from(*index > 0);
                self.dispatch();
            }
            Err(error) => self.counts.refused.count(error),
        }
        answer
    }

    /// The first for which there is time, or the last.
    fn choose(&self, scheduler: usize, alternatives: &[Request]) -> Result<usize, SubmitError> {
        let Some(queries) = self.scheduler(scheduler)?.queries() else { return Ok(0) };
        let fits = |request: &Request| {
            let idle = |deadline| queries.idle_before(self.owed(deadline));
            request.deadline.is_none_or(|deadline| request.work <= idle(deadline))
        };
        Ok(alternatives.iter().position(fits).unwrap_or(alternatives.len().saturating_sub(1)))
    }

    fn take_in(&mut self, number: usize, request: &Request) -> Result<TaskId, SubmitError> {
        let now = self.now();
        let promised = self.scheduler(number)?.queries().is_some();
        let task = Task {
            scheduler: number,
            deadline: request.deadline,
            promised,
            state: request.state,
            left: request.work,
            beyond: Span::ZERO,
            stolen_before: self.counts.stolen,
        };
        let owed = Request { deadline: request.deadline.map(|at| self.owed(at)), ..*request };
        let id = self.tasks.insert(task).ok_or(SubmitError::Full { tasks: self.tasks.most() })?;
        let debt = self.debt;
        let taken = self.scheduler_mut(number)?.submit(id, &owed);
        if let Err(error) = taken {
            self.tasks.remove(id);
            return Err(match (error, request.deadline) {
                (SubmitError::NotAdmitted(error), Some(deadline)) => {
                    in_time_of_the_asker(error, request.work, deadline, debt, now).into()
                }
                (other, _) => other,
            });
        }
        if let Some(state) = request.state {
            *self.states.entry(state).or_default() += 1;
        }
        self.promised += usize::from(promised);
        Ok(id)
    }

    /// A deadline, as it counts while there is a debt.
    fn owed(&self, deadline: Instant) -> Instant {
        deadline.checked_sub(self.debt).unwrap_or(Instant::ZERO)
    }

    fn scheduler(&self, number: usize) -> Result<&(dyn Scheduler + Send), SubmitError> {
        let schedulers = self.collator.len();
        self.collator.get(number).ok_or(SubmitError::NoScheduler { scheduler: number, schedulers })
    }

    fn scheduler_mut(&mut self, number: usize) -> Result<&mut (dyn Scheduler + Send), SubmitError> {
        let schedulers = self.collator.len();
        let found = self.collator.get_mut(number);
        found.ok_or(SubmitError::NoScheduler { scheduler: number, schedulers })
    }

    fn queries(&self, number: usize) -> Result<&dyn Queries, SubmitError> {
        self.scheduler(number)?.queries().ok_or(SubmitError::NoDeadlines)
    }

    /// The most work that a scheduler would admit with this deadline.
    ///
    /// # Errors
    /// When there is no such scheduler, or it promises no deadlines.
    pub fn idle_before(&self, scheduler: usize, deadline: Instant) -> Result<Span, SubmitError> {
        Ok(self.queries(scheduler)?.idle_before(self.owed(deadline)))
    }

    /// The earliest deadline with which a scheduler would admit this work; `None` if there is none.
    ///
    /// # Errors
    /// When there is no such scheduler, it promises no deadlines, or the work can never be admitted.
    pub fn earliest_deadline(
        &self,
        scheduler: usize,
        work: Span,
    ) -> Result<Option<Instant>, SubmitError> {
        let found = self.queries(scheduler)?.earliest_deadline(work)?;
        Ok(found.and_then(|found| found.checked_add(self.debt)))
    }

    /// Whether a scheduler would admit all of these, each a work and a deadline, one after the other. It changes nothing.
    ///
    /// # Errors
    /// When there is no such scheduler, or it has no such query. The answer is the first task that would be refused.
    pub fn what_if(
        &mut self,
        scheduler: usize,
        tasks: &[(Span, Instant)],
    ) -> Result<Result<(), WhatIfError>, SubmitError> {
        let (now, debt) = (self.now(), self.debt);
        let owed: Vec<_> = tasks.iter().map(|(work, at)| (*work, self.owed(*at))).collect();
        let laxity = self.scheduler_mut(scheduler)?.laxity().ok_or(SubmitError::NoDeadlines)?;
        Ok(laxity.what_if(&owed).map_err(|WhatIfError { index, error }| {
            let (work, deadline) = tasks[index];
            let error = in_time_of_the_asker(error, work, deadline, debt, now);
            WhatIfError { index, error }
        }))
    }

    /// Moves laxity: one scheduler gives up so much work, beginning at once, and another may promise it (section 2.5). Returns when all of it has been given.
    ///
    /// # Errors
    /// When the giver has promised that time; nothing has changed then.
    pub fn transfer(
        &mut self,
        from: usize,
        to: usize,
        work: Span,
    ) -> Result<Instant, TransferError> {
        if from == to {
            return Err(TransferError::Same);
        }
        self.laxity(to)?;
        let moved = self.laxity(from)?.give(work)?;
        self.laxity(to)?.take(moved);
        Ok(moved.until())
    }

    fn laxity(&mut self, scheduler: usize) -> Result<&mut dyn Laxity, TransferError> {
        let found = self.collator.get_mut(scheduler).and_then(|one| one.laxity());
        found.ok_or(TransferError::NoLaxity { scheduler })
    }
}

/// A scheduler's refusal of a deadline that was taken as earlier by a debt.
fn in_time_of_the_asker(
    error: AdmitError,
    work: Span,
    deadline: Instant,
    debt: Span,
    now: Instant,
) -> AdmitError {
    not_passed(owing(error, deadline, debt, now), work, deadline, now)
}
