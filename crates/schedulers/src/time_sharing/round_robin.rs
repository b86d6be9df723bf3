//! Round robin: each ready child in turn, one quantum long, on one processor or several.
//!
//! Takes    any guarantee.
//! Gives    NULL to each child. On k processors `affinity = "strong"` lets a child overtake at most 4 k places, `"weak"`
//!          k - 1; one that had its turn early comes later next time.
//! Admits   everyone.
//! Assumes  nothing of its children.
//! Costs    O(log n) per event; 48 bytes per child, 64 more with affinity on several processors; one timer per
//!          processor, set only while others wait, unless `ends-alone` is set.
//! Ties     none: children are in a queue. One that is preempted from above keeps its place at the head and the
//!          rest of its quantum; one that wakes goes to the end with a whole quantum.
//! Source   HLS 2.3.1; the quantum of appendix C.
//! Checked  laws, `tests/all/round_robin.rs`, reference schedules rr_*.

use crate::catalogue::{Kind, Properties};
use crate::parameters::PROCESSORS;
use crate::parts::affinity::Affinity;
use crate::parts::line::{Line, ONE};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum::{self, Quanta};
use crate::settings::shared::AFFINITY;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Answer, ChildVp, Context, Message, OwnVp, TimerId};
use windfall_time::Span;

settings! { RoundRobin, "round_robin.rs":
    affinity: Affinity as AFFINITY,
    /// whether a quantum also ends, at the cost of a timer, while no other child waits, as in Multics
    ends_alone: bool = "false",
    /// the longest time that a child runs while others wait
    quantum: Span = "10ms",
}

pub(crate) const KIND: Kind =
    RoundRobin::kind("round-robin", "each ready child in turn, a quantum long", |settings| {
        let RoundRobin { affinity, ends_alone, quantum } = RoundRobin::read(settings);
        Ok(Box::new(Pooled::new(State { affinity, ends_alone, ..State::new(quantum) })))
    })
    .with_parameters(&[&PROCESSORS])
    .with_properties(Properties::NONE.quantum(|settings| Some(RoundRobin::read(settings).quantum)));

/// The children in the order of their turns, and how much of its quantum each has left.
#[derive(Clone)]
pub(crate) struct State {
    line: Line,
    quanta: Quanta,
    /// By own VP: whether its timer is set to the end of the quantum of the child that runs there.
    set: Vec<bool>,
    /// Number of own VPs on which a child runs without a timer.
    untimed: usize,
    ends_alone: bool,
    affinity: Affinity,
}

impl State {
    /// Creates an instance whose quanta, above zero, end while others wait.
    pub(crate) fn new(quantum: Span) -> State {
        let quanta = Quanta::new(quantum);
        State {
            line: Line::default(),
            quanta,
            set: Vec::new(),
            untimed: 0,
            ends_alone: false,
            affinity: Affinity::None,
        }
    }

    /// The quantum of a child that runs has ended while others wait.
    fn turn(
        &mut self,
        child: ChildVp,
        own: OwnVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        if context.owns() == 1 {
            return pool.rotate(child, self, context);
        }
        if self.affinity == Affinity::None {
            return self.turn_all(pool, context);
        }
        self.line.turn(child, ONE);
        self.quanta.renew(child);
        self.quanta.started_untimed(child, context.now());
        if !pool.pass(child, self, context) {
            let end = context.now().saturating_add(self.quanta.length);
            context.set_timer(quantum::timer_of(own), Some(end));
        }
    }

    /// The same on several processors, for all whose quanta end now.
    fn turn_all(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        while let Some((_, child)) = self.quanta.first_over(
            pool.own_vps().filter(|own| self.set[own.index()]),
            context,
            |child| self.line.place(child),
        ) {
            pool.rotate(child, self, context);
        }
    }

    /// Sets the timer of each processor if others wait, or if quanta also end for a child that runs alone.
    #[inline]
    fn set_timers(&mut self, pool: &Pool<Self>, context: &mut Context<'_>) {
        if self.untimed > 0 && (self.ends_alone || pool.best().is_some()) {
            self.set_all_timers(pool, context);
        }
    }

    fn set_all_timers(&mut self, pool: &Pool<Self>, context: &mut Context<'_>) {
        self.untimed = 0;
        for own in pool.own_vps() {
            let set = &mut self.set[own.index()];
            if let Some(child) = context.held_by(own).filter(|_| !*set) {
                *set = true;
                let end = self.quanta.catch_up(child, context.now());
                context.set_timer(quantum::timer_of(own), Some(end));
            }
        }
    }
}

impl Policy for State {
    type Key = u64;
    const PREEMPTS: bool = false;
    const LETS_YIELD: bool = true;
    const BINDS: bool = true;
    const TAKES: &'static str = "processors, quantum (to the instance)";

    fn key(&self, child: ChildVp) -> u64 {
        self.line.place(child)
    }

    fn has_affinity(&self) -> bool {
        self.affinity != Affinity::None
    }

    fn key_at_home(&self, child: ChildVp) -> u64 {
        self.line.place_at_home(child)
    }

    #[inline]
    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.started_untimed(child, context.now());
        self.set[own.index()] = false;
        self.untimed += 1;
    }

    #[inline(always)]
    fn stopped(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        if !self.set[own.index()] {
            self.untimed -= 1;
            self.quanta.stop_alone(child, context.now());
        } else if self.quanta.stop(child, context.now()) {
            self.line.queue(child, ONE);
        }
    }

    #[inline]
    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        if core::mem::take(&mut self.set[own.index()]) {
            self.quanta.idle(own, context);
        }
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.set.resize(context.owns(), false);
        self.line.start_ahead(self.affinity.places(context.owns()), 1);
    }

    fn own_added(&mut self, _: &mut Pool<Self>, context: &mut Context<'_>) -> Answer {
        self.set.resize(context.owns(), false);
        Ok(())
    }

    fn register(&mut self, child: ChildVp) {
        self.quanta.register(child);
        self.line.register(child);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.line.queue(child, ONE);
        self.quanta.renew(child);
        pool.request(child, self, context);
        self.set_timers(pool, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.release(child, held, self, context);
        self.line.leave(child);
        self.set_timers(pool, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        _: &mut Pool<Self>,
        _: &mut Context<'_>,
    ) -> Answer {
        let (None, Message::Quantum(length)) = (child, message) else {
            return Self::not_understood(message);
        };
        self.quanta.length = quantum::checked(length)?;
        Ok(())
    }

    #[inline]
    fn grant(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.grant(own, self, context);
        self.set_timers(pool, context);
    }

    #[inline]
    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.revoke(own, child, self, context);
        self.set_timers(pool, context);
    }

    fn settled(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.settled(self, context);
        self.set_timers(pool, context);
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let own = quantum::own_of(timer);
        match context.held_by(own) {
            Some(child) if pool.best().is_some() && self.quanta.is_over(child, context.now()) => {
                self.turn(child, own, pool, context);
            }
            Some(_) => {
                let was_set = core::mem::take(&mut self.set[own.index()]);
                self.untimed += usize::from(was_set);
            }
            None => self.set[own.index()] = false,
        }
        self.set_timers(pool, context);
    }
}
