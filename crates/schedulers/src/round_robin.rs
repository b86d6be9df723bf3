//! Round robin: each ready child in turn, one quantum long, on one processor or several.
//!
//! Takes    any guarantee.
//! Gives    NULL to each child.
//! Admits   everyone.
//! Assumes  nothing of its children.
//! Costs    O(log n) per event; 46 bytes per child; one timer per processor.
//! Ties     none: children stand in line. A child that is preempted from above keeps its place at
//!          the head and the rest of its quantum; one that wakes goes to the end with a whole one.
//! Source   HLS 2.3.1; the quantum of appendix C.
//! Checked  laws, `tests/round_robin.rs`, reference schedules rr_*.

use crate::best_effort::BestEffort;
use crate::catalogue::{Form, Kind, Setting};
use crate::pool::{Policy, Pool, SETTLED};
use crate::quantum::{self, Quanta};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View};
use windfall_time::Span;

const TAKES: &str = "quantum (to the instance)";
/// The quantum where none is set.
const QUANTUM: Span = Span::from_millis(10);

pub(crate) const KIND: Kind = Kind {
    name: "round-robin",
    summary: "each ready child in turn, a quantum long",
    source: include_str!("round_robin.rs"),
    settings: &[Setting {
        name: "quantum",
        form: Form::Span,
        default: "10ms",
        help: "the longest time that a child runs while others wait",
    }],
    build: |settings| Ok(Box::new(RoundRobin::new(settings.span("quantum", QUANTUM)?))),
    conversion: |_| Ok(Box::new(BestEffort)),
};

struct Line {
    /// Place in line by child: a number drawn when it went to the end.
    turns: Vec<u64>,
    drawn: u64,
    quanta: Quanta,
}

impl Line {
    /// A child that does not run goes to the end of the line.
    fn queue(&mut self, child: Child) {
        self.drawn += 1;
        self.turns[child.index()] = self.drawn;
    }
}

impl Policy for Line {
    type Key = u64;

    fn key(&self, child: Child) -> u64 {
        self.turns[child.index()]
    }

    fn preempts(_: &u64, _: &u64) -> bool {
        false
    }

    fn started(&mut self, child: Child, own: Own, port: &mut Port<'_>) {
        self.quanta.started(child, own, port);
    }

    fn stopped(&mut self, child: Child, _: Own, port: &mut Port<'_>) {
        if self.quanta.is_over(child, port.now()) {
            self.queue(child);
            self.quanta.renew(child);
        } else {
            self.quanta.stopped(child, port);
        }
    }

    fn idle(&mut self, own: Own, port: &mut Port<'_>) {
        self.quanta.idle(own, port);
    }
}

/// The scheduler.
pub struct RoundRobin {
    pool: Pool<Line>,
    line: Line,
}

impl RoundRobin {
    /// With the quantum, above zero.
    #[must_use]
    pub fn new(quantum: Span) -> RoundRobin {
        let line = Line { turns: Vec::new(), drawn: 0, quanta: Quanta::new(quantum) };
        RoundRobin { pool: Pool::default(), line }
    }
}

impl Scheduler for RoundRobin {
    fn timers(&self, owns: usize) -> usize {
        quantum::timers(owns)
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.pool.init(port);
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.pool.register(child);
        self.line.quanta.register(child);
        let room = self.line.turns.len().max(child.index() + 1);
        self.line.turns.resize(room, 0);
        Ok(())
    }

    fn unregister(&mut self, _: Child, _: &mut Port<'_>) {}

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        self.line.queue(child);
        self.line.quanta.renew(child);
        self.pool.request(child, &mut self.line, port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.pool.release(child, held, &mut self.line, port);
    }

    fn message(
        &mut self,
        child: Option<Child>,
        message: Message,
        _: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        let (None, Message::Quantum(length)) = (child, message) else {
            return Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES });
        };
        self.line.quanta.length = quantum::checked(length)?;
        Ok(())
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.pool.grant(own, &mut self.line, port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        self.pool.revoke(own, child, &mut self.line, port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        if timer == SETTLED {
            return self.pool.settled(&mut self.line, port);
        }
        let own = quantum::own_of(timer);
        let Some(child) = port.held_by(own) else {
            return;
        };
        if !self.line.quanta.is_over(child, port.now()) {
            return;
        }
        if self.pool.best().is_some() {
            self.pool.rotate(child, &mut self.line, port);
        } else {
            self.line.queue(child);
            self.line.quanta.renew(child);
            self.line.quanta.started(child, own, port);
            self.pool.refresh(child, &self.line, port);
        }
    }

    fn next(&self, _: Own, _: &View<'_>) -> Option<Child> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.line, view)
    }
}
