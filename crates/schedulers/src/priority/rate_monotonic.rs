//! Rate monotonic: fixed priorities derived from periods, or from relative deadlines.
//!
//! Takes    any guarantee; ALL on each of its processors for the usual results.
//! Gives    NULL to each child (deadlines are met while the set is schedulable; no isolation).
//! Admits   everyone.
//! Assumes  children tell their period (`periodic`); one that does not runs in what is left.
//! Costs    O(log n) per event; 62 bytes per child; no timer of its own.
//! Ties     the running job stays; else first released, first served; then the lower slot.
//! Source   Liu and Layland 1973; Leung and Whitehead 1982 (`order = "deadline"`).
//! Checked  laws, `tests/rate_monotonic.rs`, reference schedules rm_*, dm_*.
//!
//! A job is released when its child wakes, or when `job` says so.

use crate::catalogue::{Form, Kind, Setting};
use crate::parts::best_effort::BestEffort;
use crate::parts::pool::{Policy, Pool};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    ChildVp, Context, HierarchyError, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "periodic, job";

pub(crate) const KIND: Kind = Kind {
    name: "rate-monotonic",
    summary: "fixed priorities by period, or by relative deadline",
    source: include_str!("rate_monotonic.rs"),
    settings: &[Setting {
        name: "order",
        form: Form::Word(&["rate", "deadline"]),
        default: "rate",
        help: "whether the shorter period or the shorter relative deadline goes first",
    }],
    build: |settings| {
        let words = [("rate", Order::Rate), ("deadline", Order::Deadline)];
        let order = settings.word("order", &words, "rate, deadline")?;
        Ok(Box::new(RateMonotonic::new(order)))
    },
    conversion: |_| Ok(Box::new(BestEffort)),
};

/// What priorities derive from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The shorter period first.
    #[default]
    Rate,
    /// The shorter relative deadline first.
    Deadline,
}

#[derive(Clone, Copy)]
struct Task {
    /// Period or relative deadline.
    length: Span,
    release: Instant,
    /// Whether a `job` message came for the job that the next wake-up begins.
    told: bool,
}

const APERIODIC: Task = Task { length: Span::MAX, release: Instant::ZERO, told: false };

#[derive(Default)]
struct Tasks {
    tasks: Vec<Task>,
}

impl Policy for Tasks {
    /// Length, release, slot.
    type Key = (Span, Instant, u32);

    #[inline]
    fn key(&self, child: ChildVp) -> Self::Key {
        let task = &self.tasks[child.index()];
        (task.length, task.release, child.0)
    }

    #[inline]
    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
    }
}

/// The scheduler.
#[derive(Default)]
pub struct RateMonotonic {
    pool: Pool<Tasks>,
    tasks: Tasks,
    order: Order,
}

impl RateMonotonic {
    /// With what priorities derive from.
    #[must_use]
    pub fn new(order: Order) -> RateMonotonic {
        RateMonotonic { order, ..RateMonotonic::default() }
    }
}

impl Scheduler for RateMonotonic {
    fn timers(&self, _: usize) -> usize {
        1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init(context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Result<(), HierarchyError> {
        self.pool.register(child);
        let tasks = &mut self.tasks.tasks;
        tasks.resize(tasks.len().max(child.index() + 1), APERIODIC);
        tasks[child.index()] = APERIODIC;
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let task = &mut self.tasks.tasks[child.index()];
        if !core::mem::take(&mut task.told) {
            task.release = context.now();
        }
        self.pool.request(child, &mut self.tasks, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.pool.release(child, held, &mut self.tasks, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Result<(), HierarchyError> {
        match (child, message) {
            (Some(child), Message::Periodic { period, deadline, .. }) => {
                self.tasks.tasks[child.index()].length = match self.order {
                    Order::Rate => period,
                    Order::Deadline => deadline,
                };
                self.pool.rerank(child, &mut self.tasks, context);
                Ok(())
            }
            (Some(child), Message::Job { release, .. }) => {
                let task = &mut self.tasks.tasks[child.index()];
                task.release = release;
                task.told = context.child(child) == VpState::Waiting;
                self.pool.rerank(child, &mut self.tasks, context);
                Ok(())
            }
            _ => Err(HierarchyError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.tasks, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.tasks, context);
    }

    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        self.pool.settled(&mut self.tasks, context);
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.tasks, view)
    }
}
