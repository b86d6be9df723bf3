//! Charges children with budgets for running.

use super::{Budgeted, Overrun};
use crate::parts::stolen::{Lost, Stolen};
use windfall_hierarchy::{ChildVp, Context};
use windfall_time::Span;

impl Budgeted {
    /// Charges the time that the running child has had since the last charge. Returns the parts of that time, where
    /// they matter.
    pub(super) fn charge(&mut self, child: ChildVp, context: &Context<'_>) -> Lost {
        let Some(slot) = &mut self.slots[child.index()] else {
            return Lost::default();
        };
        let had = context.now().saturating_since(slot.since);
        slot.since = context.now();
        let lost = match self.rules.stolen {
            Stolen::Charged => Lost::default(),
            _ => self.meter.take(had, &context.view()),
        };
        let paid = match self.rules.stolen {
            Stolen::Charged => had,
            Stolen::CaughtUp { .. } => lost.received,
            Stolen::FedBack { .. } => {
                self.controls[child.index()].count(had, lost.stolen);
                had
            }
        };
        // Time in the background is free.
        if self.rules.overrun != Overrun::Background || !slot.budget.is_zero() {
            slot.take(paid, context.now());
            if self.rules.drops {
                slot.debt = Span::ZERO;
            }
        }
        lost
    }

    /// Whether the running child's budget is used up.
    pub(super) fn used_up(&mut self, child: ChildVp, context: &Context<'_>) -> bool {
        let Lost { stolen, overhead, received } = self.charge(child, context);
        let Some(slot) = &mut self.slots[child.index()] else {
            return true;
        };
        if let Stolen::CaughtUp { granule, .. } = self.rules.stolen {
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
