//! Earliest deadline first among children with budgets: the common part of `rez`, `rez-c`, `rez-fb`, `cbs`, `tbs` and `pshed`.
//!
//! Each child with a reservation has a budget and a deadline, the end of its period. Of the ready children with budget left, the one with
//! the earliest deadline runs. [`Rules`] define how a wake-up and a used-up budget change the two.
//!
//! Invariant: in any interval, the budgets that begin and fall due in it sum up to at most the promised shares of its length. So every
//! budget is received before its deadline if the processor is there whenever requested (Liu and Layland 1973; Abeni and Buttazzo 1998), or
//! is a uniformly slower one that is at least as fast as the sum of the shares and receives every deadline in time. If a late timer lets a
//! child overrun its budget, the following periods pay for it, unless the rules drop it.

mod admission;
mod ahead;
mod bandwidth;
mod budgets;
mod feedback;
mod reservations;

use crate::parts::budgeted::admission::Admission;
use crate::parts::budgeted::ahead::Ahead;
use crate::parts::budgeted::budgets::{BUDGET, Budgets};
use crate::parts::budgeted::feedback::Control;
use crate::parts::deadline_reporter::{DeadlineReporter, earliest};
use crate::parts::policy::Policy;
use crate::parts::pool::{Pool, SETTLED};
use crate::parts::stolen::Stolen;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, Note, OwnVp, ParentNotice, Scheduler, TimerId,
    View, VpState,
};
use windfall_time::{Instant, Span};

/// Fires when the first period of a child that does not wait ends.
const PERIOD: TimerId = TimerId(2);

/// The effect of a wake-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waking {
    /// None: periods are fixed. The budget shrinks with the time waited.
    Fixed,
    /// It begins a period if that takes nothing from others (constant bandwidth server).
    Sporadic,
    /// It begins a period after the last one (total bandwidth server).
    After,
    /// None: periods end at the deadlines that the child reports (uniformly slower processor).
    Told,
}

/// The treatment of a child whose budget is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overrun {
    /// It gets nothing until its period ends.
    Throttle,
    /// Its next period begins at once, with a deadline one period later.
    Postpone,
    /// It runs while no child with a budget is ready.
    Background,
}

/// The rules by which children are served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) waking: Waking,
    pub(crate) overrun: Overrun,
    /// Whether children announce jobs: the work that a period is for, or the deadline that ends it.
    pub(crate) jobs: bool,
    /// Whether the earliest deadline is reported to the parent.
    pub(crate) reports: bool,
    /// Whether overruns are dropped, so that no later budget pays for them.
    pub(crate) drops: bool,
    /// The treatment of time stolen from a running child.
    pub(crate) stolen: Stolen,
    /// The most that is reserved, in thousandths of a processor.
    pub(crate) admission: u16,
}

impl Rules {
    /// Hard reservations with fixed periods, of the whole processor.
    pub(crate) const HARD: Rules = Rules {
        waking: Waking::Fixed,
        overrun: Overrun::Throttle,
        jobs: false,
        reports: false,
        drops: false,
        stolen: Stolen::Charged,
        admission: 1000,
    };
}

/// The scheduler.
#[derive(Clone)]
pub(crate) struct Budgeted {
    pool: Pool<Budgets>,
    budgets: Budgets,
    rules: Rules,
    /// Ends of the periods of the children that have a reservation and do not wait.
    periods: Heap<Instant>,
    armed: Option<Instant>,
    admission: Admission,
    reporter: DeadlineReporter,
    /// By child, if children report deadlines.
    ahead: Vec<Ahead>,
}

impl Budgeted {
    /// Creates an instance without reservations.
    pub(crate) fn new(rules: Rules) -> Budgeted {
        Budgeted {
            pool: Pool::default(),
            budgets: Budgets::new(&rules),
            rules,
            periods: Heap::new(),
            armed: None,
            admission: Admission::new(rules.admission),
            reporter: DeadlineReporter::new(rules.reports),
            ahead: Vec::new(),
        }
    }

    fn arm(&mut self, context: &mut Context<'_>) {
        let first = self.periods.peek().map(|(at, _)| at);
        if self.armed != first {
            self.armed = first;
            context.set_timer(PERIOD, first);
        }
    }

    /// Reports the earliest deadline, of the children with budget left or `coming`, to the parent.
    fn announce(&mut self, coming: Option<Instant>, context: &mut Context<'_>) {
        let due = |key: &(bool, Instant, u32)| (!key.0).then_some(key.1);
        if self.reporter.reports() {
            let earliest = earliest((&self.pool, &self.budgets), due, coming, context);
            self.reporter.announce(earliest, context);
        }
    }

    /// Begins the next period, or the one that contains `now`. Returns whether one begins.
    fn advance(&mut self, child: ChildVp, context: &mut Context<'_>) -> bool {
        let now = context.now();
        match &mut self.budgets.slots[child.index()] {
            Some(slot) if self.rules.waking == Waking::Fixed => {
                let former = (slot.amount, slot.period);
                let begun = slot.roll(now);
                if let (true, Stolen::FedBack { gain }) = (begun, self.rules.stolen) {
                    self.feed_back(child, former, gain, context);
                }
                begun
            }
            Some(slot) if self.rules.waking == Waking::Told => {
                self.ahead[child.index()].pass(slot, now)
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
        let control = &mut self.budgets.controls[child.index()];
        let Some(slot) = &mut self.budgets.slots[child.index()] else {
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
    fn replenish(&mut self, context: &mut Context<'_>) {
        let now = context.now();
        while let Some((_, slot)) = self.periods.peek().filter(|(at, _)| *at <= now) {
            let child = ChildVp(slot);
            let runs = matches!(context.child(child), VpState::Running(_));
            if runs {
                self.budgets.charge(child, context); // so that the new period is measured from now on
            }
            self.advance(child, context);
            let Some(slot) = &mut self.budgets.slots[child.index()] else {
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
                self.pool.refresh(child, &self.budgets, context);
            } else if self.budgets.eligible(child) {
                self.pool.add(child, &self.budgets);
            } else {
                self.pool.withdraw(child, context);
            }
        }
        self.arm(context);
        self.announce(None, context);
        self.pool.settled(&mut self.budgets, context);
    }

    /// Handles the end of the running child's budget; the timer may also be early.
    fn exhaust(&mut self, context: &mut Context<'_>) {
        let (now, held) = (context.now(), context.held_by(OwnVp(0)));
        let Some(child) = held else {
            return;
        };
        let used_up = self.budgets.used_up(child, context);
        let Some(slot) = &mut self.budgets.slots[child.index()] else {
            return;
        };
        if !used_up {
            return context.set_timer(BUDGET, Some(now.saturating_add(slot.budget)));
        }
        match self.rules.overrun {
            Overrun::Throttle => {
                if !core::mem::replace(&mut slot.told, true) {
                    context.notify_child(child, ParentNotice::Exhausted);
                }
                self.pool.rotate(child, &mut self.budgets, context);
            }
            Overrun::Postpone => self.postpone(child, context),
            Overrun::Background => {
                context.note(held, Note::Exhausted);
                self.pool.rerank(child, &mut self.budgets, context);
            }
        }
    }

    /// Begins the next period of a running child at once.
    fn postpone(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let now = context.now();
        if let Some(slot) = &mut self.budgets.slots[child.index()] {
            slot.renew(slot.end.max(now));
            self.periods.set(child.0, slot.end);
            context.note(Some(child), Note::Replenished(slot.budget));
            context.set_timer(BUDGET, Some(now.saturating_add(slot.budget)));
            self.arm(context);
            self.pool.rerank(child, &mut self.budgets, context);
        }
    }
}

impl Scheduler for Budgeted {
    fn timers(&self, _: usize) -> usize {
        3
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init_first(1, context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.pool.register(child);
        self.periods.reserve(child.index() + 1);
        self.budgets.register(child);
        if self.rules.waking == Waking::Told {
            self.ahead.resize_with(self.budgets.slots.len(), Ahead::new);
            self.ahead[child.index()].clear();
        }
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.end(child, context);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.begin(child, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.periods.remove(child.0);
        self.arm(context);
        self.pool.release(child, held, &mut self.budgets, context);
        if let Some(slot) = &mut self.budgets.slots[child.index()] {
            slot.since = context.now();
            slot.work = Span::ZERO;
        }
        self.announce(None, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Reserve { amount, period }) => {
                self.replenish(context);
                self.reserve(child, (amount, period), context)?;
            }
            (Some(child), Message::Unreserve) => {
                self.replenish(context);
                let runs = matches!(context.child(child), VpState::Running(_));
                self.end(child, context);
                self.arm(context);
                context.notify_child(child, ParentNotice::Exhausted);
                if runs {
                    self.pool.rotate(child, &mut self.budgets, context);
                } else {
                    self.pool.withdraw(child, context);
                }
            }
            (Some(child), Message::Job { work, deadline, .. }) if self.rules.jobs => {
                self.replenish(context);
                self.job(child, work.unwrap_or(Span::ZERO), deadline, context);
            }
            _ => {
                let takes = match self.rules.jobs {
                    true => "reserve, unreserve, job",
                    false => "reserve, unreserve",
                };
                return Err(AnswerError::NotUnderstood { message: message.name(), takes });
            }
        }
        self.announce(None, context);
        Ok(())
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.budgets, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.budgets, context);
        self.announce(None, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.budgets, context);
        }
        if timer == PERIOD {
            self.armed = None;
        }
        self.replenish(context);
        if timer == BUDGET {
            self.exhaust(context);
            self.announce(None, context);
        }
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.budgets, view)?;
        for child in view.children() {
            let reserved = self.budgets.slots[child.index()].is_some();
            let counted = reserved && view.child(child) != VpState::Waiting;
            if counted != self.periods.contains(child.0) {
                return Err("the periods of a child are not followed, or of one that waits");
            }
        }
        if !self.admission.is_sum(&self.budgets.slots) {
            return Err("what is promised is not the sum of the reservations");
        }
        let extra = self.budgets.slots.iter().zip(&self.budgets.controls);
        let extra =
            extra.filter_map(|(slot, control)| Some((control.extra, slot.as_ref()?.period)));
        if !self.admission.has_lent(extra) {
            return Err("what is lent is not the sum of what reservations have more");
        }
        Ok(())
    }
}
