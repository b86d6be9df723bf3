//! Time sharing: priorities and round robin, with boosts for children that wake and for starved ones.
//!
//! Takes    any guarantee, on one processor or several.
//! Gives    NULL to each child. On k processors `affinity = "strong"` lets a child overtake at most 4 k places among its
//!          equals, `"weak"` k - 1; one that had its turn early comes later next time.
//! Admits   everyone, at priorities 1 to 31 (default 8).
//! Assumes  nothing of its children.
//! Costs    O(log n) per event; 108 bytes per child; one timer per processor and one more. With affinity on several
//!          processors, 64 bytes per child more, and one step for each processor at each preemption.
//! Ties     equals take turns; a preempted child keeps its place and the rest of its quantum, one that wakes
//!          goes to the end with a whole quantum.
//! Source   HLS 9.3.1, 9.2.2; the native scheduler of Windows 2000. Differences: the quantum of 20 ms is the
//!          same for all children, and the boost is the same whatever a child waited for.
//! Checked  laws, `tests/all/time_sharing.rs`.
//!
//! Invariant: no child is ready while one of lower priority runs, boosts included. A child that wakes is raised by
//! `boost`, never above 15, and sinks by one whenever a quantum ends. A child that has been ready for `rescue-after`
//! without running is raised to 15 for two quanta, then falls to its own priority at once. Priorities from 16 are
//! never raised. A yield (a release and a request at the same time) raises nobody. With `mode = "non-preemptive"` the
//! running child continues until it waits; there are neither quanta nor boosts, and a child that loses its processor
//! to a scheduler above is served first again.

use crate::catalogue::{Kind, Properties};
use crate::parameters::{PRIORITY, PROCESSORS};
use crate::parts::affinity::Affinity;
use crate::parts::line::Line;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum::{self, Quanta};
use crate::parts::slots;
use crate::parts::starvation::Starvation;
use crate::settings::shared::AFFINITY;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, Note, OwnVp, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const LOWEST: i32 = 1;
const DEFAULT: i32 = 8;
/// The highest priority that a boost can reach.
const CEILING: i32 = 15;
const HIGHEST: i32 = 31;
/// One for each priority, and for 0.
const CLASSES: u8 = 32;
/// Above all others: a child that a non-preemptive instance has begun to serve.
const BEGUN: i32 = HIGHEST + 1;

settings! { TimeSharing, "time_sharing.rs":
    affinity: Affinity as AFFINITY,
    /// by how much a child that wakes is raised above its priority
    boost: u8 = "2" in 0..=14,
    /// whether a running child can be preempted
    mode: Mode = "round-robin",
    /// the longest time that a child runs while others of its priority wait
    quantum: Span = "20ms",
    /// whether a starved child is raised above all others for a while
    rescue: bool = "true",
    /// how long a child must have been ready without running to count as starved
    rescue_after: Span = "3s",
}

pub(crate) const KIND: Kind = TimeSharing::kind(
    "time-sharing",
    "priorities and round robin, with boosts on waking and against starvation",
    |settings| Ok(Box::new(Pooled::new(State::new(TimeSharing::read(settings))))),
)
.with_parameters(&[&PRIORITY, &PROCESSORS])
.with_properties(Properties::NONE.quantum(|settings| Some(TimeSharing::read(settings).quantum)));

words! {
    /// Whether a running child can be preempted.
    pub enum Mode {
        /// By a higher priority at once, by an equal one at the end of the quantum.
        RoundRobin = "round-robin",
        /// Never.
        NonPreemptive = "non-preemptive",
    }
}

#[derive(Clone, Copy)]
struct Tenant {
    base: i32,
    /// The current priority: `base`, or higher while boosted.
    priority: i32,
    /// Whether it was raised because it starved.
    rescued: bool,
    /// Whether it has run since it last waited.
    begun: bool,
    /// The time at which it last began to wait.
    waits_since: Option<Instant>,
}

impl Default for Tenant {
    fn default() -> Tenant {
        Tenant { base: DEFAULT, priority: DEFAULT, rescued: false, begun: false, waits_since: None }
    }
}

/// The priority of each child, boosts included, its turn and its quantum.
#[derive(Clone)]
pub(crate) struct State {
    spec: TimeSharing,
    tenants: Vec<Tenant>,
    /// Places, which are below 2^56: so many are never drawn.
    line: Line,
    quanta: Quanta,
    starving: Starvation,
}

impl State {
    /// Creates an instance with these settings.
    pub(crate) fn new(spec: TimeSharing) -> State {
        State {
            tenants: Vec::new(),
            line: Line::default(),
            quanta: Quanta::new(spec.quantum),
            starving: Starvation::new(spec.rescue.then_some(spec.rescue_after)),
            spec,
        }
    }

    /// How far below [`BEGUN`] a child is ranked.
    #[inline]
    fn below(&self, child: ChildVp) -> u64 {
        let tenant = &self.tenants[child.index()];
        let begun = tenant.begun && self.spec.mode == Mode::NonPreemptive;
        let priority = if begun { BEGUN } else { tenant.priority };
        u64::from(priority.abs_diff(BEGUN))
    }

    /// Puts a child that does not run at the end of the queue with a whole quantum.
    fn queue(&mut self, child: ChildVp) {
        self.line.queue(child, self.class(child));
        self.quanta.renew(child);
    }

    /// Children of one priority are one queue.
    fn class(&self, child: ChildVp) -> u8 {
        let priority = self.tenants[child.index()].priority;
        u8::try_from(priority).expect("priorities are 1 to 31")
    }

    /// Lowers a child's priority at the end of its quantum.
    fn sink(&mut self, child: ChildVp) {
        let tenant = &mut self.tenants[child.index()];
        if tenant.rescued {
            (tenant.rescued, tenant.priority) = (false, tenant.base);
        } else if tenant.priority > tenant.base {
            tenant.priority -= 1;
        }
        self.line.turn(child, self.class(child));
        self.quanta.renew(child);
    }

    /// Begins to watch a child that has become ready for starvation.
    fn watch(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let tenant = &self.tenants[child.index()];
        if tenant.rescued || tenant.base > CEILING || self.spec.mode == Mode::NonPreemptive {
            return;
        }
        self.starving.watch(child, context);
    }

    /// Handles the ends of quanta.
    fn turn(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        while let Some((own, child)) =
            self.quanta.first_over(pool.own_vps(), context, |child| self.line.place(child))
        {
            self.sink(child);
            // The new quantum begins here, or later if another child runs first.
            self.quanta.started(child, own, context);
            pool.pass(child, self, context);
        }
    }

    /// Rescues the child that has starved longest, if any; one in each call.
    fn rescue(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let Some(child) = self.starving.starved(context) else {
            return;
        };
        let tenant = &mut self.tenants[child.index()];
        (tenant.rescued, tenant.priority) = (true, CEILING);
        self.queue(child);
        let twice = self.quanta.length;
        self.quanta.give(child, twice.saturating_add(twice));
        context.note(Some(child), Note::Rescued);
        pool.rerank(child, self, context);
    }
}

impl Policy for State {
    /// The distance below [`BEGUN`] in the upper 8 bits, the place in the queue below them.
    type Key = u64;
    const LETS_YIELD: bool = true;
    const BINDS: bool = true;
    const TAKES: &'static str = "priority, processors, quantum (to the instance)";

    #[inline]
    fn key(&self, child: ChildVp) -> u64 {
        self.below(child) << 56 | self.line.place(child)
    }

    fn has_affinity(&self) -> bool {
        self.spec.affinity != Affinity::None
    }

    /// The head start counts among children of equal priority.
    fn key_at_home(&self, child: ChildVp) -> u64 {
        self.below(child) << 56 | self.line.place_at_home(child)
    }

    #[inline]
    fn preempts(ready: &u64, running: &u64) -> bool {
        ready >> 56 < running >> 56
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.starving.forget(child);
        self.tenants[child.index()].begun = true;
        if self.spec.mode == Mode::RoundRobin {
            self.quanta.started(child, own, context);
        }
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        if self.spec.mode == Mode::RoundRobin {
            if self.quanta.is_over(child, context.now()) {
                self.sink(child);
            } else {
                self.quanta.stopped(child, context);
            }
        }
        if context.child(child) == VpState::Ready {
            self.watch(child, context);
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.quanta.idle(own, context);
    }

    fn timers(&self, owns: usize) -> usize {
        owns + 1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        let last = quantum::timers(context.owns());
        self.starving.timer = TimerId(u16::try_from(last).expect("timers are numbered by 16 bits"));
        self.line.start_ahead(self.spec.affinity.places(context.owns()), CLASSES);
    }

    fn register(&mut self, child: ChildVp) {
        self.line.register(child);
        self.quanta.register(child);
        self.starving.register(child);
        slots::put(&mut self.tenants, child, Tenant::default());
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let tenant = &mut self.tenants[child.index()];
        let woke = tenant.waits_since.is_some_and(|since| since < context.now());
        tenant.begun = false;
        if woke && self.spec.mode == Mode::RoundRobin {
            let boosted = tenant.base + i32::from(self.spec.boost);
            (tenant.rescued, tenant.priority) = (false, boosted.min(CEILING).max(tenant.base));
            if tenant.priority > tenant.base {
                context.note(Some(child), Note::Boosted);
            }
        }
        self.queue(child);
        self.watch(child, context);
        pool.request(child, self, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        self.starving.forget(child);
        self.tenants[child.index()].waits_since = Some(context.now());
        pool.release(child, held, self, context);
        self.line.leave(child);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Priority(priority)) => {
                if !(LOWEST..=HIGHEST).contains(&priority) {
                    return Err(AnswerError::OutOfRange { what: "priority", allowed: "1 to 31" });
                }
                let tenant = &mut self.tenants[child.index()];
                (tenant.base, tenant.priority) = (priority, priority);
                tenant.rescued = false;
                self.starving.forget(child);
                if context.child(child) == VpState::Ready {
                    self.watch(child, context);
                }
                pool.rerank(child, self, context);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                self.quanta.length = quantum::checked(length)?;
                Ok(())
            }
            _ => Self::not_understood(message),
        }
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        if timer == self.starving.timer {
            self.rescue(pool, context);
        } else {
            self.turn(pool, context);
        }
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        self.starving.check(view)
    }
}
