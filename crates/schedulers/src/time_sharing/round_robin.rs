//! Round robin: each ready child in turn, one quantum long, on one processor or several.
//!
//! Takes    any guarantee.
//! Gives    NULL to each child.
//! Admits   everyone.
//! Assumes  nothing of its children.
//! Costs    O(log n) per event; 46 bytes per child; one timer per processor, set only while others
//!          wait, unless `ends-alone` is set.
//! Ties     none: children stand in line. A child that is preempted from above keeps its place at
//!          the head and the rest of its quantum; one that wakes goes to the end with a whole one.
//! Source   HLS 2.3.1; the quantum of appendix C.
//! Checked  laws, `tests/round_robin.rs`, reference schedules rr_*.

use crate::catalogue::{Form, Kind, Setting};
use crate::parts::best_effort::BestEffort;
use crate::parts::pool::{Policy, Pool, SETTLED};
use crate::parts::quantum::{self, Quanta};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use windfall_hierarchy::{
    ChildVp, Context, HierarchyError, Message, OwnVp, Scheduler, TimerId, View,
};
use windfall_time::Span;

const TAKES: &str = "quantum (to the instance)";
/// The quantum where none is set.
const QUANTUM: Span = Span::from_millis(10);

pub(crate) const KIND: Kind = Kind {
    name: "round-robin",
    summary: "each ready child in turn, a quantum long",
    source: include_str!("round_robin.rs"),
    settings: &[
        Setting {
            name: "ends-alone",
            form: Form::Bool,
            default: "false",
            help: "whether a quantum ends, and costs a timer, while nobody else waits, too, as in Multics",
        },
        Setting {
            name: "quantum",
            form: Form::Span,
            default: "10ms",
            help: "the longest time that a child runs while others wait",
        },
    ],
    build: |settings| {
        let mut scheduler = RoundRobin::new(settings.span("quantum", QUANTUM)?);
        scheduler.ends_alone = settings.bool("ends-alone", false)?;
        Ok(Box::new(scheduler))
    },
    conversion: |_| Ok(Box::new(BestEffort)),
};

struct Line {
    /// Place in line by child: a number drawn when it went to the end.
    turns: Vec<u64>,
    drawn: u64,
    quanta: Quanta,
    /// By own VP: whether its timer is set to the end of the quantum of the child that runs there.
    set: Vec<bool>,
    /// On how many own VPs a child runs without.
    untimed: usize,
}

impl Line {
    /// A child that does not run goes to the end of the line.
    fn queue(&mut self, child: ChildVp) {
        self.drawn += 1;
        self.turns[child.index()] = self.drawn;
    }
}

impl Policy for Line {
    type Key = u64;
    const PREEMPTS: bool = false;

    fn key(&self, child: ChildVp) -> u64 {
        self.turns[child.index()]
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
            self.queue(child);
        }
    }

    #[inline]
    fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        if core::mem::take(&mut self.set[own.index()]) {
            self.quanta.idle(own, context);
        }
    }
}

/// The scheduler.
pub struct RoundRobin {
    pool: Pool<Line>,
    line: Line,
    ends_alone: bool,
}

impl RoundRobin {
    /// With the quantum, above zero, that ends while others wait.
    #[must_use]
    pub fn new(quantum: Span) -> RoundRobin {
        let quanta = Quanta::new(quantum);
        let line = Line { turns: Vec::new(), drawn: 0, quanta, set: Vec::new(), untimed: 0 };
        RoundRobin { pool: Pool::default(), line, ends_alone: false }
    }

    /// While others wait, or wherever a quantum ends alone, the timer of each processor is set.
    #[inline]
    fn set_timers(&mut self, context: &mut Context<'_>) {
        if self.line.untimed > 0 && (self.ends_alone || self.pool.best().is_some()) {
            self.set_all_timers(context);
        }
    }

    fn set_all_timers(&mut self, context: &mut Context<'_>) {
        self.line.untimed = 0;
        for own in self.pool.own_vps() {
            let set = &mut self.line.set[own.index()];
            if let Some(child) = context.held_by(own).filter(|_| !*set) {
                *set = true;
                let end = self.line.quanta.catch_up(child, context.now());
                context.set_timer(quantum::timer_of(own), Some(end));
            }
        }
    }
}

impl Scheduler for RoundRobin {
    fn timers(&self, owns: usize) -> usize {
        quantum::timers(owns)
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init(context);
        self.line.set = vec![false; context.owns()];
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Result<(), HierarchyError> {
        self.pool.register(child);
        self.line.quanta.register(child);
        let room = self.line.turns.len().max(child.index() + 1);
        self.line.turns.resize(room, 0);
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.line.queue(child);
        self.line.quanta.renew(child);
        self.pool.request(child, &mut self.line, context);
        self.set_timers(context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.pool.release(child, held, &mut self.line, context);
        self.set_timers(context);
    }

    fn lets_yield(&self) -> bool {
        true
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        _: &mut Context<'_>,
    ) -> Result<(), HierarchyError> {
        let (None, Message::Quantum(length)) = (child, message) else {
            return Err(HierarchyError::NotUnderstood { message: message.name(), takes: TAKES });
        };
        self.line.quanta.length = quantum::checked(length)?;
        Ok(())
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.line, context);
        self.set_timers(context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.line, context);
        self.set_timers(context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            self.pool.settled(&mut self.line, context);
            return self.set_timers(context);
        }
        let own = quantum::own_of(timer);
        match context.held_by(own) {
            Some(child)
                if self.pool.best().is_some() && self.line.quanta.is_over(child, context.now()) =>
            {
                self.pool.rotate(child, &mut self.line, context);
            }
            Some(_) => {
                let was_set = core::mem::take(&mut self.line.set[own.index()]);
                self.line.untimed += usize::from(was_set);
            }
            None => self.line.set[own.index()] = false,
        }
        self.set_timers(context);
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.line, view)
    }
}
