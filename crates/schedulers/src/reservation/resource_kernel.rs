//! Resource kernel: hard, firm and soft reserves under rate monotonic priorities, on one processor.
//!
//! Takes    ALL on its own VP 0. Not RESU, in contrast to table 5.1: see below.
//! Gives    RESBH x y to each child with a hard reserve of x in y, RESBS x y with a soft or firm one; nothing to
//!          one without.
//! Admits   while each still gets its amount in each of its periods (`deferrable.rs`).
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n^2) per step of an admission, which a refusal repeats for each bit of the amount; 154 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Rajkumar et al. 1998; Oikawa and Rajkumar 1999; HLS 5.3.1.7, 6.2.1, table 5.1.
//! Checked  laws, `tests/all/resource_kernel.rs`.
//!
//! Periods follow each other from the `reserve` message on; an unused budget is kept until its period ends.
//! `priority` says what follows a used-up budget. Hard (0, or not set): nothing. Soft (above 0): turns, together with
//! children without a reserve. Firm (below 0): time that nobody else wants. A slower processor may deliver what it
//! owes by the earliest deadline just before it, at a time when a child with a shorter period and a later deadline
//! takes it: a scheduler that ranks by periods cannot use RESU.

mod deferrable;
mod life;
mod monotonic;
mod reserves;

use crate::catalogue::{Kind, Properties};
use crate::parameters::{PRIORITY, RESERVE};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::parts::slots;
use crate::reservation::resource_kernel::monotonic::Monotonic;
use crate::reservation::resource_kernel::reserves::{Class, Rank, Slot};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, ChildVp, Context, Message, Note, OwnVp, ParentNotice, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

/// When the running child's budget or turn ends.
const BUDGET: TimerId = TimerId(1);
/// When the first period of a child that does not wait ends.
const PERIOD: TimerId = TimerId(2);

settings! { ResourceKernel, "resource_kernel.rs":
    /// the longest turn of a child without a budget while others wait
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind = ResourceKernel::kind(
    "resource-kernel",
    "hard, firm and soft reserves by rate monotonic priorities",
    |settings| Ok(Box::new(Pooled::new(State::new(ResourceKernel::read(settings).quantum)))),
)
.with_parameters(&[&RESERVE, &PRIORITY])
.with_properties(
    Properties { reserves: true, holds_back: true, ..Properties::NONE }
        .quantum(|settings| Some(ResourceKernel::read(settings).quantum)),
)
.with_conversion(|_| Ok(Box::new(Monotonic)));

/// The reserve of each child with the rest of its budget, and the turns of those without.
#[derive(Clone)]
struct State {
    slots: Vec<Slot>,
    /// Number of turns that have begun or are queued for.
    turns: u64,
    quantum: Span,
    /// Ends of the periods of the children that have a reserve and do not wait.
    periods: Heap<Instant>,
    armed: Option<Instant>,
    /// When the last reserve ended that had begun and was changed or given back. A new reserve begins the longest
    /// period later, so that no child's period overlaps both. No weaker rule keeps all promises, because a budget
    /// that was used late in its period may be followed at once by the budget of the next reserve.
    freed: Option<Instant>,
}

impl State {
    fn new(quantum: Span) -> State {
        State {
            slots: Vec::new(),
            turns: 0,
            quantum,
            periods: Heap::new(),
            armed: None,
            freed: None,
        }
    }

    /// Puts a child at the end of its queue.
    fn queue(&mut self, child: ChildVp) {
        self.turns += 1;
        self.slots[child.index()].turn = self.turns;
    }

    /// The end of the running child's budget or turn.
    fn over(&self, child: ChildVp, now: Instant) -> Instant {
        let budget = self.slots[child.index()].budget().map(|reserve| reserve.budget);
        now.saturating_add(budget.unwrap_or(self.quantum))
    }

    /// Charges a running child's budget.
    fn charge(&mut self, child: ChildVp, context: &Context<'_>) {
        if matches!(context.child(child), VpState::Running(_)) {
            self.slots[child.index()].charge(context.now());
        }
    }

    fn arm(&mut self, context: &mut Context<'_>) {
        let first = self.periods.peek().map(|(at, _)| at);
        if self.armed != first {
            self.armed = first;
            context.set_timer(PERIOD, first);
        }
    }

    /// Begins the periods that are due. However many they are, the only effects are those of the last one, and the
    /// notices.
    fn replenish(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let now = context.now();
        while let Some((_, slot)) = self.periods.peek().filter(|(at, _)| *at <= now) {
            let child = ChildVp(slot);
            self.charge(child, context);
            let Some(reserve) = &mut self.slots[child.index()].reserve else {
                self.periods.remove(slot);
                continue;
            };
            reserve.roll(now);
            reserve.since = now;
            let (budget, end) = (reserve.budget, reserve.end);
            self.periods.set(slot, end);
            context.note(Some(child), Note::Replenished(budget));
            context.notify_child(child, ParentNotice::Replenished { budget, end });
            if matches!(context.child(child), VpState::Running(_)) {
                context.set_timer(BUDGET, Some(now.saturating_add(budget)));
                pool.refresh(child, self, context);
            } else {
                pool.add(child, self);
            }
        }
        self.arm(context);
        pool.settled(self, context);
    }

    /// Handles the end of the running child's budget or turn; the timer may also be early.
    fn exhaust(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let (now, held) = (context.now(), context.held_by(OwnVp(0)));
        let Some(child) = held else {
            return;
        };
        let had = self.slots[child.index()].budget().is_some();
        self.charge(child, context);
        let slot = &self.slots[child.index()];
        if let Some(reserve) = slot.budget() {
            return context.set_timer(BUDGET, Some(now.saturating_add(reserve.budget)));
        }
        if had {
            context.note(held, Note::Exhausted);
        }
        self.queue(child);
        if !self.eligible(child) {
            pool.rotate(child, self, context);
        } else if !pool.pass(child, self, context) {
            context.set_timer(BUDGET, Some(self.over(child, now)));
        }
    }

    /// Updates the pool after a child's budget or class has changed.
    fn place(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let (now, state) = (context.now(), context.child(child));
        let slot = &self.slots[child.index()];
        if let Some(reserve) = slot.reserve.filter(|_| state != VpState::Waiting) {
            self.periods.set(child.0, reserve.end);
        }
        self.arm(context);
        match (state, self.eligible(child)) {
            (VpState::Waiting, _) => {}
            (VpState::Running(_), true) => {
                context.set_timer(BUDGET, Some(self.over(child, now)));
                pool.rerank(child, self, context);
            }
            (VpState::Running(_), false) => pool.rotate(child, self, context),
            (VpState::Ready, true) => pool.request(child, self, context),
            (VpState::Ready, false) => {
                pool.withdraw(child, context);
                context.notify_child(child, ParentNotice::Exhausted);
            }
        }
    }
}

impl Policy for State {
    /// The kind of time on which it runs; its period, or its turn; slot.
    type Key = (Rank, u64, u32);
    const OWNS: u16 = 1;
    const TAKES: &'static str = "reserve, unreserve, priority, quantum (to the instance)";

    fn key(&self, child: ChildVp) -> Self::Key {
        let (rank, place) = self.slots[child.index()].rank();
        (rank, place, child.0)
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
        let slot = &mut self.slots[child.index()];
        let had = slot.budget().is_some();
        slot.charge(context.now());
        let ready = context.child(child) == VpState::Ready;
        let stays = slot.class == Class::Hard && ready;
        if let Some(reserve) = &mut slot.reserve {
            let left = reserve.budget;
            if had {
                let note = if left.is_zero() { Note::Exhausted } else { Note::Budget(left) };
                context.note(Some(child), note);
            }
            if left.is_zero() && stays && !core::mem::replace(&mut reserve.notified, true) {
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
        slots::put(&mut self.slots, child, Slot::default());
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.end(child, context.now());
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.queue(child);
        if let Some(reserve) = &mut self.slots[child.index()].reserve {
            life::roll(reserve, child, context);
        }
        self.place(child, pool, context);
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
                return self.reserve(child, (amount, period), pool, context);
            }
            (Some(child), Message::Unreserve) => {
                self.replenish(pool, context);
                self.end(child, context.now());
                self.place(child, pool, context);
            }
            (Some(child), Message::Priority(priority)) => {
                self.replenish(pool, context);
                self.charge(child, context);
                self.slots[child.index()].class = Class::of(priority);
                self.place(child, pool, context);
            }
            (None, Message::Quantum(length)) => {
                self.quantum = quantum::checked(length)?;
            }
            _ => return Self::not_understood(message),
        }
        Ok(())
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if timer == PERIOD {
            self.armed = None;
        }
        self.replenish(pool, context);
        if timer == BUDGET {
            self.exhaust(pool, context);
        }
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        for child in view.children() {
            let reserved = self.slots[child.index()].reserve.is_some();
            let counted = reserved && view.child(child) != VpState::Waiting;
            if counted != self.periods.contains(child.0) {
                return Err("the periods of a child are not followed, or of one that waits");
            }
        }
        Ok(())
    }
}
