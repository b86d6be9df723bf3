//! Rez: hard CPU reservations by budgeted earliest deadline first, on one processor.
//!
//! Takes    ALL on its own VP 0, or RESU r, amounts then being at the slower processor's speed.
//!          Further own VPs are never asked for: create one instance a processor.
//! Gives    RESBH x y to each child with a reservation of x in y; nothing to one without.
//! Admits   while the sum of all x/y is at most 1, exactly. A refusal names what is left.
//! Assumes  A1 its processor is there whenever asked for; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n) per refusal or sum close to 1; 122 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   HLS 9.3.2. Waking follows the constant bandwidth server of Abeni and Buttazzo 1998.
//! Checked  laws, `tests/rez.rs`, `tests/example_4_4.rs`.
//!
//! A period begins with the `reserve` message, and each next one where the last one ends, whether
//! the child is ready or not. A change takes effect at the end of the current period. A child that
//! waits for a time d loses at most d of its budget, and none of what falls to the rest of its
//! period at a steady rate: a budget saved up until just before its deadline would delay others. For
//! the same reason a share that was used ahead of time and then given back is promised to another at
//! once, but the other's first period begins only when it is free. Overruns through a coarse timer
//! are not taken from the next period (10.5.2 measures 32.6 % for 10 ms in 33 ms).

use crate::bandwidth::Bandwidth;
use crate::best_effort::BestEffort;
use crate::catalogue::Kind;
use crate::pool::{Policy, Pool, SETTLED};
use crate::reservation::Reservation;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Child, Message, News, Note, Own, Port, Refusal, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Ratio, Span};

const TAKES: &str = "reserve, unreserve";
/// When the running child's budget ends.
const BUDGET: TimerId = TimerId(1);
/// When the first period of a child that does not wait ends.
const PERIOD: TimerId = TimerId(2);

pub(crate) const KIND: Kind = Kind {
    name: "rez",
    summary: "hard CPU reservations on one processor",
    source: include_str!("rez.rs"),
    settings: &[],
    build: |_| Ok(Box::new(Rez::new())),
    conversion: |_| Ok(Box::new(BestEffort)),
};

#[derive(Default)]
struct Budgets {
    slots: Vec<Option<Reservation>>,
}

impl Policy for Budgets {
    /// Deadline, slot.
    type Key = (Instant, u32);

    fn key(&self, child: Child) -> Self::Key {
        let slot = &self.slots[child.index()];
        (slot.map_or(Instant::MAX, |slot| slot.end), child.0)
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
    }

    fn eligible(&self, child: Child) -> bool {
        self.slots[child.index()].is_some_and(|slot| !slot.budget.is_zero())
    }

    fn started(&mut self, child: Child, _: Own, port: &mut Port<'_>) {
        if let Some(slot) = &mut self.slots[child.index()] {
            slot.since = port.now();
            port.set_timer(BUDGET, Some(port.now().saturating_add(slot.budget)));
        }
    }

    fn stopped(&mut self, child: Child, _: Own, port: &mut Port<'_>) {
        if let Some(slot) = &mut self.slots[child.index()] {
            slot.charge(port.now());
            let note =
                if slot.budget.is_zero() { Note::Exhausted } else { Note::Budget(slot.budget) };
            port.note(Some(child), note);
            let ready = port.child(child) == VpState::Ready;
            if ready && slot.budget.is_zero() && !core::mem::replace(&mut slot.told, true) {
                port.tell(child, News::Exhausted);
            }
        }
    }

    fn idle(&mut self, _: Own, port: &mut Port<'_>) {
        port.set_timer(BUDGET, None);
    }
}

/// The scheduler.
#[derive(Default)]
pub struct Rez {
    pool: Pool<Budgets>,
    budgets: Budgets,
    /// Ends of the periods of children that have a reservation and do not wait.
    periods: Heap<Instant>,
    armed: Option<Instant>,
    /// What is promised, changes that are to come included.
    promised: Bandwidth,
    /// What was promised until lately and has been used ahead of time, until when.
    lingering: (Bandwidth, Instant),
}

impl Rez {
    /// Without reservations.
    #[must_use]
    pub fn new() -> Rez {
        Rez::default()
    }

    fn arm(&mut self, port: &mut Port<'_>) {
        let first = self.periods.peek().map(|(at, _)| at);
        if self.armed != first {
            self.armed = first;
            port.set_timer(PERIOD, first);
        }
    }

    /// Begins the periods that are due. No effects but the last one's, however many they are.
    fn replenish(&mut self, port: &mut Port<'_>) {
        let now = port.now();
        while let Some((_, slot)) = self.periods.peek().filter(|(at, _)| *at <= now) {
            let child = Child(slot);
            let runs = matches!(port.child(child), VpState::Running(_));
            let Some(slot) = &mut self.budgets.slots[child.index()] else {
                self.periods.remove(child.0);
                continue;
            };
            slot.roll(now);
            slot.since = now;
            let (budget, end) = (slot.budget, slot.end);
            self.periods.set(child.0, end);
            port.note(Some(child), Note::Replenished(budget));
            port.tell(child, News::Replenished { budget, end });
            if runs {
                port.set_timer(BUDGET, Some(now.saturating_add(budget)));
                self.pool.refresh(child, &self.budgets, port);
            } else {
                self.pool.add(child, &self.budgets);
            }
        }
        self.arm(port);
        self.pool.settled(&mut self.budgets, port);
    }

    /// The running child has used up its budget, or the timer came early.
    fn exhaust(&mut self, port: &mut Port<'_>) {
        let Some(child) = port.held_by(Own(0)) else {
            return;
        };
        let Some(slot) = &mut self.budgets.slots[child.index()] else {
            return;
        };
        slot.charge(port.now());
        if slot.budget.is_zero() {
            slot.told = true;
            port.tell(child, News::Exhausted);
            self.pool.rotate(child, &mut self.budgets, port);
        } else {
            let end = port.now().saturating_add(slot.budget);
            port.set_timer(BUDGET, Some(end));
        }
    }

    /// Begins or changes a reservation.
    fn reserve(
        &mut self,
        child: Child,
        (amount, period): (Span, Span),
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        if amount.is_zero() || amount > period {
            return Err(Refusal::OutOfRange {
                what: "amount",
                allowed: "above zero, at most the period",
            });
        }
        let now = port.now();
        let before = self.target(child);
        let wanted = Bandwidth::of(amount, period);
        let promised = self.promised.minus(before).plus(wanted);
        let fits = promised.fits();
        if !fits.unwrap_or_else(|| self.exactly_fits(child, amount, period)) {
            return Err(Refusal::NoRoom {
                asked: amount.over(period).unwrap_or(Ratio::ZERO),
                left: self.left_beside(child),
            });
        }
        self.promised = promised;
        let (lingering, until) = self.lingering;
        let crowded = until > now && promised.plus(lingering).fits() != Some(true);
        let shrinks = wanted.fits_within(before);
        let from = if crowded && !shrinks { until } else { now };
        if let Some(slot) = &mut self.budgets.slots[child.index()] {
            let ends = if slot.roll(now) { now } else { slot.end };
            slot.change = Some((amount, period, from));
            if ends > now && shrinks {
                self.linger(before.minus(wanted), ends, now);
            }
            return Ok(());
        }
        self.budgets.slots[child.index()] = Some(Reservation::new(amount, period, from));
        self.begin(child, port);
        Ok(())
    }

    /// A reservation begins, or a child that has one wakes.
    fn begin(&mut self, child: Child, port: &mut Port<'_>) {
        let now = port.now();
        let Some(slot) = &mut self.budgets.slots[child.index()] else {
            return port.tell(child, News::Exhausted);
        };
        let begun = slot.roll(now);
        if begun {
            port.note(Some(child), Note::Replenished(slot.budget));
        }
        slot.wake(now);
        if port.child(child) == VpState::Ready {
            if slot.budget.is_zero() {
                port.tell(child, News::Exhausted);
            } else if begun {
                port.tell(child, News::Replenished { budget: slot.budget, end: slot.end });
            }
            self.periods.set(child.0, slot.end);
            self.arm(port);
            self.pool.request(child, &mut self.budgets, port);
        }
    }

    /// Ends a reservation, if there is one; the child is no candidate any longer.
    fn end(&mut self, child: Child, port: &Port<'_>) {
        let now = port.now();
        self.promised = self.promised.minus(self.target(child));
        self.periods.remove(child.0);
        let runs = matches!(port.child(child), VpState::Running(_));
        if let Some(mut slot) = self.budgets.slots[child.index()].take() {
            slot.roll(now);
            if runs {
                slot.charge(now);
            }
            self.linger(Bandwidth::of(slot.amount, slot.period), slot.even(now), now);
        }
    }

    /// A share that is given back is free only after `until`.
    fn linger(&mut self, share: Bandwidth, until: Instant, now: Instant) {
        if self.lingering.1 <= now {
            self.lingering = (Bandwidth::default(), now);
        }
        if until > now {
            let (former, longest) = self.lingering;
            self.lingering = (former.plus(share), longest.max(until));
        }
    }

    /// What is promised to a child, a change that is to come included.
    fn target(&self, child: Child) -> Bandwidth {
        let (amount, period) = target(self.budgets.slots[child.index()].as_ref());
        Bandwidth::of(amount, period)
    }

    /// The exact sum of what is promised to all others; `None` where no fraction of 128 bits holds
    /// it. Only for refusals and for sums that lie closer to 1 than their bounds.
    fn exact_beside(&self, child: Child) -> Option<Ratio> {
        let mut sum = Ratio::ZERO;
        for (_, slot) in (0_u32..).zip(&self.budgets.slots).filter(|(n, _)| *n != child.0) {
            if slot.is_some() {
                let (amount, period) = target(slot.as_ref());
                sum = sum.checked_add(amount.over(period)?)?;
            }
        }
        Some(sum)
    }

    fn exactly_fits(&self, child: Child, amount: Span, period: Span) -> bool {
        let others = self.exact_beside(child);
        let sum = others.and_then(|others| others.checked_add(amount.over(period)?));
        sum.is_some_and(|sum| sum <= Ratio::ONE)
    }

    fn left_beside(&self, child: Child) -> Ratio {
        let exact = self.exact_beside(child);
        let left = exact.and_then(|others| Ratio::ONE.checked_sub(others));
        left.unwrap_or_else(|| self.promised.minus(self.target(child)).left())
    }
}

fn target(slot: Option<&Reservation>) -> (Span, Span) {
    slot.map_or((Span::ZERO, Span::MAX), |slot| match slot.change {
        Some((amount, period, _)) => (amount, period),
        None => (slot.amount, slot.period),
    })
}

impl Scheduler for Rez {
    fn timers(&self, _: usize) -> usize {
        3
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.pool.init_first(1, port);
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.pool.register(child);
        self.periods.reserve(child.index() + 1);
        let slots = &mut self.budgets.slots;
        slots.resize(slots.len().max(child.index() + 1), None);
        slots[child.index()] = None;
        Ok(())
    }

    fn unregister(&mut self, child: Child, port: &mut Port<'_>) {
        self.end(child, port);
    }

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.begin(child, port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.periods.remove(child.0);
        self.arm(port);
        self.pool.release(child, held, &mut self.budgets, port);
        if let Some(slot) = &mut self.budgets.slots[child.index()] {
            slot.since = port.now();
        }
    }

    fn message(
        &mut self,
        child: Option<Child>,
        message: Message,
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        match (child, message) {
            (Some(child), Message::Reserve { amount, period }) => {
                self.replenish(port);
                self.reserve(child, (amount, period), port)
            }
            (Some(child), Message::Unreserve) => {
                self.replenish(port);
                let runs = matches!(port.child(child), VpState::Running(_));
                self.end(child, port);
                self.arm(port);
                port.tell(child, News::Exhausted);
                if runs {
                    self.pool.rotate(child, &mut self.budgets, port);
                } else {
                    self.pool.withdraw(child, port);
                }
                Ok(())
            }
            _ => Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.pool.grant(own, &mut self.budgets, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        self.pool.revoke(own, child, &mut self.budgets, port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.budgets, port);
        }
        if timer == PERIOD {
            self.armed = None;
        }
        self.replenish(port);
        if timer == BUDGET {
            self.exhaust(port);
        }
    }

    fn next(&self, _: Own, _: &View<'_>) -> Option<Child> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.budgets, view)?;
        let mut promised = Bandwidth::default();
        for child in view.children() {
            promised = promised.plus(self.target(child));
            let reserved = self.budgets.slots[child.index()].is_some();
            let counted = reserved && view.child(child) != VpState::Waiting;
            if counted != self.periods.contains(child.0) {
                return Err("the periods of a child are not followed, or of one that waits");
            }
        }
        if promised != self.promised {
            return Err("what is promised is not the sum of the reservations");
        }
        Ok(())
    }
}
