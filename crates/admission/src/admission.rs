//! The interface of a list: it checks requests, numbers tickets, counts, and words the errors.

use crate::{
    AdmitError, AdvanceError, HORIZON, Head, Key, Structure, Supplied, Ticket, TicketError, Tree,
    WhatIfError,
};
use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// How often what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Tasks that were admitted.
    pub admitted: u64,
    /// Tasks that were refused, for whatever reason.
    pub refused: u64,
    /// Slots that were withdrawn.
    pub withdrawn: u64,
    /// Slots that ended before their bound.
    pub early: u64,
    /// Slots that were collected because their work was used up.
    pub collected: u64,
    /// Slots that could not be done in time any longer, because time passed without work.
    pub lost: u64,
    /// Work that became free because slots ended before their bound, or were withdrawn.
    pub freed: Span,
}

/// The answer of inexact analysis (the end of section 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inexact {
    /// [`Admission::admit`] would admit it.
    Yes,
    /// Only [`Admission::admit`] can say.
    Maybe,
}

/// Work with deadlines for one processor: admitted while all of it can be done in time (sections 2.2, 2.5).
///
/// Decision 0028 says what slots and tickets are, and when time moves. A copy has the same slots, and answers to the same tickets.
#[derive(Clone, Debug)]
pub struct Admission<S> {
    slots: S,
    most: u32,
    list: u32,
    next: u32,
    counts: Counts,
}

impl<const L: usize, const I: usize> Admission<Tree<L, I>> {
    /// Takes memory now for as many slots as the list may hold, in nodes of the tree that are a quarter full in the mean. More is taken later only when slots are withdrawn in an order that leaves less of the nodes in use, and never
    /// more than a leaf for each slot.
    ///
    /// # Errors
    /// When there is not so much.
    pub fn reserve(&mut self) -> Result<(), TryReserveError> {
        self.slots.reserve(self.most as usize)
    }
}

impl<S: Structure> Admission<S> {
    /// A list without slots, of which it may hold `most`.
    ///
    /// # Errors
    /// When `now` is beyond [`HORIZON`].
    pub fn new(now: Instant, most: u32) -> Result<Self, AdvanceError> {
        Self::over(S::new(now), most, 0)
    }

    /// A list over slots that are there already; their numbers are before `next`.
    ///
    /// # Errors
    /// When their time is beyond [`HORIZON`].
    pub fn over(slots: S, most: u32, next: u32) -> Result<Self, AdvanceError> {
        if slots.now() > HORIZON {
            return Err(AdvanceError::BeyondHorizon { to: slots.now() });
        }
        let list = crate::ticket::list_number();
        Ok(Admission { slots, most, list, next, counts: Counts::default() })
    }

    /// The time that was reached.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.slots.now()
    }

    /// How many slots there are, those included that are used up and not [collected](Admission::collect).
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no slots.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// How often what happened.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The structure that keeps the slots.
    #[must_use]
    pub fn structure(&self) -> &S {
        &self.slots
    }

    /// The slot that is worked on.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        let (key, left) = self.slots.head()?;
        Some(Head { ticket: self.ticket(key), left })
    }

    fn ticket(&self, key: Key) -> Ticket {
        Ticket { deadline: key.deadline, number: key.number, list: self.list }
    }

    /// The idle time before a deadline: the most work that can still be done by it, with all that was admitted done in time (section 2.5).
    ///
    /// It never falls as the deadline grows, and is zero for one that has passed. Whether there is a slot left for more work is another matter.
    #[must_use]
    pub fn idle_before(&self, deadline: Instant) -> Span {
        if deadline <= self.now() {
            return Span::ZERO;
        }
        let beyond = deadline.saturating_since(HORIZON);
        self.slots.room(deadline.min(HORIZON)).saturating_add(beyond)
    }

    /// Whether this work would be admitted with this deadline, as far as can be said in less time (inexact analysis, the end of section 2.2).
    ///
    /// `Yes` is never wrong. The tree leaves out its leaves, and lists with minimum-laxity pointers the search; others look exactly.
    #[must_use]
    #[inline]
    pub fn inexact(&self, work: Span, deadline: Instant) -> Inexact {
        let asked = !work.is_zero() && self.now() < deadline && deadline <= HORIZON;
        if asked && self.len() < self.most as usize && work <= self.slots.room_at_least(deadline) {
            Inexact::Yes
        } else {
            Inexact::Maybe
        }
    }

    /// The earliest deadline with which this work would be admitted; `None` if it lies beyond [`HORIZON`].
    ///
    /// # Errors
    /// For no work, and for more than could be done by [`HORIZON`].
    pub fn earliest_deadline(&self, work: Span) -> Result<Option<Instant>, AdmitError> {
        self.check_work(work)?;
        Ok(self.earliest(work))
    }

    fn earliest(&self, work: Span) -> Option<Instant> {
        Some(self.slots.earliest(work)).filter(|found| *found <= HORIZON)
    }

    fn check_work(&self, work: Span) -> Result<(), AdmitError> {
        let most = HORIZON.saturating_since(self.now());
        if work.is_zero() {
            Err(AdmitError::NoWork)
        } else if work > most {
            Err(AdmitError::TooMuchWork { work, most })
        } else {
            Ok(())
        }
    }

    #[inline]
    fn try_admit(&mut self, work: Span, deadline: Instant) -> Result<Ticket, AdmitError> {
        let now = self.now();
        self.check_work(work)?;
        if deadline <= now {
            let earliest = self.earliest(work);
            return Err(AdmitError::DeadlinePassed { deadline, now, earliest });
        }
        if deadline > HORIZON {
            return Err(AdmitError::BeyondHorizon { deadline });
        }
        if self.len() >= self.most as usize && self.collect() == 0 {
            return Err(AdmitError::Full { slots: self.most });
        }
        let key = Key { deadline, number: self.next };
        self.slots.offer(work, key).map_err(|idle| AdmitError::NoRoom {
            work,
            deadline,
            idle,
            earliest: self.earliest(work),
        })?;
        self.next = self.next.wrapping_add(1);
        Ok(self.ticket(key))
    }

    /// Admits work that will be done by its deadline, behind all of an equal deadline, while everything that was admitted before is, too (section 2.2).
    ///
    /// # Errors
    /// If it does not fit, and for arguments that can never be admitted; nothing has changed then but [`Admission::counts`].
    #[inline]
    pub fn admit(&mut self, work: Span, deadline: Instant) -> Result<Ticket, AdmitError> {
        let answer = self.try_admit(work, deadline);
        match answer {
            Ok(_) => self.counts.admitted += 1,
            Err(_) => self.counts.refused += 1,
        }
        answer
    }

    /// Whether all of these tasks, each a work and a deadline, would be admitted one after the other. No later answer depends on the question.
    ///
    /// # Errors
    /// The first that would be refused.
    pub fn what_if(&mut self, tasks: &[(Span, Instant)]) -> Result<(), WhatIfError> {
        let (mut keys, mut answer) = (Vec::with_capacity(tasks.len()), Ok(()));
        for (index, (work, deadline)) in tasks.iter().enumerate() {
            match self.try_admit(*work, *deadline) {
                Ok(ticket) => keys.push(Key { deadline: *deadline, number: ticket.number }),
                Err(error) => {
                    answer = Err(WhatIfError { index, error });
                    break;
                }
            }
        }
        // Their numbers are not given again, since a structure may remember them.
        for key in keys.into_iter().rev() {
            self.slots.remove(key);
        }
        answer
    }

    /// Takes a slot out, whether it was worked on or not, and returns how much work was left of it, which is free at once.
    ///
    /// # Errors
    /// For a ticket that is stale, or from another list.
    pub fn withdraw(&mut self, ticket: Ticket) -> Result<Span, TicketError> {
        if ticket.list != self.list {
            return Err(TicketError::Foreign { ticket });
        }
        let key = Key { deadline: ticket.deadline, number: ticket.number };
        let left = self.slots.remove(key).ok_or(TicketError::Stale { ticket })?;
        self.counts.withdrawn += 1;
        self.counts.freed = self.counts.freed.saturating_add(left);
        Ok(left)
    }

    /// The first slot ended after `used` more time: `now` moves on by that, and what was left of its bound is free at once, and returned
    /// (section 2.5).
    ///
    /// # Errors
    /// For a ticket that is stale, from another list, or not of the first slot; for more time than was left. Nothing has changed then.
    pub fn done(&mut self, ticket: Ticket, used: Span) -> Result<Span, TicketError> {
        if ticket.list != self.list {
            return Err(TicketError::Foreign { ticket });
        }
        let key = Key { deadline: ticket.deadline, number: ticket.number };
        let Some((head, left)) = self.slots.head() else {
            return Err(TicketError::Stale { ticket });
        };
        if head != key {
            return Err(self.not_head(ticket, key, head));
        }
        let free = left.checked_sub(used).ok_or(TicketError::AboveBound { used, left })?;
        let collected = self.slots.advance(self.now() + used);
        self.counts.collected += collected as u64;
        if !free.is_zero() {
            self.slots.remove(key);
            self.counts.early += 1;
            self.counts.freed = self.counts.freed.saturating_add(free);
        }
        Ok(free)
    }

    fn not_head(&self, ticket: Ticket, key: Key, head: Key) -> TicketError {
        if self.slots.contains(key) {
            TicketError::NotHead { ticket, head: self.ticket(head) }
        } else {
            TicketError::Stale { ticket }
        }
    }

    /// Time passes, in which the first slot is worked on, then the next, and nothing if there is none. Slots whose work is used up are
    /// collected ("temporal paging", section 2.2); returns how many. Their tickets are stale from then on. A [`PagedList`](crate::PagedList) collects only when
    /// it is [told to](Admission::collect), and returns 0.
    ///
    /// # Errors
    /// When `to` is earlier than `now`, or beyond [`HORIZON`]; nothing has changed then.
    #[inline]
    pub fn advance(&mut self, to: Instant) -> Result<usize, AdvanceError> {
        self.check_time(to)?;
        let collected = self.slots.advance(to);
        self.counts.collected += collected as u64;
        Ok(collected)
    }

    /// Collects the slots that are used up, which all structures but [`PagedList`](crate::PagedList) do as time passes; returns how many (section 3).
    pub fn collect(&mut self) -> usize {
        let collected = self.slots.collect();
        self.counts.collected += collected as u64;
        collected
    }

    fn check_time(&self, to: Instant) -> Result<(), AdvanceError> {
        let now = self.now();
        if to < now {
            return Err(AdvanceError::Backwards { to, now });
        }
        if to > HORIZON {
            return Err(AdvanceError::BeyondHorizon { to });
        }
        Ok(())
    }
}

impl<S: Supplied> Admission<S> {
    /// Time moves to `to`, in which `work` of the first slot was done: less than the time that passed if the processor was away, more if time is
    /// that of a supply that ran ahead (decision 0029). Slots whose work is used up are collected; returns how many.
    ///
    /// If time passed without work, slots may be [late](Admission::take_late) afterwards.
    ///
    /// # Errors
    /// When `to` is earlier than `now`, or beyond [`HORIZON`], or more work was done than was left of the first slot; nothing has changed then.
    pub fn serve(&mut self, work: Span, to: Instant) -> Result<usize, AdvanceError> {
        self.check_time(to)?;
        let left = self.slots.head().map_or(Span::ZERO, |(_, left)| left);
        if work > left {
            return Err(AdvanceError::AboveBound { work, left });
        }
        let collected = self.slots.serve(work, to);
        self.counts.collected += collected as u64;
        Ok(collected)
    }

    /// Takes out the first slot that cannot be done in time any longer because time passed without work, and returns what was left of it. To be
    /// called until there is none, after [`Admission::serve`].
    pub fn take_late(&mut self) -> Option<(Ticket, Span)> {
        let key = self.slots.late()?;
        let left = self.slots.remove(key)?;
        self.counts.lost += 1;
        Some((self.ticket(key), left))
    }
}
