//! The deadlines ahead that a child has told, and how much it may have until each (PShED).
//!
//! The child works for one of them, the reservation's `end`, with the reservation's `budget`. What it
//! uses counts against that deadline and all later ones; until an earlier one it has no more than
//! until a later one. A deadline told adds the share of the time since the one before it, and no more
//! than what is left until the one after it. A child that has waited, or whose budget was used up
//! too early, keeps no more than the share of the time until each; one that has worked for a later one
//! meanwhile, until those before that.
//! So whatever is told, what begins and falls due in any interval is at most the share of its length;
//! and who always works for its earliest deadline has as much until each as a processor of that speed
//! would have given it, to the whole nanosecond at each.
//!
//! At most 64 are kept: for one told beyond that the next later one stands, if there is one.

use crate::parts::reservation::Reservation;
use alloc::collections::VecDeque;
use windfall_time::{Instant, Span};

const MOST: usize = 64;

/// Processor time in nanoseconds times the reservation's period, and so exact.
type Exact = u128;

/// Deadlines in order, each with what may be used until then.
pub(crate) struct Ahead {
    until: VecDeque<(Instant, Exact)>,
}

impl Ahead {
    /// None.
    pub(crate) fn new() -> Ahead {
        Ahead { until: VecDeque::with_capacity(MOST) }
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
        if slot.budget.is_zero() && slot.since < now {
            self.cap(slot, Instant::MAX, now);
        } else if deadline < slot.end {
            // Nothing was due so soon until now, or it would have worked for that.
            self.cap(slot, slot.end, now);
        }
        let place = self.until.partition_point(|(at, _)| *at < deadline);
        let known = self.until.get(place).copied();
        if self.until.len() >= MOST || known.is_some_and(|(at, _)| at == deadline) {
            return self.work_for(slot, known);
        }
        let before = place.checked_sub(1).and_then(|place| self.until.get(place));
        let (from, had) = before.copied().unwrap_or((now, 0));
        // A reservation that has not begun gives nothing until it does.
        let from = if self.until.is_empty() { from.max(slot.end) } else { from };
        let adds = share(slot, deadline.saturating_since(from));
        let budget = had.saturating_add(adds).min(known.map_or(Exact::MAX, |(_, next)| next));
        self.until.insert(place, (deadline, budget));
        self.work_for(slot, Some((deadline, budget)));
    }

    /// The deadline that the child worked for has passed: it works for the next one, or for one a
    /// period later. Whether it was so.
    pub(crate) fn pass(&mut self, slot: &mut Reservation, now: Instant) -> bool {
        if slot.end > now {
            return false;
        }
        self.settle(slot, now);
        if slot.change.is_some_and(|(_, _, from)| from <= now) {
            let before = period(slot);
            slot.apply_change();
            for (_, budget) in &mut self.until {
                *budget = (*budget / before).saturating_mul(period(slot));
            }
        }
        self.cap(slot, Instant::MAX, now);
        let Some(next) = self.until.front().copied() else {
            slot.renew(now);
            self.until.push_back((slot.end, exact(slot, slot.budget)));
            return true;
        };
        self.work_for(slot, Some(next));
        true
    }

    /// The child wakes. Whether a period begins, for want of a deadline ahead.
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
            (slot.end, slot.budget, slot.told) = (deadline, whole(slot, budget), false);
        }
    }

    /// The budget is that until the deadline that the child works for.
    fn refresh(&self, slot: &mut Reservation) {
        if let Some((_, budget)) = self.until.iter().find(|(at, _)| *at == slot.end) {
            slot.budget = whole(slot, *budget);
        }
    }

    /// What was used has been used until all deadlines; those that have passed are left out.
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

    /// No more is kept than the share of the time until each deadline before `end`.
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

/// The share of a time.
fn share(slot: &Reservation, time: Span) -> Exact {
    Exact::from(time.as_nanos()) * Exact::from(slot.amount.as_nanos())
}

fn whole(slot: &Reservation, time: Exact) -> Span {
    Span::saturating_from_nanos(time / period(slot))
}
