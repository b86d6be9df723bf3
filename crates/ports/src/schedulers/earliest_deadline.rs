//! Earliest deadline first with admission (sections 2.2, 2.5), within a share (decision 0032, 3).
//!
//! Invariant: the slots are what the scheduler has promised, worked on at the rate of its share, whether or not the tasks really run. A task that has
//! ended leaves a slot of what it received beyond the slot's progress, so no time is promised twice.

use crate::error::not_passed;
use crate::scheduler::{Laxity, Moved, Queries, Scheduler};
use crate::{Claim, Request, Share, SubmitError, TaskId, TransferError};
use std::collections::BTreeMap;
use windfall_admission::{
    Admission, AdmitError, AdvanceError, BPlusTree, HORIZON, Structure, Ticket, WhatIfError,
};
use windfall_time::{Instant, Span};

/// Deadline and number of arrival.
type Key = (Instant, u64);

#[derive(Clone, Copy, Debug)]
struct Promised {
    key: Key,
    ticket: Ticket,
    bound: Span,
    received: Span,
}

/// Admits work that will be done by its deadline, and runs what is due first.
#[derive(Clone, Debug)]
pub struct EarliestDeadline<S = BPlusTree> {
    share: Share,
    now: Instant,
    slots: Admission<S>,
    /// Laxity that came from other schedulers, and laxity that is still coming.
    gained: u64,
    coming: Vec<Moved>,
    ready: BTreeMap<Key, TaskId>,
    tasks: BTreeMap<TaskId, Promised>,
    arrivals: u64,
}

impl<S: Structure> EarliestDeadline<S> {
    /// Without tasks, of which it may keep this many slots.
    ///
    /// # Errors
    /// When `now` is beyond the horizon of slots.
    pub fn new(share: Share, now: Instant, slots: u32) -> Result<Self, AdvanceError> {
        if now > HORIZON {
            return Err(AdvanceError::BeyondHorizon { to: now });
        }
        let slots = Admission::new(Instant::from_nanos(share.passed(now)), slots)?;
        let (ready, tasks) = (BTreeMap::new(), BTreeMap::new());
        let coming = Vec::new();
        Ok(Self { share, now, slots, gained: 0, coming, ready, tasks, arrivals: 0 })
    }

    /// Where a deadline lies on the time of the slots.
    fn place(&self, deadline: Instant) -> Instant {
        let places = self.coming.iter().map(|moved| moved.place(deadline));
        let gained = places.fold(self.gained, u64::saturating_add);
        Instant::from_nanos(self.share.place(deadline).saturating_add(gained))
    }

    /// The first deadline that lies there or later.
    fn deadline_at(&self, place: Instant) -> Instant {
        // With all that is coming, and without: it lies between.
        let all = self.coming.iter().map(|moved| moved.work().as_nanos());
        let all = all.fold(self.gained, u64::saturating_add);
        let at = |gained: u64| self.share.instant_of(place.as_nanos().saturating_sub(gained));
        at(all).first_to(at(self.gained), |at| self.place(at) >= place)
    }

    /// A refusal of the slots, in the processor's time.
    fn refusal(&self, error: AdmitError, work: Span, deadline: Instant) -> AdmitError {
        let error = match error {
            AdmitError::NoRoom { idle, earliest, .. } => {
                AdmitError::NoRoom { work, deadline, idle, earliest: self.within(earliest) }
            }
            AdmitError::DeadlinePassed { earliest, .. } => {
                let earliest = self.within(earliest);
                AdmitError::DeadlinePassed { deadline, now: self.now, earliest }
            }
            other => other,
        };
        not_passed(error, work, deadline, self.now)
    }

    fn within(&self, place: Option<Instant>) -> Option<Instant> {
        place.map(|place| self.deadline_at(place)).filter(|found| *found <= HORIZON)
    }

    fn admit(&mut self, work: Span, deadline: Instant) -> Result<Ticket, AdmitError> {
        if deadline > HORIZON {
            return Err(AdmitError::BeyondHorizon { deadline });
        }
        let place = self.place(deadline);
        self.slots.admit(work, place).map_err(|error| self.refusal(error, work, deadline))
    }
}

impl<S: Structure> Scheduler for EarliestDeadline<S> {
    fn share(&self) -> Option<Share> {
        Some(self.share)
    }

    fn advance(&mut self, now: Instant) {
        self.now = now;
        let (here, coming) = self.coming.drain(..).partition(|moved| moved.until() <= now);
        let here: Vec<Moved> = here;
        self.coming = coming;
        let gained = here.iter().map(|moved| moved.work().as_nanos());
        self.gained = gained.fold(self.gained, u64::saturating_add);
        let passed = self.coming.iter().map(|moved| moved.passed(now));
        let own = passed.fold(self.gained, u64::saturating_add);
        let own = Instant::from_nanos(own.saturating_add(self.share.passed(now)));
        // Past the horizon nothing is admitted any more, and the slots stay as they are.
        let _ = self.slots.advance(own.min(HORIZON));
    }

    fn submit(&mut self, task: TaskId, request: &Request) -> Result<(), SubmitError> {
        let deadline = request.deadline.ok_or(SubmitError::NeedsDeadline)?;
        let ticket = self.admit(request.work, deadline)?;
        let key = (deadline, self.arrivals);
        self.arrivals += 1;
        self.ready.insert(key, task);
        let promised = Promised { key, ticket, bound: request.work, received: Span::ZERO };
        self.tasks.insert(task, promised);
        Ok(())
    }

    fn claim(&self) -> Option<Claim> {
        let ((deadline, _), task) = self.ready.first_key_value()?;
        let promised = self.tasks.get(task)?;
        let left = promised.bound.saturating_sub(promised.received);
        Some(Claim::new(*task, Some(*deadline), left))
    }

    fn ran(&mut self, task: TaskId, received: Span) {
        if let Some(promised) = self.tasks.get_mut(&task) {
            promised.received = promised.received.saturating_add(received);
        }
    }

    fn ended(&mut self, task: TaskId) {
        let Some(promised) = self.tasks.remove(&task) else { return };
        self.ready.remove(&promised.key);
        let Ok(left) = self.slots.withdraw(promised.ticket) else {
            return; // the time of its slot has passed
        };
        let progress = promised.bound.saturating_sub(left);
        let beyond = promised.received.saturating_sub(progress);
        if !beyond.is_zero() {
            let kept = self.slots.admit(beyond, promised.ticket.deadline());
            debug_assert!(kept.is_ok(), "a slot does not fit where a larger one was: {kept:?}");
        }
    }

    fn queries(&self) -> Option<&dyn Queries> {
        Some(self)
    }

    fn laxity(&mut self) -> Option<&mut dyn Laxity> {
        Some(self)
    }
}

impl<S: Structure> Queries for EarliestDeadline<S> {
    fn idle_before(&self, deadline: Instant) -> Span {
        self.slots.idle_before(self.place(deadline.min(HORIZON)))
    }

    fn earliest_deadline(&self, work: Span) -> Result<Option<Instant>, AdmitError> {
        Ok(self.within(self.slots.earliest_deadline(work)?))
    }
}

impl<S: Structure> Laxity for EarliestDeadline<S> {
    fn what_if(&mut self, tasks: &[(Span, Instant)]) -> Result<(), WhatIfError> {
        let beyond = tasks.iter().position(|(_, deadline)| *deadline > HORIZON);
        let placed: Vec<_> = tasks
            .iter()
            .take(beyond.unwrap_or(tasks.len()))
            .map(|(work, deadline)| (*work, self.place(*deadline)))
            .collect();
        let answer = self.slots.what_if(&placed);
        answer.map_err(|WhatIfError { index, error }| {
            let (work, deadline) = tasks[index];
            WhatIfError { index, error: self.refusal(error, work, deadline) }
        })?;
        beyond.map_or(Ok(()), |index| {
            let error = AdmitError::BeyondHorizon { deadline: tasks[index].1 };
            Err(WhatIfError { index, error })
        })
    }

    fn give(&mut self, work: Span) -> Result<Moved, TransferError> {
        if let Some(until) = self.coming.iter().map(Moved::until).max() {
            return Err(TransferError::Receiving { until });
        }
        // A slot before all others that nobody runs. It has no laxity, so nothing comes before it.
        let moved = Moved::new(self.share, self.now, work);
        self.admit(work, self.deadline_at(self.slots.now().saturating_add(work)))
            .map_err(TransferError::Promised)?;
        Ok(moved)
    }

    fn take(&mut self, moved: Moved) {
        self.coming.push(moved);
    }
}
