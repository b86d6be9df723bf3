//! The ranks of a resource kernel's children: budgets by rate monotonic priorities, then turns, then leftover time.

use crate::parts::policy::Policy;

use crate::parts::reservation::Reservation;
use alloc::vec::Vec;
use windfall_hierarchy::{ChildVp, Context, Note, OwnVp, ParentNotice, TimerId, VpState};
use windfall_time::{Instant, Span};

/// Fires when the running child's budget or turn ends.
pub(crate) const BUDGET: TimerId = TimerId(1);

/// The consequence of a used-up budget.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Class {
    #[default]
    Hard,
    Soft,
    Firm,
}

impl Class {
    pub(crate) fn of(priority: i32) -> Class {
        match priority {
            0 => Class::Hard,
            1.. => Class::Soft,
            _ => Class::Firm,
        }
    }
}

/// The kind of time on which a child runs; the first of these goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Budget,
    Turns,
    Leftover,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Slot {
    pub(crate) reserve: Option<Reservation>,
    pub(crate) class: Class,
    /// Its place among the children that run without a budget.
    turn: u64,
}

impl Slot {
    pub(crate) fn budget(&self) -> Option<&Reservation> {
        self.reserve.as_ref().filter(|reserve| !reserve.budget.is_zero())
    }

    /// Charges the time since the last charge. Turns and leftover time cost nothing.
    fn charge(&mut self, now: Instant) {
        let class = self.class;
        if let Some(reserve) = &mut self.reserve {
            match class != Class::Hard && reserve.budget.is_zero() {
                true => reserve.since = now,
                false => reserve.charge(now),
            }
        }
    }
}

#[derive(Clone)]
pub(crate) struct Reserves {
    pub(crate) slots: Vec<Slot>,
    pub(crate) turns: u64,
    pub(crate) quantum: Span,
}

impl Reserves {
    /// Puts a child at the end of its queue.
    pub(crate) fn queue(&mut self, child: ChildVp) {
        self.turns += 1;
        self.slots[child.index()].turn = self.turns;
    }

    /// The end of the running child's budget or turn.
    pub(crate) fn over(&self, child: ChildVp, now: Instant) -> Instant {
        let budget = self.slots[child.index()].budget().map(|reserve| reserve.budget);
        now.saturating_add(budget.unwrap_or(self.quantum))
    }

    /// Charges a running child's budget.
    pub(crate) fn charge(&mut self, child: ChildVp, context: &Context<'_>) {
        if matches!(context.child(child), VpState::Running(_)) {
            self.slots[child.index()].charge(context.now());
        }
    }
}

impl Policy for Reserves {
    /// The kind of time on which it runs; its period, or its turn; slot.
    type Key = (Rank, u64, u32);

    fn key(&self, child: ChildVp) -> Self::Key {
        let slot = &self.slots[child.index()];
        match (slot.budget(), slot.class) {
            (Some(reserve), _) => (Rank::Budget, reserve.period.as_nanos(), child.0),
            (None, Class::Firm) => (Rank::Leftover, slot.turn, child.0),
            (None, _) => (Rank::Turns, slot.turn, child.0),
        }
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
            || ready.0 == Rank::Budget && (ready.0, ready.1) < (running.0, running.1)
    }

    fn eligible(&self, child: ChildVp) -> bool {
        let slot = &self.slots[child.index()];
        slot.class != Class::Hard || slot.reserve.is_none() || slot.budget().is_some()
    }

    fn started(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        let now = context.now();
        if let Some(reserve) = &mut self.slots[child.index()].reserve {
            reserve.since = now;
        }
        context.set_timer(BUDGET, Some(self.over(child, now)));
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        let hard = self.slots[child.index()].class == Class::Hard;
        let ready = context.child(child) == VpState::Ready;
        let had = self.slots[child.index()].budget().is_some();
        self.slots[child.index()].charge(context.now());
        if let Some(reserve) = &mut self.slots[child.index()].reserve {
            let left = reserve.budget;
            if had {
                let note = if left.is_zero() { Note::Exhausted } else { Note::Budget(left) };
                context.note(Some(child), note);
            }
            if left.is_zero() && hard && ready && !core::mem::replace(&mut reserve.told, true) {
                context.notify_child(child, ParentNotice::Exhausted);
            }
        }
    }

    fn idle(&mut self, _: OwnVp, context: &mut Context<'_>) {
        context.set_timer(BUDGET, None);
    }
}
