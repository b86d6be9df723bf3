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
//! At most 64 deadlines are kept. One more that is later than all takes the place of the earliest, and whatever is reported
//! before the next one then counts as reported for that. In place of one more that is not, the next later one is used.

use crate::parts::reservation::Reservation;
use alloc::collections::VecDeque;
use windfall_time::{Instant, Span};

const MOST: usize = 64;

/// Processor time in nanoseconds times the reservation's period, so that shares are exact.
type Exact = u128;

/// Deadlines in order, each with the amount that may be used until then.
#[derive(Clone)]
pub(crate) struct Ahead {
    until: VecDeque<(Instant, Exact)>,
    /// Deadlines before this one, the first then, were forgotten.
    forgotten: Instant,
}

impl Ahead {
    /// Creates a list without deadlines.
    pub(crate) fn new() -> Ahead {
        Ahead { until: VecDeque::with_capacity(MOST + 1), forgotten: Instant::ZERO }
    }

    pub(crate) fn clear(&mut self) {
        self.until.clear();
        self.forgotten = Instant::ZERO;
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
        let place = self.until.partition_point(|(at, _)| *at < deadline);
        let known = self.until.get(place).copied();
        let is_full = self.until.len() >= MOST;
        if let Some((at, _)) = known
            && (is_full || at == deadline || deadline < self.forgotten)
        {
            return self.work_for(slot, known);
        }
        let before = place.checked_sub(1).and_then(|place| self.until.get(place));
        let (from, had) = before.copied().unwrap_or((now, 0));
        // A reservation that has not begun gives nothing until it does.
        let from = if self.until.is_empty() { from.max(slot.end) } else { from };
        let adds = share(slot, deadline.saturating_since(from));
        let budget = had.saturating_add(adds).min(known.map_or(Exact::MAX, |(_, next)| next));
        self.until.insert(place, (deadline, budget));
        if is_full {
            self.until.pop_front();
            self.forgotten = self.until.front().map_or(Instant::ZERO, |(at, _)| *at);
        }
        self.work_for(slot, Some((deadline, budget)));
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
            self.until.push_back((slot.end, exact(slot, slot.budget)));
            return true;
        };
        self.work_for(slot, Some(next));
        true
    }

    /// Applies the pending change, if the deadline that the child worked for has passed.
    fn apply_change(&mut self, slot: &mut Reservation, now: Instant) {
        if slot.end > now || slot.change.is_none_or(|(_, _, from)| from > now) {
            return;
        }
        let before = period(slot);
        slot.apply_change();
        for (_, budget) in &mut self.until {
            *budget = (*budget / before).saturating_mul(period(slot));
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

    fn work_for(&self, slot: &mut Reservation, next: Option<(Instant, Exact)>) {
        if let Some((deadline, budget)) = next {
            (slot.end, slot.budget, slot.notified) = (deadline, whole(slot, budget), false);
        }
    }

    /// Sets the budget to the amount until the deadline that the child works for.
    fn refresh(&self, slot: &mut Reservation) {
        if let Some((_, budget)) = self.until.iter().find(|(at, _)| *at == slot.end) {
            slot.budget = whole(slot, *budget);
        }
    }

    /// Subtracts the use from all later deadlines, and drops those that have passed.
    fn settle(&mut self, slot: &mut Reservation, now: Instant) {
        slot.budget = slot.budget.saturating_sub(core::mem::take(&mut slot.debt));
        let mine = self.until.iter().find(|(at, _)| *at == slot.end);
        if let Some((_, had)) = mine.copied() {
            let used = exact(slot, whole(slot, had).saturating_sub(slot.budget));
            let left = had.saturating_sub(used);
            for (deadline, budget) in &mut self.until {
                *budget = match *deadline < slot.end {
                    true => left.min(*budget),
                    false => budget.saturating_sub(used),
                };
            }
        }
        while self.until.front().is_some_and(|(at, _)| *at <= now) {
            self.until.pop_front();
        }
    }

    /// Limits the amount until each deadline before `end` to the share of the time until it.
    fn cap(&mut self, slot: &Reservation, end: Instant, now: Instant) {
        for (deadline, budget) in self.until.iter_mut().take_while(|(at, _)| *at < end) {
            *budget = share(slot, deadline.saturating_since(now)).min(*budget);
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
