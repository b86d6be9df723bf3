//! Admission of tasks, queries about it, and laxity that is moved away (PORTS 2.2, 2.4, 2.5).

use super::{Again, Ledger, Task};
use crate::deadline::ports::holding::Moved;
use alloc::vec::Vec;
use windfall_admission::{Admission, AdmitError, BPlusTree, WhatIfError};
use windfall_hierarchy::{Answer, AnswerError, ChildVp, TemporalAnswer, TemporalQuery};
use windfall_time::{Instant, Span};

const EXACT_GIVES_NOTHING: AnswerError =
    AnswerError::OutOfRange { what: "a transfer", allowed: "none by an instance with `exact`" };
const NO_WORK: AnswerError = AnswerError::OutOfRange { what: "work", allowed: "at least 1ns" };

impl Ledger {
    /// A task arrives.
    pub(in crate::deadline::ports) fn submit(
        &mut self,
        child: ChildVp,
        number: u32,
        (work, deadline): (Span, Instant),
    ) -> Answer {
        if self.tasks[child.index()].find(number).is_some() {
            return Err(AnswerError::WrongTask { task: number, has: true });
        }
        if work.is_zero() {
            return Err(NO_WORK);
        }
        let place = self.place_to_admit(work, deadline);
        let Some(list) = &mut self.list else { return Err(AnswerError::NoSupply) };
        match list.admit(work, place) {
            Ok(ticket) => {
                self.counts.admitted += 1;
                let order = (ticket.deadline(), self.arrives());
                self.insert(child, Task { number, moved: false, order, ticket, deadline });
                if !self.is_line() {
                    self.put_behind(place, deadline);
                }
                Ok(())
            }
            Err(error) => {
                self.counts.refused += 1;
                Err(self.refusal(error, work))
            }
        }
    }

    /// The place of a task that arrives. If it can make a difference, the supply that is sure by the other tasks'
    /// deadlines is brought up to date first.
    fn place_to_admit(&mut self, work: Span, deadline: Instant) -> Instant {
        let place = self.place(deadline);
        let Some(list) = self.list.as_ref().filter(|_| self.holds.is_exact()) else { return place };
        let mut later = self.each().filter(|task| task.deadline > deadline);
        let fits = list.idle_before(place) >= work && later.all(|task| task.order.0 >= place);
        drop(later);
        if fits {
            return place;
        }
        self.refresh();
        self.place(deadline)
    }

    /// Brings what is sure by the deadlines of all tasks up to now.
    fn refresh(&mut self) {
        if self.is_stale() {
            self.admit_again(self.time(), Again::Kept);
        }
    }

    /// Whether more is sure by the deadline of a task than when it was admitted.
    fn is_stale(&self) -> bool {
        let stale = |task: &Task| self.place_from_now(task.deadline) > task.order.0;
        self.holds.is_exact() && self.each().any(stale)
    }

    /// Where what is held does not grow all the time, several deadlines have one place: tasks that are due later go behind.
    fn put_behind(&mut self, place: Instant, deadline: Instant) {
        let mut later = Vec::new();
        for (child, tasks) in (0..).map(ChildVp).zip(&self.tasks) {
            let behind = tasks.at(place).filter(|task| !task.moved && task.deadline > deadline);
            later.extend(behind.map(|task| (task.deadline, task.order, child)));
        }
        later.sort_unstable();
        for (_, order, child) in later {
            let task = self.take(child, order);
            let (Some(task), Some(list)) = (task, &mut self.list) else { continue };
            let left = list.withdraw(task.ticket).unwrap_or(Span::ZERO);
            if let Ok(ticket) = list.admit(left, place) {
                let order = (place, self.arrives());
                self.insert(child, Task { order, ticket, ..task });
            }
        }
    }

    /// The number of an arrival. Accounts between messages do not allocate.
    pub(super) fn arrives(&mut self) -> u64 {
        self.arrived += 1;
        let room = self.list.as_ref().map_or(0, Admission::len);
        self.notes.reserve(room.saturating_sub(self.notes.len()));
        self.arrived
    }

    /// Moves so much laxity to a child, which is itself a scheduler: it has a slot of that work before all others. While the child waits, the slot is longer
    /// by what the supply may have to catch up with, which would pass before the child could receive it.
    pub(in crate::deadline::ports) fn give(
        &mut self,
        child: ChildVp,
        work: Span,
    ) -> Result<Moved, AnswerError> {
        if work.is_zero() {
            return Err(NO_WORK);
        }
        if self.holds.is_exact() {
            return Err(EXACT_GIVES_NOTHING);
        }
        let away = self.each().filter(|task| task.moved).map(|task| task.deadline);
        if let Some(until) = self.holds.moving_until().max(away.max()) {
            return Err(AnswerError::Moving { until });
        }
        let (now, past) = (self.time(), self.holds.past());
        let Some(rate) = self.holds.rate() else { return Err(AnswerError::NoSupply) };
        let begins =
            if self.runnable[child.index()] { now } else { now.max(self.holds.at(self.last)) };
        let first = begins.saturating_since(now);
        let most = self.laxity().map(|laxity| laxity.saturating_sub(first));
        if let Some(most) = most.filter(|most| work > *most) {
            return Err(AnswerError::NoLaxity { work, most });
        }
        let end = begins.saturating_add(work);
        let Some(list) = &mut self.list else { return Err(AnswerError::NoSupply) };
        let admitted = list.admit(first.saturating_add(work), end);
        let ticket = admitted.map_err(|error| self.refusal(error, work))?;
        let deadline = self.deadline(end).unwrap_or(Instant::MAX);
        let order = (ticket.deadline(), self.arrives());
        self.insert(child, Task { number: 0, moved: true, order, ticket, deadline });
        let from = begins.checked_sub(past).unwrap_or(Instant::ZERO);
        Ok(Moved { rate, from, work })
    }

    /// Answers a temporal query about the time of the last account, while the instance is idle or not.
    ///
    /// While it is idle, time passes without an account, for the tasks of children that wait: each slot shrinks by what passes, and ends when it would. So only work that
    /// begins now begins later.
    pub(in crate::deadline::ports) fn answer(
        &mut self,
        query: TemporalQuery<'_>,
        idle: bool,
    ) -> Option<TemporalAnswer> {
        // Some of the tasks may begin before others that there are: they need the slots as they will be.
        if idle && (self.holds.is_exact() || matches!(query, TemporalQuery::WhatIf(_)))
            || self.is_stale()
        {
            let mut copy = self.clone();
            if idle {
                copy.resume();
            }
            copy.refresh();
            return copy.answer_by_slots(query, false);
        }
        self.answer_by_slots(query, idle)
    }

    fn answer_by_slots(&mut self, query: TemporalQuery<'_>, idle: bool) -> Option<TemporalAnswer> {
        Some(match query {
            TemporalQuery::IdleBefore(deadline) => {
                let place = self.place(deadline);
                let before = |(list, now): (&Admission<BPlusTree>, Instant)| {
                    list.idle_before(place).min(place.saturating_since(now))
                };
                TemporalAnswer::Idle(self.begins(idle).map_or(Span::ZERO, before))
            }
            TemporalQuery::EarliestDeadline(work) => {
                let earliest = |(list, now): (&Admission<BPlusTree>, Instant)| {
                    let place = list.earliest_deadline(work).ok()??;
                    self.deadline(place.max(now.saturating_add(work)))
                };
                TemporalAnswer::Earliest(self.begins(idle).and_then(earliest))
            }
            TemporalQuery::WhatIf(tasks) => self.first_refused(tasks),
            _ => return None,
        })
    }

    /// When work that begins now would begin, on the time of the supply.
    fn begins(&self, idle: bool) -> Option<(&Admission<BPlusTree>, Instant)> {
        let list = self.list.as_ref()?;
        let now = if idle { self.holds.at(self.last) } else { Instant::ZERO };
        Some((list, now.max(list.now())))
    }

    fn first_refused(&mut self, tasks: &[(Span, Instant)]) -> TemporalAnswer {
        let place = |(work, deadline): &(Span, Instant)| (*work, self.place(*deadline));
        let placed: Vec<(Span, Instant)> = tasks.iter().map(place).collect();
        let Some(list) = &mut self.list else {
            let refused = (!tasks.is_empty()).then_some((0, AnswerError::NoSupply));
            return TemporalAnswer::FirstRefused(refused);
        };
        let refused = list.what_if(&placed).err().map(|WhatIfError { index, error }| {
            let (work, _) = placed[index];
            let nothing = work.is_zero();
            (index, if nothing { NO_WORK } else { self.refusal(error, work) })
        });
        TemporalAnswer::FirstRefused(refused)
    }

    /// A refusal in the words of the hierarchy, with deadlines on its clock.
    fn refusal(&self, error: AdmitError, work: Span) -> AnswerError {
        let late = |earliest: Option<Instant>| earliest.and_then(|place| self.deadline(place));
        match error {
            AdmitError::NoRoom { idle, earliest, .. } => {
                AnswerError::NoTime { work, idle, earliest: late(earliest) }
            }
            AdmitError::DeadlinePassed { earliest, .. } => {
                AnswerError::NoTime { work, idle: Span::ZERO, earliest: late(earliest) }
            }
            AdmitError::Full { .. } => AnswerError::Full {
                limit: "its `slots` are all taken; end a task, or give it more slots",
            },
            AdmitError::BeyondHorizon { .. } => {
                let allowed = "at most 73 years after the clock's beginning";
                AnswerError::OutOfRange { what: "deadline", allowed }
            }
            AdmitError::TooMuchWork { .. } => {
                let allowed = "what ends at most 73 years after the clock's beginning";
                AnswerError::OutOfRange { what: "work", allowed }
            }
            _ => AnswerError::NoTime { work, idle: Span::ZERO, earliest: None },
        }
    }
}
