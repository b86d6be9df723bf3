//! Earliest deadline first among children with budgets: the common part of `rez`, `rez-c`, `rez-fb`, `cbs`, `tbs` and `pshed`.
//!
//! Each child with a reservation has a budget and a deadline, the end of its period. Among ready children with budget left, the one with
//! the earliest deadline runs. [`Rules`] define how a wake-up and a used-up budget change the two.
//!
//! Invariant: in any interval, the budgets that begin and fall due in it sum up to at most the promised shares of its length. So every
//! budget is received before its deadline if the processor is there whenever requested (Liu and Layland 1973; Abeni and Buttazzo 1998), or
//! is a uniformly slower one that is at least as fast as the sum of the shares and receives every deadline in time. If a late timer lets a
//! child overrun its budget, the following periods pay for it, unless the rules drop it.

mod admission;
mod ahead;
mod bandwidth;
mod charges;
mod feedback;
mod periods;
mod reservations;

pub use crate::parts::budgeted::ahead::DEADLINES_AHEAD;

use crate::parts::budgeted::admission::Admission;
use crate::parts::budgeted::ahead::Ahead;
use crate::parts::budgeted::feedback::Control;
use crate::parts::deadline_reporter::DeadlineReporter;
use crate::parts::policy::Policy;
use crate::parts::pool::Pool;
use crate::parts::reservation::Reservation;
use crate::parts::slots;
use crate::parts::stolen::{Meter, Stolen};
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, Note, OwnVp, ParentNotice, TimerId, View,
    VpState,
};
use windfall_time::{Instant, Span};

/// Fires when the running child's budget ends.
const BUDGET: TimerId = TimerId(1);
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
    Reported,
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

/// The policy of children with budgets.
#[derive(Clone)]
pub(crate) struct Budgeted {
    rules: Rules,
    /// By child.
    slots: Vec<Option<Reservation>>,
    /// By child, if stolen time is fed back.
    controls: Vec<Control>,
    meter: Meter,
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
            rules,
            slots: Vec::new(),
            controls: Vec::new(),
            meter: Meter::new(rules.stolen),
            periods: Heap::new(),
            armed: None,
            admission: Admission::new(rules.admission),
            reporter: DeadlineReporter::new(rules.reports),
            ahead: Vec::new(),
        }
    }
}

impl Policy for Budgeted {
    /// Whether the budget is used up, deadline, slot.
    type Key = (bool, Instant, u32);
    const OWNS: u16 = 1;

    fn key(&self, child: ChildVp) -> Self::Key {
        match &self.slots[child.index()] {
            Some(slot) => (slot.budget.is_zero(), slot.end, child.0),
            None => (true, Instant::MAX, child.0),
        }
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        (ready.0, ready.1) < (running.0, running.1)
    }

    fn eligible(&self, child: ChildVp) -> bool {
        let background = self.rules.overrun == Overrun::Background;
        self.slots[child.index()].is_some_and(|slot| background || !slot.budget.is_zero())
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        if let Some(slot) = &mut self.slots[child.index()] {
            slot.since = context.now();
            let end = context.now().saturating_add(slot.budget);
            context.set_timer(BUDGET, (!slot.budget.is_zero()).then_some(end));
            if self.rules.stolen != Stolen::Charged {
                self.meter.start(own, &context.view());
            }
        }
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        self.charge(child, context);
        if let Some(slot) = &mut self.slots[child.index()] {
            let note =
                if slot.budget.is_zero() { Note::Exhausted } else { Note::Budget(slot.budget) };
            context.note(Some(child), note);
            let throttled = slot.budget.is_zero() && self.rules.overrun == Overrun::Throttle;
            let ready = context.child(child) == VpState::Ready;
            if ready && throttled && !core::mem::replace(&mut slot.notified, true) {
                context.notify_child(child, ParentNotice::Exhausted);
            }
        }
    }

    fn idle(&mut self, _: OwnVp, context: &mut Context<'_>) {
        context.set_timer(BUDGET, None);
    }

    fn timers(&self, _: usize) -> usize {
        2
    }

    fn register(&mut self, child: ChildVp) {
        self.periods.reserve(child.index() + 1);
        slots::put(&mut self.slots, child, None);
        if matches!(self.rules.stolen, Stolen::FedBack { .. }) {
            slots::put(&mut self.controls, child, Control::default());
        }
        if self.rules.waking == Waking::Reported {
            self.ahead.resize_with(self.slots.len(), Ahead::new);
            self.ahead[child.index()].clear();
        }
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.end(child, context);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.begin(child, pool, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.periods.remove(child.0);
        self.arm(context);
        pool.release(child, held, self, context);
        if let Some(slot) = &mut self.slots[child.index()] {
            slot.since = context.now();
            slot.work = Span::ZERO;
        }
        self.announce(None, pool, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Reserve { amount, period }) => {
                self.replenish(pool, context);
                self.reserve(child, (amount, period), pool, context)?;
            }
            (Some(child), Message::Unreserve) => {
                self.replenish(pool, context);
                let runs = matches!(context.child(child), VpState::Running(_));
                self.end(child, context);
                self.arm(context);
                context.notify_child(child, ParentNotice::Exhausted);
                if runs {
                    pool.rotate(child, self, context);
                } else {
                    pool.withdraw(child, context);
                }
            }
            (Some(child), Message::Job { work, deadline, .. }) if self.rules.jobs => {
                self.replenish(pool, context);
                self.job(child, work.unwrap_or(Span::ZERO), deadline, pool, context);
            }
            _ => {
                let takes = match self.rules.jobs {
                    true => "reserve, unreserve, job",
                    false => "reserve, unreserve",
                };
                return Err(AnswerError::NotUnderstood { message: message.name(), takes });
            }
        }
        child.into_iter().for_each(|child| self.declare(child, context));
        self.announce(None, pool, context);
        Ok(())
    }

    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.revoke(own, child, self, context);
        self.announce(None, pool, context);
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if timer == PERIOD {
            self.armed = None;
        }
        self.replenish(pool, context);
        if timer == BUDGET {
            self.exhaust(pool, context);
            self.announce(None, pool, context);
        }
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        for child in view.children() {
            let reserved = self.slots[child.index()].is_some();
            let counted = reserved && view.child(child) != VpState::Waiting;
            if counted != self.periods.contains(child.0) {
                return Err("the periods of a child are not followed, or of one that waits");
            }
        }
        if !self.admission.is_sum(&self.slots) {
            return Err("what is promised is not the sum of the reservations");
        }
        let extra = self.slots.iter().zip(&self.controls);
        let extra =
            extra.filter_map(|(slot, control)| Some((control.extra, slot.as_ref()?.period)));
        if !self.admission.has_lent(extra) {
            return Err("what is lent is not the sum of what reservations have more");
        }
        Ok(())
    }
}
