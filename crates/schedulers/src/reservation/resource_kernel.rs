//! Resource kernel: hard, firm and soft reserves under rate monotonic priorities, on one processor.
//!
//! Takes    ALL on its own VP 0. Not RESU, in contrast to table 5.1: see below.
//! Gives    RESBH x y to each child with a hard reserve of x in y, RESBS x y with a soft or firm one; nothing to
//!          one without.
//! Admits   while each still gets its amount in each of its periods (`deferrable.rs`).
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n^2) per step of an admission; 154 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Rajkumar et al. 1998; Oikawa and Rajkumar 1999; HLS 5.3.1.7, 6.2.1, table 5.1.
//! Checked  laws, `tests/resource_kernel.rs`.
//!
//! Periods follow each other from the `reserve` message on; an unused budget is kept until its period ends.
//! `priority` says what follows a used-up budget. Hard (0, or not set): nothing. Soft (above 0): turns, together with
//! children without a reserve. Firm (below 0): time that nobody else wants. A slower processor may deliver what it
//! owes by the earliest deadline just before it, at a time when a child with a shorter period and a later deadline
//! takes it: a scheduler that ranks by periods cannot use RESU.

mod deferrable;
mod monotonic;
mod reserves;

use crate::catalogue::{Kind, Properties};
use crate::parameters::{PRIORITY, RESERVE};
use crate::parts::policy::Policy;
use crate::parts::pool::{Pool, SETTLED};
use crate::parts::quantum;
use crate::parts::reservation::Reservation;
use crate::parts::slots;
use crate::reservation::resource_kernel::deferrable::fits;
use crate::reservation::resource_kernel::monotonic::Monotonic;
use crate::reservation::resource_kernel::reserves::{BUDGET, Class, Reserves, Slot};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, Note, OwnVp, ParentNotice, Scheduler, TimerId,
    View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "reserve, unreserve, priority, quantum (to the instance)";
/// When the first period of a child that does not wait ends.
const PERIOD: TimerId = TimerId(2);

settings! { ResourceKernel, "resource_kernel.rs":
    /// the longest turn of a child without a budget while others wait
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind = ResourceKernel::kind(
    "resource-kernel",
    "hard, firm and soft reserves by rate monotonic priorities",
    |settings| Ok(Box::new(State::new(ResourceKernel::read(settings).quantum))),
)
.with_parameters(&[&RESERVE, &PRIORITY])
.with_properties(Properties { reserves: true, ..Properties::NONE })
.with_conversion(|_| Ok(Box::new(Monotonic)));

/// The scheduler.
#[derive(Clone)]
struct State {
    pool: Pool<Reserves>,
    reserves: Reserves,
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
            pool: Pool::default(),
            reserves: Reserves { slots: Vec::new(), turns: 0, quantum },
            periods: Heap::new(),
            armed: None,
            freed: None,
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
    fn replenish(&mut self, context: &mut Context<'_>) {
        let now = context.now();
        while let Some((_, slot)) = self.periods.peek().filter(|(at, _)| *at <= now) {
            let child = ChildVp(slot);
            self.reserves.charge(child, context);
            let Some(reserve) = &mut self.reserves.slots[child.index()].reserve else {
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
                self.pool.refresh(child, &self.reserves, context);
            } else {
                self.pool.add(child, &self.reserves);
            }
        }
        self.arm(context);
        self.pool.settled(&mut self.reserves, context);
    }

    /// Handles the end of the running child's budget or turn; the timer may also be early.
    fn exhaust(&mut self, context: &mut Context<'_>) {
        let (now, held) = (context.now(), context.held_by(OwnVp(0)));
        let Some(child) = held else {
            return;
        };
        let had = self.reserves.slots[child.index()].budget().is_some();
        self.reserves.charge(child, context);
        let slot = &self.reserves.slots[child.index()];
        if let Some(reserve) = slot.budget() {
            return context.set_timer(BUDGET, Some(now.saturating_add(reserve.budget)));
        }
        if had {
            context.note(held, Note::Exhausted);
        }
        self.reserves.queue(child);
        if !self.reserves.eligible(child) {
            self.pool.rotate(child, &mut self.reserves, context);
        } else if !self.pool.pass(child, &mut self.reserves, context) {
            context.set_timer(BUDGET, Some(self.reserves.over(child, now)));
        }
    }

    /// Begins or changes a reserve.
    fn reserve(
        &mut self,
        child: ChildVp,
        (amount, period): (Span, Span),
        context: &mut Context<'_>,
    ) -> Answer {
        if amount.is_zero() || amount > period {
            let allowed = "above zero, at most the period";
            return Err(AnswerError::OutOfRange { what: "amount", allowed });
        }
        let slots = self.reserves.slots.iter().enumerate();
        let reserves = slots.filter_map(|(at, slot)| Some((at, slot.reserve.as_ref()?)));
        let others = reserves.clone().filter(|(at, _)| *at != child.index());
        let mut promised: Vec<_> = others.map(|(_, reserve)| target(reserve)).collect();
        promised.push((amount, period));
        if !fits(&promised) {
            return Err(AnswerError::OutOfRange {
                what: "reserve",
                allowed: "one with which each gets its amount in each of its periods, the shortest \
                          first; ask for less, or for a period that divides the others' or is a \
                          multiple",
            });
        }
        let longest = reserves.map(|(_, reserve)| reserve.period).max();
        let longest = promised.iter().map(|(_, period)| *period).chain(longest).max();
        let now = context.now();
        let clear = |freed: Option<Instant>| {
            let after = |freed: Instant| freed.saturating_add(longest.unwrap_or(Span::ZERO));
            freed.map_or(now, after).max(now)
        };
        self.reserves.charge(child, context);
        let begins = clear(self.freed);
        if let Some(reserve) = &mut self.reserves.slots[child.index()].reserve {
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
        if reserve.roll(now) {
            context.note(Some(child), Note::Replenished(amount));
            context.notify_child(
                child,
                ParentNotice::Replenished { budget: amount, end: reserve.end },
            );
        }
        reserve.since = now;
        self.reserves.slots[child.index()].reserve = Some(reserve);
        self.place(child, context);
        Ok(())
    }

    /// Ends a child's reserve, if it has one.
    fn end(&mut self, child: ChildVp, now: Instant) {
        if let Some(reserve) = self.reserves.slots[child.index()].reserve.take() {
            self.freed = self.freed.max(used_until(&reserve, now));
        }
        self.periods.remove(child.0);
    }

    /// Updates the pool after a child's budget or class has changed.
    fn place(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let (now, state) = (context.now(), context.child(child));
        let slot = &self.reserves.slots[child.index()];
        if let Some(reserve) = slot.reserve.filter(|_| state != VpState::Waiting) {
            self.periods.set(child.0, reserve.end);
        }
        self.arm(context);
        match (state, self.reserves.eligible(child)) {
            (VpState::Waiting, _) => {}
            (VpState::Running(_), true) => {
                context.set_timer(BUDGET, Some(self.reserves.over(child, now)));
                self.pool.rerank(child, &mut self.reserves, context);
            }
            (VpState::Running(_), false) => self.pool.rotate(child, &mut self.reserves, context),
            (VpState::Ready, true) => self.pool.request(child, &mut self.reserves, context),
            (VpState::Ready, false) => {
                self.pool.withdraw(child, context);
                context.notify_child(child, ParentNotice::Exhausted);
            }
        }
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

impl Scheduler for State {
    fn timers(&self, _: usize) -> usize {
        3
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init_first(1, context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.pool.register(child);
        self.periods.reserve(child.index() + 1);
        slots::put(&mut self.reserves.slots, child, Slot::default());
        Ok(())
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.end(child, context.now());
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.reserves.queue(child);
        if let Some(reserve) = &mut self.reserves.slots[child.index()].reserve
            && reserve.roll(context.now())
        {
            let (budget, end) = (reserve.budget, reserve.end);
            context.note(Some(child), Note::Replenished(budget));
            context.notify_child(child, ParentNotice::Replenished { budget, end });
        }
        self.place(child, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.periods.remove(child.0);
        self.arm(context);
        self.pool.release(child, held, &mut self.reserves, context);
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
                return self.reserve(child, (amount, period), context);
            }
            (Some(child), Message::Unreserve) => {
                self.replenish(context);
                self.end(child, context.now());
                self.place(child, context);
            }
            (Some(child), Message::Priority(priority)) => {
                self.replenish(context);
                self.reserves.charge(child, context);
                self.reserves.slots[child.index()].class = Class::of(priority);
                self.place(child, context);
            }
            (None, Message::Quantum(length)) => {
                self.reserves.quantum = quantum::checked(length)?;
            }
            _ => {
                return Err(AnswerError::NotUnderstood { message: message.name(), takes: TAKES });
            }
        }
        Ok(())
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.reserves, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.reserves, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.reserves, context);
        }
        if timer == PERIOD {
            self.armed = None;
        }
        self.replenish(context);
        if timer == BUDGET {
            self.exhaust(context);
        }
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.reserves, view)?;
        for child in view.children() {
            let reserved = self.reserves.slots[child.index()].reserve.is_some();
            let counted = reserved && view.child(child) != VpState::Waiting;
            if counted != self.periods.contains(child.0) {
                return Err("the periods of a child are not followed, or of one that waits");
            }
        }
        Ok(())
    }
}
