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

use crate::best_effort::BestEffort;
use crate::catalogue::{Form, Kind, Setting};
use crate::pool::{Policy, Pool, SETTLED};
use crate::quantum;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View};
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

    fn key(&self, child: Child) -> u64 {
        self.slots[child.index()].turn
    }

    fn preempts(_: &u64, _: &u64) -> bool {
        false
    }

    fn eligible(&self, child: Child) -> bool {
        !self.slots[child.index()].left.is_zero()
    }

    fn started(&mut self, child: Child, own: Own, port: &mut Port<'_>) {
        let slot = &mut self.slots[child.index()];
        slot.since = Some(port.now());
        let end = port.now().saturating_add(slot.left);
        port.set_timer(quantum::timer_of(own), Some(end));
    }

    fn stopped(&mut self, child: Child, _: Own, port: &mut Port<'_>) {
        let slot = &mut self.slots[child.index()];
        if let Some(since) = slot.since.take() {
            slot.left = slot.left.saturating_sub(port.now().saturating_since(since));
        }
    }

    fn idle(&mut self, own: Own, port: &mut Port<'_>) {
        port.set_timer(quantum::timer_of(own), None);
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

    fn init(&mut self, port: &mut Port<'_>) {
        self.pool.init(port);
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.pool.register(child);
        let slots = &mut self.credits.slots;
        slots.resize(slots.len().max(child.index() + 1), Credit::default());
        slots[child.index()] = Credit::default();
        Ok(())
    }

    fn unregister(&mut self, _: Child, _: &mut Port<'_>) {}

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.turns += 1;
        let slot = &mut self.credits.slots[child.index()];
        slot.turn = self.turns;
        if let Some(since) = slot.since.take() {
            let waited = port.now().saturating_since(since);
            slot.left = slot.left.saturating_add(waited).min(self.most);
        }
        self.pool.request(child, &mut self.credits, port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.pool.release(child, held, &mut self.credits, port);
        self.credits.slots[child.index()].since = Some(port.now());
    }

    fn message(
        &mut self,
        _: Option<Child>,
        message: Message,
        _: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        Err(Refusal::NotUnderstood { message: message.name(), takes: "nothing" })
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.pool.grant(own, &mut self.credits, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        self.pool.revoke(own, child, &mut self.credits, port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.credits, port);
        }
        let own = quantum::own_of(timer);
        let Some(child) = port.held_by(own) else {
            return;
        };
        self.credits.stopped(child, own, port);
        if self.credits.eligible(child) {
            self.credits.started(child, own, port);
        } else {
            self.pool.rotate(child, &mut self.credits, port);
        }
    }

    fn next(&self, _: Own, _: &View<'_>) -> Option<Child> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.credits, view)
    }
}
