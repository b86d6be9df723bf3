//! How the periods of children with budgets follow each other: by time, or because a budget is used up.

use super::{BUDGET, Budgeted, Overrun, PERIOD, Waking};
use crate::parts::budgeted::feedback::Control;
use crate::parts::deadline_reporter::earliest;
use crate::parts::policy::Policy;
use crate::parts::pool::Pool;
use crate::parts::stolen::Stolen;
use windfall_hierarchy::{ChildVp, Context, Note, OwnVp, ParentNotice, VpState};
use windfall_time::{Instant, Span};

impl Budgeted {
    pub(super) fn arm(&mut self, context: &mut Context<'_>) {
        let first = self.periods.peek().map(|(at, _)| at);
        if self.armed != first {
            self.armed = first;
            context.set_timer(PERIOD, first);
        }
    }

    /// Reports the earliest deadline, of the children with budget left or `coming`, to the parent.
    pub(super) fn announce(
        &mut self,
        coming: Option<Instant>,
        pool: &Pool<Self>,
        context: &mut Context<'_>,
    ) {
        let due = |key: &(bool, Instant, u32)| (!key.0).then_some(key.1);
        if self.reporter.reports() {
            let earliest = earliest((pool, self), due, coming, context);
            self.reporter.announce(earliest, context);
        }
    }

    /// Begins the next period, or the one that contains `now`. Returns whether one begins.
    pub(super) fn advance(&mut self, child: ChildVp, context: &mut Context<'_>) -> bool {
        let now = context.now();
        match &mut self.slots[child.index()] {
            Some(slot) if self.rules.waking == Waking::Fixed => {
                let former = (slot.amount, slot.period);
                let begun = slot.roll(now);
                if let (true, Stolen::FedBack { gain }) = (begun, self.rules.stolen) {
                    self.feed_back(child, former, gain, context);
                }
                begun
            }
            Some(slot) if self.rules.waking == Waking::Reported => {
                let begun = self.ahead[child.index()].pass(slot, now);
                self.declare(child, context);
                begun
            }
            Some(slot) if slot.end <= now => {
                slot.renew(slot.end);
                if slot.end <= now {
                    slot.renew(now);
                }
                true
            }
            _ => false,
        }
    }

    /// Begins a period whose reserved amount follows from the last one; after a change the loop starts anew.
    fn feed_back(
        &mut self,
        child: ChildVp,
        former: (Span, Span),
        gain: u16,
        context: &mut Context<'_>,
    ) {
        let control = &mut self.controls[child.index()];
        let Some(slot) = &mut self.slots[child.index()] else {
            return;
        };
        if control.ran() {
            context.note(Some(child), Note::Received(control.received));
        }
        let wanted = match former == (slot.amount, slot.period) {
            true => control.next(slot.amount, gain),
            false => Span::ZERO,
        };
        self.admission.give_back((control.extra, former.1));
        let extra = self.admission.lend((wanted, slot.period), slot.end, context.now());
        *control = Control::new(extra);
        slot.budget = slot.budget.saturating_add(extra);
        context.note(Some(child), Note::Reserved(slot.budget));
    }

    /// Begins the periods that are due. However many they are, the only effects are those of the last one, and the notices.
    pub(super) fn replenish(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let now = context.now();
        while let Some((_, slot)) = self.periods.peek().filter(|(at, _)| *at <= now) {
            let child = ChildVp(slot);
            let runs = matches!(context.child(child), VpState::Running(_));
            if runs {
                self.charge(child, context); // so that the new period is measured from now on
            }
            self.advance(child, context);
            let Some(slot) = &mut self.slots[child.index()] else {
                self.periods.remove(child.0);
                continue;
            };
            slot.since = now;
            let (budget, end) = (slot.budget, slot.end);
            self.periods.set(child.0, end);
            context.note(Some(child), Note::Replenished(budget));
            if !budget.is_zero() {
                context.notify_child(child, ParentNotice::Replenished { budget, end });
            }
            if runs {
                context.set_timer(BUDGET, Some(now.saturating_add(budget)));
                pool.refresh(child, self, context);
            } else if self.eligible(child) {
                pool.add(child, self);
            } else {
                pool.withdraw(child, context);
            }
        }
        self.arm(context);
        self.announce(None, pool, context);
        pool.settled(self, context);
    }

    /// Handles the end of the running child's budget; the timer may also be early.
    pub(super) fn exhaust(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let (now, held) = (context.now(), context.held_by(OwnVp(0)));
        let Some(child) = held else {
            return;
        };
        let used_up = self.used_up(child, context);
        let Some(slot) = &mut self.slots[child.index()] else {
            return;
        };
        if !used_up {
            return context.set_timer(BUDGET, Some(now.saturating_add(slot.budget)));
        }
        match self.rules.overrun {
            Overrun::Throttle => {
                if !core::mem::replace(&mut slot.notified, true) {
                    context.notify_child(child, ParentNotice::Exhausted);
                }
                pool.rotate(child, self, context);
            }
            Overrun::Postpone => self.postpone(child, pool, context),
            Overrun::Background => {
                context.note(held, Note::Exhausted);
                pool.rerank(child, self, context);
            }
        }
    }

    /// Begins the next period of a running child at once.
    fn postpone(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let now = context.now();
        if let Some(slot) = &mut self.slots[child.index()] {
            slot.renew(slot.end.max(now));
            self.periods.set(child.0, slot.end);
            context.note(Some(child), Note::Replenished(slot.budget));
            context.set_timer(BUDGET, Some(now.saturating_add(slot.budget)));
            self.arm(context);
            pool.rerank(child, self, context);
        }
    }
}
