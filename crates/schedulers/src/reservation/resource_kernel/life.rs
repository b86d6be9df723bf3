//! The life of a reserve: it is admitted, changed, given back.

use super::State;
use crate::parts::pool::Pool;
use crate::parts::reservation::Reservation;
use crate::reservation::resource_kernel::deferrable::{fits, less_that_fits};
use alloc::vec::Vec;
use windfall_hierarchy::{Answer, AnswerError, ChildVp, Context, Note, ParentNotice};
use windfall_time::{Instant, Span};

impl State {
    /// Begins or changes a reserve.
    pub(super) fn reserve(
        &mut self,
        child: ChildVp,
        (amount, period): (Span, Span),
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        if amount.is_zero() || amount > period {
            let allowed = "above zero, at most the period";
            return Err(AnswerError::OutOfRange { what: "amount", allowed });
        }
        let slots = self.slots.iter().enumerate();
        let reserves = slots.filter_map(|(at, slot)| Some((at, slot.reserve.as_ref()?)));
        let others = reserves.clone().filter(|(at, _)| *at != child.index());
        let mut promised: Vec<_> = others.map(|(_, reserve)| target(reserve)).collect();
        promised.push((amount, period));
        if !fits(&promised) {
            let fits = less_that_fits(promised);
            return Err(AnswerError::TooLate { amount, period, fits });
        }
        let longest = reserves.map(|(_, reserve)| reserve.period).max();
        let longest = promised.iter().map(|(_, period)| *period).chain(longest).max();
        let now = context.now();
        let clear = |freed: Option<Instant>| {
            let after = |freed: Instant| freed.saturating_add(longest.unwrap_or(Span::ZERO));
            freed.map_or(now, after).max(now)
        };
        self.charge(child, context);
        let begins = clear(self.freed);
        if let Some(reserve) = &mut self.slots[child.index()].reserve {
            reserve.roll(now);
            let less = amount <= reserve.amount && period >= reserve.period;
            let more = amount >= reserve.amount && period <= reserve.period;
            if (less || more) && reserve.change.is_none() && begins <= reserve.end {
                // The new reserve continues the old one: its periods begin where the old ones would.
                reserve.change = Some((amount, period, reserve.end));
                self.freed = self.freed.max(Some(reserve.end));
                return Ok(());
            }
            self.freed = self.freed.max(used_until(reserve, now));
        }
        // The amount is zero until the reserve begins.
        let begins = clear(self.freed);
        let mut reserve = Reservation::new(Span::ZERO, period, begins);
        reserve.change = Some((amount, period, begins));
        roll(&mut reserve, child, context);
        reserve.since = now;
        self.slots[child.index()].reserve = Some(reserve);
        self.place(child, pool, context);
        Ok(())
    }

    /// Ends a child's reserve, if it has one.
    pub(super) fn end(&mut self, child: ChildVp, now: Instant) {
        if let Some(reserve) = self.slots[child.index()].reserve.take() {
            self.freed = self.freed.max(used_until(&reserve, now));
        }
        self.periods.remove(child.0);
    }
}

/// Begins the period that contains this moment, if it has not begun, and notifies the child.
pub(super) fn roll(reserve: &mut Reservation, child: ChildVp, context: &mut Context<'_>) {
    if reserve.roll(context.now()) {
        let (budget, end) = (reserve.budget, reserve.end);
        context.note(Some(child), Note::Replenished(budget));
        context.notify_child(child, ParentNotice::Replenished { budget, end });
    }
}

/// The promised amount and period, after a pending change.
fn target(reserve: &Reservation) -> (Span, Span) {
    reserve.change.map_or((reserve.amount, reserve.period), |(amount, period, _)| (amount, period))
}

/// The latest time at which an ended reserve was used; `None` if it never began.
fn used_until(reserve: &Reservation, now: Instant) -> Option<Instant> {
    Some(now).filter(|_| !reserve.amount.is_zero())
}
