//! The future deadlines that a child has reported, and how much it may have until each (PShED).
//!
//! The child works for one of them, the reservation's `end`, with the reservation's `budget`. Its use counts
//! against that deadline and all later ones; until an earlier deadline it never has more than until a later one. A
//! newly reported deadline adds the share of the time since the one before it, but no more than what is left until
//! the one after it. A child that has waited, or whose budget was used up too early, keeps at most the share of the
//! time until each deadline; a child that has worked for a later deadline in between, until those before that one.
//! So whatever a child reports, the amounts that begin and fall due in any interval are at most the share of its
//! length. A child that always works for its earliest deadline has received as much by each as from a processor of
//! that speed, down to the whole nanosecond at each.
//!
//! At most 64 deadlines are kept: with one more, the last but one is forgotten. In place of one that is reported between it and the
//! last, the last is used.

use crate::parts::reservation::Reservation;
use alloc::collections::VecDeque;
use windfall_time::{Instant, Span};

/// So many deadlines to come a uniformly slower processor keeps; whatever their order, it tells all but one of them apart.
pub const DEADLINES_AHEAD: usize = 64;

/// Processor time in nanoseconds times the reservation's period, so that shares are exact.
type Exact = u128;

/// A deadline.
#[derive(Clone, Copy)]
struct Due {
    at: Instant,
    /// The amount that may be used until then.
    budget: Exact,
    /// One between the deadline before and this one was forgotten.
    follows_gap: bool,
}

/// Deadlines in order.
#[derive(Clone)]
pub(crate) struct Ahead {
    until: VecDeque<Due>,
}

impl Ahead {
    /// Creates a list without deadlines.
    pub(crate) fn new() -> Ahead {
        Ahead { until: VecDeque::with_capacity(DEADLINES_AHEAD + 1) }
    }

    pub(crate) fn clear(&mut self) {
        self.until.clear();
    }

    /// The child, which has been charged if it runs, works for this deadline from now on.
    pub(crate) fn report_deadline(
        &mut self,
        slot: &mut Reservation,
        deadline: Instant,
        now: Instant,
    ) {
        if deadline <= now {
            return;
        }
        self.settle(slot, now);
        self.apply_change(slot, now);
        if slot.budget.is_zero() && slot.since < now {
            self.cap(slot, Instant::MAX, now);
        } else if deadline < slot.end {
            // No earlier deadline was known until now, or the child would have worked for that.
            self.cap(slot, slot.end, now);
        }
        let place = self.until.partition_point(|due| due.at < deadline);
        if let Some(next) = self.until.get(place).copied() {
            let forgotten = self.until.len() >= DEADLINES_AHEAD && place + 1 == self.until.len();
            if next.at == deadline || next.follows_gap || forgotten {
                return self.work_for(slot, next);
            }
        }
        let before = place.checked_sub(1).and_then(|place| self.until.get(place));
        let (from, had) = before.map_or((now, 0), |due| (due.at, due.budget));
        // A reservation that has not begun gives nothing until it does.
        let from = if self.until.is_empty() { from.max(slot.end) } else { from };
        let most = self.until.get(place).map_or(Exact::MAX, |next| next.budget);
        let budget = had.saturating_add(share(slot, deadline.saturating_since(from))).min(most);
        let due = Due { at: deadline, budget, follows_gap: false };
        self.until.insert(place, due);
        if let Some(last_but_one) =
            self.until.len().checked_sub(2).filter(|at| *at + 2 > DEADLINES_AHEAD)
        {
            self.until.remove(last_but_one);
            self.until[last_but_one].follows_gap = true;
        }
        self.work_for(slot, due);
    }

    /// If the deadline that the child worked for has passed, it works for the next one, or for one a period later.
    /// Returns whether it has passed.
    pub(crate) fn pass(&mut self, slot: &mut Reservation, now: Instant) -> bool {
        if slot.end > now {
            return false;
        }
        self.settle(slot, now);
        self.apply_change(slot, now);
        self.cap(slot, Instant::MAX, now);
        let Some(next) = self.until.front().copied() else {
            slot.renew(now);
            let budget = exact(slot, slot.budget);
            self.until.push_back(Due { at: slot.end, budget, follows_gap: false });
            return true;
        };
        self.work_for(slot, next);
        true
    }

    /// Applies the pending change, if the deadline that the child worked for has passed.
    fn apply_change(&mut self, slot: &mut Reservation, now: Instant) {
        if slot.end > now || slot.change.is_none_or(|(_, _, from)| from > now) {
            return;
        }
        let before = period(slot);
        slot.apply_change();
        for due in &mut self.until {
            due.budget = (due.budget / before).saturating_mul(period(slot));
        }
    }

    /// The child wakes. Returns whether a new deadline was taken, because the last one has passed.
    pub(crate) fn wake(&mut self, slot: &mut Reservation, now: Instant) -> bool {
        if slot.end <= now {
            return self.pass(slot, now);
        }
        self.settle(slot, now);
        if slot.since < now {
            self.cap(slot, Instant::MAX, now);
            self.refresh(slot);
        }
        false
    }

    fn work_for(&self, slot: &mut Reservation, due: Due) {
        (slot.end, slot.budget, slot.notified) = (due.at, whole(slot, due.budget), false);
    }

    /// Sets the budget to the amount until the deadline that the child works for.
    fn refresh(&self, slot: &mut Reservation) {
        if let Some(due) = self.until.iter().find(|due| due.at == slot.end) {
            slot.budget = whole(slot, due.budget);
        }
    }

    /// Subtracts the use from all later deadlines, and drops those that have passed.
    fn settle(&mut self, slot: &mut Reservation, now: Instant) {
        slot.budget = slot.budget.saturating_sub(core::mem::take(&mut slot.debt));
        let mine = self.until.iter().find(|due| due.at == slot.end);
        if let Some(had) = mine.map(|due| due.budget) {
            let used = exact(slot, whole(slot, had).saturating_sub(slot.budget));
            let left = had.saturating_sub(used);
            for due in &mut self.until {
                due.budget = match due.at < slot.end {
                    true => left.min(due.budget),
                    false => due.budget.saturating_sub(used),
                };
            }
        }
        while self.until.front().is_some_and(|due| due.at <= now) {
            self.until.pop_front();
        }
    }

    /// Limits the amount until each deadline before `end` to the share of the time until it.
    fn cap(&mut self, slot: &Reservation, end: Instant, now: Instant) {
        for due in self.until.iter_mut().take_while(|due| due.at < end) {
            due.budget = share(slot, due.at.saturating_since(now)).min(due.budget);
        }
    }
}

fn period(slot: &Reservation) -> Exact {
    Exact::from(slot.period.as_nanos().max(1))
}

fn exact(slot: &Reservation, time: Span) -> Exact {
    Exact::from(time.as_nanos()) * period(slot)
}

/// The share of a time, exactly.
fn share(slot: &Reservation, time: Span) -> Exact {
    Exact::from(time.as_nanos()) * Exact::from(slot.amount.as_nanos())
}

fn whole(slot: &Reservation, time: Exact) -> Span {
    Span::saturating_from_nanos(time / period(slot))
}
