//! Proportional share: start-time fair queuing with warp, on one processor or several.
//!
//! Takes    PS or PSBE s d from its parent, on one processor, and with `report-deadlines = true` RESU r: it
//!          reports the ends of quanta (`quantum_ends.rs`). Any guarantee if only fairness is wanted.
//! Gives    without warps on one processor, PSBE by equation 5.2 to each child, whose share is its weight
//!          over the sum of weights; with warps or on several processors, PS (`long_run.rs`). On several
//!          processors `affinity = "strong"` lets a child run three quanta ahead instead of one. Nothing while a
//!          child is bound to some own VPs (decision 0021).
//! Admits   everyone, at priorities 1 to 115 (default 8).
//! Assumes  A1 quanta end on time; A2 on several processors, parents do not charge an own VP while it waits.
//! Costs    O(log n) per event, and per wake-up one step more for each processor; 114 bytes per child, 32
//!          of them in the heap; one timer per processor. With affinity on several processors, 48 bytes per
//!          child more, and one step for each processor at each preemption.
//! Ties     the running child stays; else the lower slot.
//! Source   HLS 5.3.1.4, 9.3.3, appendix C; Goyal, Vin and Cheng 1996; Duda and Cheriton 1999. Differences:
//!          virtual time is exact, and continues from its last value after an idle time.
//! Checked  laws, `tests/all/proportional_share.rs`.
//!
//! A child's weight is its share, times its priority over 8 (`priority.rs`): without shares, proportions are priorities.
//! A child's virtual time advances by the time that it runs, divided by its weight. The child of smallest effective
//! virtual time (virtual time minus warp) runs, for a quantum or until a child with a smaller one wakes. A child
//! that wakes catches up with the smallest virtual time among the children that do not wait; if all wait, with the
//! largest that any child has reached. Children of weight 0 are in the background: they run, by virtual time, only
//! while no child with a share is ready. With `dedicate`, on several processors, a child whose weight amounts to a
//! whole processor goes before all others.

mod classes;
mod fair_queuing;
mod priority;
mod system_time;

use crate::catalogue::{Kind, Properties};
use crate::parameters::{PRIORITY, PROCESSORS, SHARE, WARP, read_warp};
use crate::parts::affinity::Affinity;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::parts::quantum_ends::{QuantumEnds, Slowed};
use crate::parts::slots;
use crate::parts::virtual_time::Virtual;
use crate::settings::shared::{AFFINITY, REPORT_DEADLINES};
use crate::share::proportional_share::classes::{Class, Sharer, Tag, UNKNOWN};
use crate::share::proportional_share::fair_queuing::FairQueuing;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::Type;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "share, priority, warp, processors, quantum (to the instance)";
const TAKES_UNWARPED: &str =
    "share, priority, processors, quantum (to the instance); warps are off";

settings! { ProportionalShare, "proportional_share.rs":
    affinity: Affinity as AFFINITY,
    /// whether children with a processor's worth of the weights, or more, go before all others
    dedicate: bool = "false",
    /// the longest time that a child runs before virtual times are compared
    quantum: Span = "10ms",
    report_deadlines: bool as REPORT_DEADLINES,
    /// whether children may borrow against their future share
    warps: bool = "true",
}

pub(crate) const KIND: Kind = ProportionalShare::kind(
    "proportional-share",
    "processor time in proportion to weights: start-time fair queuing with warp",
    |settings| {
        let ProportionalShare { affinity, dedicate, quantum, report_deadlines, warps } =
            ProportionalShare::read(settings);
        let shares = Pooled::new(State::new(quantum, affinity, warps, dedicate));
        match report_deadlines {
            true => Ok(Box::new(QuantumEnds::new(shares, quantum))),
            false => Ok(Box::new(shares)),
        }
    },
)
.with_parameters(&[&SHARE, &WARP, &PRIORITY, &PROCESSORS])
.with_properties(
    Properties::NONE.quantum(|settings| Some(ProportionalShare::read(settings).quantum)),
)
.with_conversion(|settings| {
    let ProportionalShare { affinity, dedicate, quantum, report_deadlines: reports, .. } =
        ProportionalShare::read(settings);
    let inner = FairQueuing { quantum, affinity, dedicate };
    let takes = &[Type::Ps, Type::Psbe, Type::Resu];
    Ok(Box::new(Slowed { inner, quantum, reports, takes }))
});

/// The child that runs on an own VP.
#[derive(Clone, Copy)]
struct Run {
    /// The child has been charged up to here.
    charged: Instant,
    /// The end of its quantum.
    ends: Instant,
}

/// The virtual time of each child and of each processor, and the ready children whose warp counts.
#[derive(Clone)]
pub(crate) struct State {
    sharers: Vec<Sharer>,
    quantum: Span,
    affinity: Affinity,
    /// By own VP; stored apart from the children, so that a switch touches little memory.
    runs: Vec<Run>,
    /// Number of children with a warp. If it is zero, effective and actual virtual times are the same.
    warped: usize,
    /// Ready children by actual virtual time; kept only while a child has a warp.
    actual: Heap<(Virtual, u32)>,
    /// The largest virtual time that any child has reached.
    latest: Virtual,
    warps: bool,
    dedicate: bool,
}

impl State {
    /// `quantum` is above zero. `warps`: the instance takes warps. `dedicate`: children whose weight amounts to a
    /// whole processor go before all others.
    pub(crate) fn new(quantum: Span, affinity: Affinity, warps: bool, dedicate: bool) -> State {
        State {
            sharers: Vec::new(),
            quantum,
            affinity,
            runs: Vec::new(),
            warped: 0,
            actual: Heap::new(),
            latest: Virtual::default(),
            warps,
            dedicate,
        }
    }

    fn charge(&mut self, child: ChildVp, own: OwnVp, now: Instant) {
        let since = core::mem::replace(&mut self.runs[own.index()].charged, now);
        let sharer = &mut self.sharers[child.index()];
        sharer.charge(now.saturating_since(since));
        if sharer.class == Class::Sharing {
            self.latest = self.latest.max(sharer.account.time);
        }
    }

    /// Begins a quantum on `own`.
    fn begin(&mut self, own: OwnVp, context: &mut Context<'_>) {
        let ends = context.now().saturating_add(self.quantum);
        self.runs[own.index()] = Run { charged: context.now(), ends };
        context.set_timer(quantum::timer_of(own), Some(ends));
    }

    fn enter(&mut self, child: ChildVp) {
        let sharer = &self.sharers[child.index()];
        if self.warped > 0 && sharer.class == Class::Sharing {
            self.actual.set(child.0, (sharer.account.time, child.0));
        }
    }

    fn leave(&mut self, child: ChildVp) {
        if self.warped > 0 {
            self.actual.remove(child.0);
        }
    }

    /// Changes a child's warp. The first warp begins, and the last one ends, the order by actual virtual time.
    fn set_warp(&mut self, child: ChildVp, warp: Span, context: &Context<'_>) {
        let before = core::mem::replace(&mut self.sharers[child.index()].warp, warp);
        self.warped -= usize::from(!before.is_zero());
        let first = self.warped == 0;
        self.warped += usize::from(!warp.is_zero());
        if first && self.warped > 0 && before.is_zero() {
            while self.actual.pop().is_some() {}
            for child in (0..context.child_slots()).map(ChildVp) {
                if context.child(child) == VpState::Ready {
                    self.enter(child);
                }
            }
        }
    }

    /// Charges all running children.
    fn charge_running(&mut self, pool: &mut Pool<Self>, context: &Context<'_>) {
        for own in pool.own_vps() {
            if let Some(child) = context.held_by(own) {
                self.charge(child, own, context.now());
                pool.refresh(child, self, context);
            }
        }
    }
}

impl Policy for State {
    type Key = Tag;
    const GROWS: bool = true;
    const BINDS: bool = true;

    #[inline]
    fn key(&self, child: ChildVp) -> Tag {
        self.sharers[child.index()].tag(child)
    }

    fn has_affinity(&self) -> bool {
        self.affinity != Affinity::None
    }

    fn key_at_home(&self, child: ChildVp) -> Tag {
        let ahead = self.affinity.head_start(self.quantum);
        self.sharers[child.index()].tag_at_home(child, ahead)
    }

    #[inline]
    fn preempts(ready: &Tag, running: &Tag) -> bool {
        ready >> 32 < running >> 32
    }

    #[inline]
    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.leave(child);
        self.begin(own, context);
    }

    #[inline]
    fn stopped(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.charge(child, own, context.now());
        if context.child(child) == VpState::Ready {
            self.enter(child);
        }
    }

    #[inline]
    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.set_timer(quantum::timer_of(own), None);
    }

    fn rebound(&mut self, child: ChildVp, pool: &Pool<Self>, context: &mut Context<'_>) {
        self.start_anew(child, pool, context);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn init(&mut self, context: &mut Context<'_>) {
        let run = Run { charged: Instant::ZERO, ends: Instant::ZERO };
        self.runs.resize(context.owns(), run);
    }

    fn register(&mut self, child: ChildVp) {
        self.actual.reserve(child.index() + 1);
        slots::put(&mut self.sharers, child, UNKNOWN);
    }

    fn registered(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.set_apart(pool, context);
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.set_warp(child, Span::ZERO, context);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let time = self.system_time(child, pool, context);
        let sharer = &mut self.sharers[child.index()];
        if sharer.class == Class::Sharing {
            sharer.account.catch_up(time);
        }
        self.charge_running(pool, context);
        self.enter(child);
        pool.request(child, self, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        if held.is_none() {
            self.leave(child);
        }
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
            (Some(child), Message::Share(share)) => {
                let proportion = self.sharers[child.index()].proportion.with_share(share)?;
                self.set_proportion(child, proportion, pool, context);
                Ok(())
            }
            (Some(child), Message::Priority(priority)) => {
                let proportion = self.sharers[child.index()].proportion.with_priority(priority)?;
                self.set_proportion(child, proportion, pool, context);
                Ok(())
            }
            (Some(child), _)
                if self.warps
                    && let Some(warp) = read_warp(message) =>
            {
                if context.child(child) != VpState::Waiting {
                    self.charge_running(pool, context);
                }
                self.set_warp(child, warp, context);
                pool.rerank(child, self, context);
                Ok(())
            }
            (None, Message::Quantum(length)) => {
                self.quantum = quantum::checked(length)?;
                // Head starts are counted in quanta.
                (0..context.child_slots()).for_each(|n| pool.refresh(ChildVp(n), self, context));
                pool.preempt(self, context);
                Ok(())
            }
            _ => Err(AnswerError::NotUnderstood {
                message: message.name(),
                takes: if self.warps { TAKES } else { TAKES_UNWARPED },
            }),
        }
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let own = quantum::own_of(timer);
        let Some(child) = context.held_by(own) else {
            return;
        };
        if context.now() < self.runs[own.index()].ends {
            return;
        }
        self.charge(child, own, context.now());
        if pool.pass(child, self, context) {
            pool.preempt(self, context);
        } else {
            self.begin(own, context);
        }
    }

    fn check(&self, _: &Pool<Self>, view: &View<'_>) -> Result<(), &'static str> {
        let sharers = &self.sharers;
        let warped = view.children().filter(|child| !sharers[child.index()].warp.is_zero());
        if warped.count() != self.warped {
            return Err("the number of warped children is wrong");
        }
        if self.warped == 0 {
            return Ok(());
        }
        let mut ready = 0;
        for child in view.children() {
            let is_ready = view.child(child) == VpState::Ready;
            let counted = is_ready && sharers[child.index()].class == Class::Sharing;
            let expected = counted.then(|| (sharers[child.index()].account.time, child.0));
            if self.actual.key(child.0) != expected {
                return Err("a ready child's virtual time is not known, or is wrong");
            }
            ready += usize::from(counted);
        }
        if ready != self.actual.len() {
            return Err("the virtual time of a child that is gone is kept");
        }
        Ok(())
    }
}
