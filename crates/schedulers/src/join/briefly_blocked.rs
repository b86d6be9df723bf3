//! Briefly blocked: who has waited may run as long again in what others leave.
//!
//! Takes    any guarantee.
//! Gives    NULL to each child.
//! Admits   everyone.
//! Assumes  children ask here as soon as they wake and release when they block, whoever serves them, as
//!          those below a `join` on one processor do.
//! Costs    O(log n) per event; 62 bytes per child; one timer per processor.
//! Ties     first come, first served; the running child stays until its credit is used up.
//! Source   HLS 6.2.4, figure 6.5 (BB); Jones, Rosu and Rosu 1997; ours differs: credit is the time
//!          spent waiting, up to `most`, whether its reservation had a block meanwhile or not.
//! Checked  laws, `tests/rialto.rs`.

use crate::catalogue::{Form, Kind, Setting};
use crate::parts::best_effort::BestEffort;
use crate::parts::pool::{Policy, Pool, SETTLED};
use crate::parts::quantum;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    ChildVp, Context, HierarchyError, Message, OwnVp, Scheduler, TimerId, View,
};
use windfall_time::{Instant, Span};

/// The most credit where none is set.
const MOST: Span = Span::from_millis(10);

pub(crate) const KIND: Kind = Kind {
    name: "briefly-blocked",
    summary: "who has waited may run as long again in what others leave",
    source: include_str!("briefly_blocked.rs"),
    settings: &[Setting {
        name: "most",
        form: Form::Span,
        default: "10ms",
        help: "the most credit that a child can build up by waiting",
    }],
    build: |settings| Ok(Box::new(BrieflyBlocked::new(settings.span("most", MOST)?))),
    conversion: |_| Ok(Box::new(BestEffort)),
};

#[derive(Clone, Copy, Default)]
struct Credit {
    left: Span,
    /// Since when it waits, or runs here; nothing before it has waited once.
    since: Option<Instant>,
    /// Number of the request by which it became ready.
    turn: u64,
}

#[derive(Default)]
struct Credits {
    slots: Vec<Credit>,
}

impl Policy for Credits {
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
}

/// The scheduler.
pub struct BrieflyBlocked {
    pool: Pool<Credits>,
    credits: Credits,
    turns: u64,
    most: Span,
}

impl BrieflyBlocked {
    /// With the most credit that a child can have.
    #[must_use]
    pub fn new(most: Span) -> BrieflyBlocked {
        let (pool, credits) = (Pool::default(), Credits::default());
        BrieflyBlocked { pool, credits, turns: 0, most }
    }
}

impl Scheduler for BrieflyBlocked {
    fn timers(&self, owns: usize) -> usize {
        quantum::timers(owns)
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init(context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Result<(), HierarchyError> {
        self.pool.register(child);
        let slots = &mut self.credits.slots;
        slots.resize(slots.len().max(child.index() + 1), Credit::default());
        slots[child.index()] = Credit::default();
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.turns += 1;
        let slot = &mut self.credits.slots[child.index()];
        slot.turn = self.turns;
        if let Some(since) = slot.since.take() {
            let waited = context.now().saturating_since(since);
            slot.left = slot.left.saturating_add(waited).min(self.most);
        }
        self.pool.request(child, &mut self.credits, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.pool.release(child, held, &mut self.credits, context);
        self.credits.slots[child.index()].since = Some(context.now());
    }

    fn message(
        &mut self,
        _: Option<ChildVp>,
        message: Message,
        _: &mut Context<'_>,
    ) -> Result<(), HierarchyError> {
        Err(HierarchyError::NotUnderstood { message: message.name(), takes: "nothing" })
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.credits, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.credits, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.credits, context);
        }
        let own = quantum::own_of(timer);
        let Some(child) = context.held_by(own) else {
            return;
        };
        self.credits.stopped(child, own, context);
        if self.credits.eligible(child) {
            self.credits.started(child, own, context);
        } else {
            self.pool.rotate(child, &mut self.credits, context);
        }
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.credits, view)
    }
}
