//! Rate monotonic: fixed priorities derived from periods, or from relative deadlines.
//!
//! Takes    any guarantee; ALL on each of its processors for the usual results.
//! Gives    NULL to each child (deadlines are met while the set is schedulable; no isolation).
//! Admits   everyone.
//! Assumes  children set their period (`periodic`); one without a period runs in the time that is left.
//! Costs    O(log n) per event; 62 bytes per child; no timer of its own.
//! Ties     the running job stays; else first released, first served; then the lower slot.
//! Source   Liu and Layland 1973; Leung and Whitehead 1982 (`order = "deadline"`).
//! Checked  laws, `tests/all/rate_monotonic.rs`, reference schedules rm_*, dm_*.
//!
//! A job is released when its child wakes, or at the time in a `job` message.

use crate::catalogue::{Kind, Properties, RanksBy};
use crate::parameters::RATE;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Answer, ChildVp, Context, Message, TimerId, VpState};
use windfall_time::{Instant, Span};

settings! { RateMonotonic, "rate_monotonic.rs":
    /// whether the shorter period or the shorter relative deadline goes first
    order: Order = "rate",
}

pub(crate) const KIND: Kind = RateMonotonic::kind(
    "rate-monotonic",
    "fixed priorities by period, or by relative deadline",
    |settings| Ok(Box::new(Pooled::new(State::new(RateMonotonic::read(settings).order)))),
)
.with_parameters(&[&RATE])
.with_properties(Properties {
    ranks_by: |settings| match RateMonotonic::read(settings).order {
        Order::Rate => RanksBy::Period,
        Order::Deadline => RanksBy::RelativeDeadline,
    },
    lends_ranks: |_| true,
    ..Properties::NONE
});

words! {
    /// The value from which priorities derive.
    pub enum Order {
        /// The shorter period first.
        Rate = "rate",
        /// The shorter relative deadline first.
        Deadline = "deadline",
    }
}

#[derive(Clone, Copy)]
struct Task {
    /// Period or relative deadline.
    length: Span,
    release: Instant,
    /// Whether a `job` message has announced the job that the next wake-up begins.
    announced: bool,
}

const APERIODIC: Task = Task { length: Span::MAX, release: Instant::ZERO, announced: false };

/// The length by which each child ranks, as this order takes it from periods or deadlines.
#[derive(Clone)]
pub(crate) struct State {
    tasks: Vec<Task>,
    order: Order,
}

impl State {
    /// Creates an instance with priorities by this order.
    pub(crate) fn new(order: Order) -> State {
        State { tasks: Vec::new(), order }
    }
}

impl Policy for State {
    /// Length, release, slot.
    type Key = (Span, Instant, u32);
    const GROWS: bool = true;
    const TAKES: &'static str = "periodic, job";

    #[inline]
    fn key(&self, child: ChildVp) -> Self::Key {
        let task = &self.tasks[child.index()];
        (task.length, task.release, child.0)
    }

    #[inline]
    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
    }

    fn register(&mut self, child: ChildVp) {
        slots::put(&mut self.tasks, child, APERIODIC);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let task = &mut self.tasks[child.index()];
        if !core::mem::take(&mut task.announced) {
            task.release = context.now();
        }
        pool.request(child, self, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Periodic { period, deadline, .. }) => {
                self.tasks[child.index()].length = match self.order {
                    Order::Rate => period,
                    Order::Deadline => deadline,
                };
                pool.rerank(child, self, context);
                Ok(())
            }
            (Some(child), Message::Job { release, .. }) => {
                let task = &mut self.tasks[child.index()];
                task.release = release;
                task.announced = context.child(child) == VpState::Waiting;
                pool.rerank(child, self, context);
                Ok(())
            }
            _ => Self::not_understood(message),
        }
    }

    fn timer(&mut self, _: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.settled(self, context);
    }
}
