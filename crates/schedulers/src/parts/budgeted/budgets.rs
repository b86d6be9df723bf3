//! The order of children with budgets, and the charges for running.

use crate::parts::budgeted::feedback::Control;
use crate::parts::budgeted::{Overrun, Rules};
use crate::parts::policy::Policy;

use crate::parts::reservation::Reservation;
use crate::parts::stolen::{Lost, Meter, Stolen};
use alloc::vec::Vec;
use windfall_hierarchy::{ChildVp, Context, Note, OwnVp, ParentNotice, TimerId, VpState};
use windfall_time::{Instant, Span};

/// Fires when the running child's budget ends.
pub(crate) const BUDGET: TimerId = TimerId(1);

/// Budgets by child.
#[derive(Clone)]
pub(crate) struct Budgets {
    pub(crate) slots: Vec<Option<Reservation>>,
    pub(crate) overrun: Overrun,
    pub(crate) stolen: Stolen,
    drops: bool,
    /// By child, if stolen time is fed back.
    pub(crate) controls: Vec<Control>,
    meter: Meter,
}

impl Budgets {
    /// Budgets without children.
    pub(crate) const fn new(rules: &Rules) -> Budgets {
        let &Rules { overrun, stolen, drops, .. } = rules;
        let meter = Meter::new(stolen);
        Budgets { slots: Vec::new(), overrun, stolen, drops, controls: Vec::new(), meter }
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        let count = self.slots.len().max(child.index() + 1);
        self.slots.resize(count, None);
        self.slots[child.index()] = None;
        if matches!(self.stolen, Stolen::FedBack { .. }) {
            self.controls.resize(count, Control::default());
            self.controls[child.index()] = Control::default();
        }
    }

    /// Charges the time that the running child has had since the last charge. Returns the parts of that time, where
    /// they matter.
    pub(crate) fn charge(&mut self, child: ChildVp, context: &Context<'_>) -> Lost {
        let Some(slot) = &mut self.slots[child.index()] else {
            return Lost::default();
        };
        let had = context.now().saturating_since(slot.since);
        slot.since = context.now();
        let lost = match self.stolen {
            Stolen::Charged => Lost::default(),
            _ => self.meter.take(had, &context.view()),
        };
        let paid = match self.stolen {
            Stolen::Charged => had,
            Stolen::CaughtUp { .. } => lost.received,
            Stolen::FedBack { .. } => {
                self.controls[child.index()].count(had, lost.stolen);
                had
            }
        };
        // Time in the background is free.
        if self.overrun != Overrun::Background || !slot.budget.is_zero() {
            slot.take(paid, context.now());
            if self.drops {
                slot.debt = Span::ZERO;
            }
        }
        lost
    }

    /// Whether the running child's budget is used up.
    pub(crate) fn used_up(&mut self, child: ChildVp, context: &Context<'_>) -> bool {
        let Lost { stolen, overhead, received } = self.charge(child, context);
        let Some(slot) = &mut self.slots[child.index()] else {
            return true;
        };
        if let Stolen::CaughtUp { granule, .. } = self.stolen {
            let below = !(stolen.is_zero() && overhead.is_zero()) && slot.budget < granule;
            // All of it would go to deciding on it, again and again.
            let worthless = received < overhead && slot.budget <= overhead;
            if below || worthless {
                slot.budget = Span::ZERO;
            }
        }
        slot.budget.is_zero()
    }
}

impl Policy for Budgets {
    /// Whether the budget is used up, deadline, slot.
    type Key = (bool, Instant, u32);

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
        let background = self.overrun == Overrun::Background;
        self.slots[child.index()].is_some_and(|slot| background || !slot.budget.is_zero())
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        if let Some(slot) = &mut self.slots[child.index()] {
            slot.since = context.now();
            let end = context.now().saturating_add(slot.budget);
            context.set_timer(BUDGET, (!slot.budget.is_zero()).then_some(end));
            if self.stolen != Stolen::Charged {
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
            let throttled = slot.budget.is_zero() && self.overrun == Overrun::Throttle;
            let ready = context.child(child) == VpState::Ready;
            if ready && throttled && !core::mem::replace(&mut slot.told, true) {
                context.notify_child(child, ParentNotice::Exhausted);
            }
        }
    }

    fn idle(&mut self, _: OwnVp, context: &mut Context<'_>) {
        context.set_timer(BUDGET, None);
    }
}
