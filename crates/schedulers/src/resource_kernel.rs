//! Resource kernel: hard, firm and soft reserves under rate monotonic priorities, on one processor.
//!
//! Takes    ALL on its own VP 0. Not RESU, against table 5.1: see below.
//! Gives    RESBH x y to each child with a hard reserve of x in y, RESBS x y with a soft or firm one;
//!          nothing to one without.
//! Admits   while each still gets its amount in each of its periods (`deferrable.rs`).
//! Assumes  A1 its processor is there whenever asked for; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n^2) per step of an admission; 154 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Rajkumar et al. 1998; Oikawa and Rajkumar 1999; HLS 5.3.1.7, 6.2.1, table 5.1.
//! Checked  laws, `tests/resource_kernel.rs`.
//!
//! Periods follow each other from the `reserve` message on; what is not used of a budget is kept until
//! its period ends. `priority` says what follows a used-up budget: 0, or nothing told, is hard: nothing;
//! above 0 soft: the turns of those without a reserve; below 0 firm: what nobody else wants. What a
//! slower processor owes by the earliest deadline may come just before it, when a child of a shorter
//! period that is due later takes it: who serves by periods cannot use RESU.

use crate::catalogue::{Form, Kind, Setting};
use crate::deferrable::fits;
use crate::pool::{Policy, Pool, SETTLED};
use crate::quantum;
use crate::reservation::Reservation;
use crate::reserved;
use crate::reserves::{BUDGET, Class, Reserves, Slot};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{Conversion, Guarantee, Offer, Supply, Tell, Terms, Type};
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Child, Message, News, Note, Own, Port, Refusal, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "reserve, unreserve, priority, quantum (to the instance)";
/// When the first period of a child that does not wait ends.
const PERIOD: TimerId = TimerId(2);

pub(crate) const KIND: Kind = Kind {
    name: "resource-kernel",
    summary: "hard, firm and soft reserves by rate monotonic priorities",
    source: include_str!("resource_kernel.rs"),
    settings: &[Setting {
        name: "quantum",
        form: Form::Span,
        default: "10ms",
        help: "the longest turn of a child that runs on no budget while others wait",
    }],
    build: |settings| {
        let quantum = settings.span("quantum", Span::from_millis(10))?;
        Ok(Box::new(ResourceKernel::new(quantum)))
    },
    conversion: |_| Ok(Box::new(Monotonic)),
};

/// The scheduler.
struct ResourceKernel {
    pool: Pool<Reserves>,
    reserves: Reserves,
    /// Ends of the periods of children that have a reserve and do not wait.
    periods: Heap<Instant>,
    armed: Option<Instant>,
    /// When the last of the reserves ended that had begun and were changed or given back: another begins
    /// the longest period later, so that nobody's period ever sees both. No other rule keeps all
    /// promises, for a budget that was used late in its period may be followed at once by that of the
    /// next reserve.
    freed: Option<Instant>,
}

impl ResourceKernel {
    fn new(quantum: Span) -> ResourceKernel {
        ResourceKernel {
            pool: Pool::default(),
            reserves: Reserves { slots: Vec::new(), turns: 0, quantum },
            periods: Heap::new(),
            armed: None,
            freed: None,
        }
    }

    fn arm(&mut self, port: &mut Port<'_>) {
        let first = self.periods.peek().map(|(at, _)| at);
        if self.armed != first {
            self.armed = first;
            port.set_timer(PERIOD, first);
        }
    }

    /// Begins the periods that are due. No effects but the last one's and the news, however many
    /// they are.
    fn replenish(&mut self, port: &mut Port<'_>) {
        let now = port.now();
        while let Some((_, slot)) = self.periods.peek().filter(|(at, _)| *at <= now) {
            let child = Child(slot);
            self.reserves.charge(child, port);
            let Some(reserve) = &mut self.reserves.slots[child.index()].reserve else {
                self.periods.remove(slot);
                continue;
            };
            reserve.roll(now);
            reserve.since = now;
            let (budget, end) = (reserve.budget, reserve.end);
            self.periods.set(slot, end);
            port.note(Some(child), Note::Replenished(budget));
            port.tell(child, News::Replenished { budget, end });
            if matches!(port.child(child), VpState::Running(_)) {
                port.set_timer(BUDGET, Some(now.saturating_add(budget)));
                self.pool.refresh(child, &self.reserves, port);
            } else {
                self.pool.add(child, &self.reserves);
            }
        }
        self.arm(port);
        self.pool.settled(&mut self.reserves, port);
    }

    /// What the running child ran on is over, or the timer came early.
    fn exhaust(&mut self, port: &mut Port<'_>) {
        let (now, held) = (port.now(), port.held_by(Own(0)));
        let Some(child) = held else {
            return;
        };
        let had = self.reserves.slots[child.index()].budget().is_some();
        self.reserves.charge(child, port);
        let slot = &self.reserves.slots[child.index()];
        if let Some(reserve) = slot.budget() {
            return port.set_timer(BUDGET, Some(now.saturating_add(reserve.budget)));
        }
        if had {
            port.note(held, Note::Exhausted);
        }
        self.reserves.queue(child);
        if !self.reserves.eligible(child) {
            self.pool.rotate(child, &mut self.reserves, port);
        } else if !self.pool.pass(child, &mut self.reserves, port) {
            port.set_timer(BUDGET, Some(self.reserves.over(child, now)));
        }
    }

    /// Begins or changes a reserve.
    fn reserve(
        &mut self,
        child: Child,
        (amount, period): (Span, Span),
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        if amount.is_zero() || amount > period {
            let allowed = "above zero, at most the period";
            return Err(Refusal::OutOfRange { what: "amount", allowed });
        }
        let slots = self.reserves.slots.iter().enumerate();
        let reserves = slots.filter_map(|(at, slot)| Some((at, slot.reserve.as_ref()?)));
        let others = reserves.clone().filter(|(at, _)| *at != child.index());
        let mut promised: Vec<_> = others.map(|(_, reserve)| target(reserve)).collect();
        promised.push((amount, period));
        if !fits(&promised) {
            return Err(Refusal::OutOfRange {
                what: "reserve",
                allowed: "one with which each gets its amount in each of its periods, the shortest \
                          first; ask for less, or for a period that divides the others' or is a \
                          multiple",
            });
        }
        let longest = reserves.map(|(_, reserve)| reserve.period).max();
        let longest = promised.iter().map(|(_, period)| *period).chain(longest).max();
        let now = port.now();
        let clear = |freed: Option<Instant>| {
            let after = |freed: Instant| freed.saturating_add(longest.unwrap_or(Span::ZERO));
            freed.map_or(now, after).max(now)
        };
        self.reserves.charge(child, port);
        let begins = clear(self.freed);
        if let Some(reserve) = &mut self.reserves.slots[child.index()].reserve {
            reserve.roll(now);
            let less = amount <= reserve.amount && period >= reserve.period;
            let more = amount >= reserve.amount && period <= reserve.period;
            if (less || more) && reserve.change.is_none() && begins <= reserve.end {
                // The one is as if the other had gone on.
                reserve.change = Some((amount, period, reserve.end));
                self.freed = self.freed.max(Some(reserve.end));
                return Ok(());
            }
            self.freed = self.freed.max(used_until(reserve, now));
        }
        // It has nothing until it begins.
        let begins = clear(self.freed);
        let mut reserve = Reservation::new(Span::ZERO, period, begins);
        reserve.change = Some((amount, period, begins));
        if reserve.roll(now) {
            port.note(Some(child), Note::Replenished(amount));
            port.tell(child, News::Replenished { budget: amount, end: reserve.end });
        }
        reserve.since = now;
        self.reserves.slots[child.index()].reserve = Some(reserve);
        self.place(child, port);
        Ok(())
    }

    /// Ends a reserve, if there is one.
    fn end(&mut self, child: Child, now: Instant) {
        if let Some(reserve) = self.reserves.slots[child.index()].reserve.take() {
            self.freed = self.freed.max(used_until(&reserve, now));
        }
        self.periods.remove(child.0);
    }

    /// What a child runs on has changed.
    fn place(&mut self, child: Child, port: &mut Port<'_>) {
        let (now, state) = (port.now(), port.child(child));
        let slot = &self.reserves.slots[child.index()];
        if let Some(reserve) = slot.reserve.filter(|_| state != VpState::Waiting) {
            self.periods.set(child.0, reserve.end);
        }
        self.arm(port);
        match (state, self.reserves.eligible(child)) {
            (VpState::Waiting, _) => {}
            (VpState::Running(_), true) => {
                port.set_timer(BUDGET, Some(self.reserves.over(child, now)));
                self.pool.rerank(child, &mut self.reserves, port);
            }
            (VpState::Running(_), false) => self.pool.rotate(child, &mut self.reserves, port),
            (VpState::Ready, true) => self.pool.request(child, &mut self.reserves, port),
            (VpState::Ready, false) => {
                self.pool.withdraw(child, port);
                port.tell(child, News::Exhausted);
            }
        }
    }
}

/// What is promised, a change that is to come included.
fn target(reserve: &Reservation) -> (Span, Span) {
    reserve.change.map_or((reserve.amount, reserve.period), |(amount, period, _)| (amount, period))
}

/// When a reserve that ends has been used last at the latest; one that has not begun never was.
fn used_until(reserve: &Reservation, now: Instant) -> Option<Instant> {
    Some(now).filter(|_| !reserve.amount.is_zero())
}

impl Scheduler for ResourceKernel {
    fn timers(&self, _: usize) -> usize {
        3
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.pool.init_first(1, port);
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.pool.register(child);
        self.periods.reserve(child.index() + 1);
        let slots = &mut self.reserves.slots;
        slots.resize(slots.len().max(child.index() + 1), Slot::default());
        slots[child.index()] = Slot::default();
        Ok(())
    }

    fn unregister(&mut self, child: Child, port: &mut Port<'_>) {
        self.end(child, port.now());
    }

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.reserves.queue(child);
        if let Some(reserve) = &mut self.reserves.slots[child.index()].reserve
            && reserve.roll(port.now())
        {
            let (budget, end) = (reserve.budget, reserve.end);
            port.note(Some(child), Note::Replenished(budget));
            port.tell(child, News::Replenished { budget, end });
        }
        self.place(child, port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.periods.remove(child.0);
        self.arm(port);
        self.pool.release(child, held, &mut self.reserves, port);
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
                return self.reserve(child, (amount, period), port);
            }
            (Some(child), Message::Unreserve) => {
                self.replenish(port);
                self.end(child, port.now());
                self.place(child, port);
            }
            (Some(child), Message::Priority(priority)) => {
                self.replenish(port);
                self.reserves.charge(child, port);
                self.reserves.slots[child.index()].class = Class::of(priority);
                self.place(child, port);
            }
            (None, Message::Quantum(length)) => {
                self.reserves.quantum = quantum::checked(length)?;
            }
            _ => return Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES }),
        }
        Ok(())
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.pool.grant(own, &mut self.reserves, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        self.pool.revoke(own, child, &mut self.reserves, port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.reserves, port);
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

struct Monotonic;

impl Conversion for Monotonic {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn tell(&self, asked: &Guarantee) -> Result<Tell, &'static str> {
        reserved::Form::Hard.tell(asked)
    }

    fn give(&self, own: Supply<'_>, children: &[Terms]) -> Vec<Offer> {
        let whole = own.guarantees.first() == Some(&Guarantee::All);
        let mut before = Vec::new();
        let mut all_fit = whole;
        let give = |terms: &Terms| {
            let Some((amount, period)) = terms.reserve else {
                return Offer::nothing();
            };
            if amount.is_zero() {
                return Offer::lacking("it asks for nothing; ask for more".into());
            }
            before.push((amount, period));
            // Once one does not fit, none after it does: who tells less takes nothing from others.
            all_fit = all_fit && amount <= period && fits(&before);
            if !all_fit {
                return Offer::lacking(match whole {
                    true => format!(
                        "beside the {} before it, a reserve of {amount} in {period} would make one \
                         too late, the shortest period first; ask for less, or for a period that \
                         divides theirs or is a multiple",
                        before.len() - 1
                    ),
                    false => "rate monotonic priorities need a whole processor; give its parent \
                              `ALL`"
                        .into(),
                });
            }
            let form = match Class::of(terms.priority.unwrap_or(0)) {
                Class::Hard => reserved::Form::Hard,
                Class::Soft | Class::Firm => reserved::Form::Soft,
            };
            Offer::one(form.of(amount, period), "budgets by rate monotonic priorities")
        };
        children.iter().map(give).collect()
    }
}
