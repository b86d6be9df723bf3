//! The life of a child's reservation: it is made or changed, begins with a wake-up, serves a job, ends.

use super::{BUDGET, Budgeted, Overrun, Waking};
use crate::parts::budgeted::admission::{share_of, slower};
use crate::parts::budgeted::bandwidth::Bandwidth;
use crate::parts::policy::Policy;
use crate::parts::pool::Pool;
use crate::parts::reservation::Reservation;
use windfall_hierarchy::{Answer, ChildVp, Context, Note, OwnVp, ParentNotice, VpState};
use windfall_time::{Instant, Span};

impl Budgeted {
    /// Begins or changes a reservation.
    pub(super) fn reserve(
        &mut self,
        child: ChildVp,
        (amount, period): (Span, Span),
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        let (now, index) = (context.now(), child.index());
        let before = share_of(self.slots[index].as_ref());
        let wanted = (amount, period);
        if self.rules.waking == Waking::Fixed && self.rules.reports {
            self.admission.slow_down(context.speed(OwnVp(0)));
        }
        let from = self.admission.admit(&self.slots, index, wanted, now)?;
        self.advance(child, context);
        if let Some(slot) = &mut self.slots[index] {
            slot.change = Some((amount, period, from));
            let ends = slot.end;
            let after = share_of(self.slots[index].as_ref());
            self.admission.shrink(before, after, ends, now);
            return Ok(());
        }
        self.slots[index] = Some(Reservation::new(amount, period, from));
        self.begin(child, pool, context);
        Ok(())
    }

    /// Declares a slower processor's speed to the child that has it: before and after a pending change, the lesser.
    pub(super) fn declare(&self, child: ChildVp, context: &mut Context<'_>) {
        if self.rules.waking != Waking::Reported {
            return;
        }
        let speed = self.slots[child.index()].as_ref().map(|slot| {
            let now = (slot.amount, slot.period);
            slot.change.map_or(now, |(amount, period, _)| slower((amount, period), now))
        });
        context.set_speed(child, speed);
    }

    /// A reservation begins, or a child that has one wakes.
    pub(super) fn begin(
        &mut self,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        let now = context.now();
        let begun = self.rules.waking == Waking::Fixed && self.advance(child, context);
        let Some(slot) = &mut self.slots[child.index()] else {
            return context.notify_child(child, ParentNotice::Exhausted);
        };
        if context.child(child) == VpState::Waiting && self.rules.waking != Waking::Fixed {
            return;
        }
        let begun = match self.rules.waking {
            Waking::Fixed => {
                if self.rules.reports {
                    // A slower processor may be behind, and catches up only for children that stay ready.
                    slot.budget = slot.budget.min(slot.steady(now));
                } else {
                    let control = self.controls.get(child.index());
                    slot.wake(now, control.map_or(Span::ZERO, |control| control.extra));
                }
                begun
            }
            Waking::Sporadic => slot.arrive(now),
            Waking::After => {
                slot.renew_for_job(slot.end.max(now));
                true
            }
            Waking::Reported => self.ahead[child.index()].wake(slot, now),
        };
        if begun {
            context.note(Some(child), Note::Replenished(slot.budget));
        }
        if context.child(child) == VpState::Ready {
            let (budget, end) = (slot.budget, slot.end);
            if !budget.is_zero() {
                if begun {
                    context.notify_child(child, ParentNotice::Replenished { budget, end });
                }
                self.announce(Some(end), pool, context);
            } else if self.rules.overrun == Overrun::Throttle {
                context.notify_child(child, ParentNotice::Exhausted);
            }
            self.periods.set(child.0, end);
            self.arm(context);
            pool.request(child, self, context);
        }
        self.declare(child, context);
    }

    /// Ends a reservation, if there is one; the child is no longer a candidate.
    pub(super) fn end(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let now = context.now();
        self.admission.end(share_of(self.slots[child.index()].as_ref()));
        self.periods.remove(child.0);
        self.advance(child, context);
        if matches!(context.child(child), VpState::Running(_)) {
            self.charge(child, context);
        }
        if let Some(slot) = self.slots[child.index()].take() {
            let control = self.controls.get_mut(child.index()).map(core::mem::take);
            let extra = control.unwrap_or_default().extra;
            self.admission.give_back((extra, slot.period));
            let share = Bandwidth::of(slot.amount.saturating_add(extra), slot.period);
            let until = if extra.is_zero() { slot.even(now) } else { slot.end };
            self.admission.shrink(share, share_of(None), until, now);
        }
    }

    /// Announces the work and deadline of the child's next job.
    pub(super) fn job(
        &mut self,
        child: ChildVp,
        work: Span,
        deadline: Instant,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        let (now, state) = (context.now(), context.child(child));
        let served = self.eligible(child);
        let runs = matches!(state, VpState::Running(_));
        if runs && self.rules.waking == Waking::Reported {
            self.charge(child, context);
        }
        let Some(slot) = &mut self.slots[child.index()] else {
            return;
        };
        match self.rules.waking {
            Waking::Reported => {
                self.ahead[child.index()].report_deadline(slot, deadline, now);
            }
            Waking::After if state != VpState::Waiting => {
                slot.work = work;
                slot.renew_for_job(slot.end.max(now));
            }
            _ => {
                slot.work = work;
                return;
            }
        }
        if state == VpState::Waiting {
            return;
        }
        self.periods.set(child.0, slot.end);
        if runs {
            slot.since = now;
            context.set_timer(BUDGET, Some(now.saturating_add(slot.budget)));
        }
        self.arm(context);
        match (served, self.eligible(child)) {
            (false, true) if !runs => pool.request(child, self, context),
            (true, false) if !runs => pool.withdraw(child, context),
            _ => pool.rerank(child, self, context),
        }
    }
}
