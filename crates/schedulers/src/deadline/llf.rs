//! LLF: the child with the least laxity runs, on one processor or on several from one queue.
//!
//! Takes    any guarantee; ALL on each of its processors for the usual results.
//! Gives    NULL to each child (on one processor, deadlines are met while the set is schedulable).
//! Admits   everyone.
//! Assumes  children state their jobs with their work (`job`), or their period with its amount (`periodic`).
//!          Unknown work counts as none; a child that states nothing has no deadline.
//! Costs    O(log n) per event and a step for each processor; 102 bytes per child; one timer.
//! Ties     the running child stays; else the lower slot.
//! Source   Dertouzos and Mok 1989.
//! Checked  laws, `tests/all/llf.rs`, reference schedules llf_*.
//!
//! Laxity is the time to the deadline minus the work that is left. It falls at the same rate for all ready children, so
//! their order is that of deadline minus work, the latest start, which is constant while a child is ready; a running
//! child's latest start advances with time until its work is done. A timer is set to the nanosecond after a ready
//! child's laxity meets that of the running child with the most. Children of equal laxity would alternate all the time,
//! so a running child is not replaced because of laxity alone before it has run for `granularity`. When a child becomes
//! ready or its job changes, all are compared at once.

use crate::catalogue::Kind;
use crate::parameters::RATE;
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Answer, ChildVp, Context, Message, OwnVp, TimerId, VpState};
use windfall_time::{Instant, Span};

/// Fires when a ready child has less laxity than a running one.
const CROSSING: TimerId = TimerId(1);

settings! { Llf, "llf.rs":
    /// the shortest time between two switches because of laxity alone
    granularity: Span = "1ms",
}

pub(crate) const KIND: Kind = Llf::kind(
    "llf",
    "least laxity first, on one processor or several from one queue",
    |settings| Ok(Box::new(Pooled::new(State::new(Llf::read(settings).granularity)))),
)
.with_parameters(&[&RATE]);

#[derive(Clone, Copy)]
struct Job {
    deadline: Option<Instant>,
    work: Span,
    /// Relative deadline and work of the jobs that begin with a wake-up.
    periodic: Option<(Span, Span)>,
    /// Whether a `job` message has announced the job that the next wake-up begins.
    announced: bool,
    /// Work has been charged up to here, while it runs.
    charged: Instant,
    /// The time at which it last began to run.
    started: Instant,
}

const NONE: Job = Job {
    deadline: None,
    work: Span::ZERO,
    periodic: None,
    announced: false,
    charged: Instant::ZERO,
    started: Instant::ZERO,
};

/// The work that each child's job still has to do, from which its laxity follows.
#[derive(Clone, Default)]
pub(crate) struct State {
    jobs: Vec<Job>,
    granularity: Span,
    armed: bool,
}

impl State {
    /// `granularity` is the shortest time between two switches because of laxity alone; above zero.
    pub(crate) fn new(granularity: Span) -> State {
        State { jobs: Vec::new(), granularity, armed: false }
    }

    fn charge(&mut self, child: ChildVp, now: Instant) {
        let job = &mut self.jobs[child.index()];
        job.work = job.work.saturating_sub(now.saturating_since(job.charged));
        job.charged = now;
    }

    /// Charges all running children.
    fn charge_running(&mut self, pool: &mut Pool<Self>, context: &Context<'_>) {
        for own in pool.own_vps() {
            if let Some(child) = context.held_by(own) {
                self.charge(child, context.now());
                pool.refresh(child, self, context);
            }
        }
    }

    /// Charges the running children that the best ready one may replace.
    fn charge_crossed(&mut self, pool: &mut Pool<Self>, context: &Context<'_>) {
        let Some((ready, _)) = pool.best_key() else {
            return;
        };
        for own in pool.own_vps() {
            if let Some(child) = context.held_by(own)
                && self.crossing(child, ready).is_some_and(|at| at <= context.now())
            {
                self.charge(child, context.now());
                pool.refresh(child, self, context);
            }
        }
    }

    /// Sets the timer to the first time at which a ready child may replace a running one.
    fn arm(&mut self, pool: &Pool<Self>, context: &mut Context<'_>) {
        let first = pool.best_key().and_then(|(ready, _)| {
            let running = pool.own_vps().filter_map(|own| context.held_by(own));
            running.filter_map(|child| self.crossing(child, ready)).min()
        });
        if self.armed || first.is_some() {
            self.armed = first.is_some();
            context.set_timer(CROSSING, first);
        }
    }

    /// The time at which a running child's latest start passes `ready`, not before it has run for `granularity`.
    fn crossing(&self, child: ChildVp, ready: i128) -> Option<Instant> {
        let job = &self.jobs[child.index()];
        let (latest, _) = self.key(child);
        let behind = ready.saturating_sub(latest);
        let behind = u128::try_from(behind).map_or(Span::ZERO, Span::saturating_from_nanos);
        if latest == i128::MAX || behind >= job.work {
            return None;
        }
        let crossing = job.charged.saturating_add(behind).saturating_add(Span::from_nanos(1));
        Some(crossing.max(job.started.saturating_add(self.granularity)))
    }

    /// Begins a job of `child`.
    fn begin(&mut self, child: ChildVp, deadline: Option<Instant>, work: Span) {
        let job = &mut self.jobs[child.index()];
        (job.deadline, job.work) = (deadline, work);
    }
}

impl Policy for State {
    /// Latest start in nanoseconds, slot.
    type Key = (i128, u32);
    const GROWS: bool = true;
    const TAKES: &'static str = "job, periodic";

    fn key(&self, child: ChildVp) -> Self::Key {
        let job = &self.jobs[child.index()];
        let latest = job.deadline.map_or(i128::MAX, |deadline| {
            i128::from(deadline.as_nanos()) - i128::from(job.work.as_nanos())
        });
        (latest, child.0)
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
    }

    fn started(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        let job = &mut self.jobs[child.index()];
        (job.charged, job.started) = (context.now(), context.now());
    }

    fn stopped(&mut self, child: ChildVp, _: OwnVp, context: &mut Context<'_>) {
        self.charge(child, context.now());
    }

    fn timers(&self, _: usize) -> usize {
        1
    }

    fn register(&mut self, child: ChildVp) {
        slots::put(&mut self.jobs, child, NONE);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let job = &mut self.jobs[child.index()];
        if !core::mem::take(&mut job.announced) {
            let now = context.now();
            let (deadline, work) = job.periodic.unzip();
            let deadline = deadline.map(|span| now.saturating_add(span));
            self.begin(child, deadline, work.unwrap_or(Span::ZERO));
        }
        self.charge_running(pool, context);
        pool.request(child, self, context);
        self.arm(pool, context);
    }

    fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.release(child, held, self, context);
        self.arm(pool, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Job { deadline, work, .. }) => {
                let waits = context.child(child) == VpState::Waiting;
                if !waits {
                    self.charge_running(pool, context);
                }
                self.begin(child, Some(deadline), work.unwrap_or(Span::ZERO));
                self.jobs[child.index()].announced = waits;
                pool.rerank(child, self, context);
                self.arm(pool, context);
                Ok(())
            }
            (Some(child), Message::Periodic { deadline, amount, .. }) => {
                let work = amount.unwrap_or(Span::ZERO);
                self.jobs[child.index()].periodic = Some((deadline, work));
                Ok(())
            }
            _ => Self::not_understood(message),
        }
    }

    fn grant(&mut self, own: OwnVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.grant(own, self, context);
        self.arm(pool, context);
    }

    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.revoke(own, child, self, context);
        self.arm(pool, context);
    }

    fn settled(&mut self, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        pool.settled(self, context);
        self.arm(pool, context);
    }

    fn timer(&mut self, _: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.charge_crossed(pool, context);
        pool.preempt(self, context);
        self.arm(pool, context);
    }
}
