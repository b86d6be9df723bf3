//! Briefly blocked: a child that has waited may run as long again, in time that nobody else uses.
//!
//! Takes    any guarantee.
//! Gives    NULL to each child.
//! Admits   everyone.
//! Assumes  children request here as soon as they wake and release when they block, whoever serves them, as
//!          those below a `join` on one processor do.
//! Costs    O(log n) per event; 62 bytes per child; one timer per processor.
//! Ties     first come, first served; the running child stays until its credit is used up.
//! Source   HLS 6.2.4, figure 6.5 (BB); Jones, Rosu and Rosu 1997. Difference: credit is the time spent
//!          waiting, up to `most`, whether or not its reservation had a block in that time.
//! Checked  laws, `tests/all/rialto.rs`.

use crate::catalogue::{Kind, Properties};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::quantum;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{ChildVp, Context, OwnVp, TimerId};
use windfall_time::{Instant, Span};

settings! { BrieflyBlocked, "briefly_blocked.rs":
    /// the most credit that a child can build up by waiting
    most: Span = "10ms",
}

pub(crate) const KIND: Kind = BrieflyBlocked::kind(
    "briefly-blocked",
    "a child that waited may run as long again, in time that nobody else uses",
    |settings| Ok(Box::new(Pooled::new(State::new(BrieflyBlocked::read(settings).most)))),
)
.with_properties(Properties::NONE.holds_back());

#[derive(Clone, Copy, Default)]
struct Credit {
    left: Span,
    /// The time since which it waits, or runs here; `None` before its first wait.
    since: Option<Instant>,
    /// Number of the request by which it became ready.
    turn: u64,
}

/// The credit of each child, which it earns while it waits, and their turns.
#[derive(Clone, Default)]
pub(crate) struct State {
    slots: Vec<Credit>,
    turns: u64,
    most: Span,
}

impl State {
    /// `most` is the most credit that a child can have.
    pub(crate) fn new(most: Span) -> State {
        State { slots: Vec::new(), turns: 0, most }
    }
}

impl Policy for State {
    type Key = u64;
    const PREEMPTS: bool = false;

    fn key(&self, child: ChildVp) -> u64 {
        self.slots[child.index()].turn
    }

    fn eligible(&self, child: ChildVp) -> bool {
        !self.slots[child.index()].left.is_zero()
    }

    fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        let slot = &mut self.slots[child.index()];
        slot.since = Some(context.now());
        let end = context.now().saturating_add(slot.left);
        context.set_timer(quantum::timer_of(own), Some(end));
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        let slot = &mut self.slots[child.index()];
        if let Some(since) = slot.since.take() {
            slot.left = slot.left.saturating_sub(context.now().saturating_since(since));
        }
    }

    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.set_timer(quantum::timer_of(own), None);
    }

    fn timers(&self, owns: usize) -> usize {
        owns
    }

    fn register(&mut self, child: ChildVp) {
        slots::put(&mut self.slots, child, Credit::default());
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.turns += 1;
        let slot = &mut self.slots[child.index()];
        slot.turn = self.turns;
        if let Some(since) = slot.since.take() {
            let waited = context.now().saturating_since(since);
            slot.left = slot.left.saturating_add(waited).min(self.most);
        }
        pool.request(child, self, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.release(child, held, self, context);
        self.slots[child.index()].since = Some(context.now());
    }

    fn timer(&mut self, timer: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let own = quantum::own_of(timer);
        let Some(child) = context.held_by(own) else {
            return;
        };
        self.stopped(child, own, context);
        if self.eligible(child) {
            self.started(child, own, context);
        } else {
            pool.rotate(child, self, context);
        }
    }
}
