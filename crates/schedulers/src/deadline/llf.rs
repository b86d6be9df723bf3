//! LLF: the child with the least laxity runs, on one processor or on several from one queue.
//!
//! Takes    any guarantee; ALL on each of its processors for the usual results.
//! Gives    NULL to each child (on one processor, deadlines are met while the set is schedulable).
//! Admits   everyone.
//! Assumes  children tell their jobs with their work (`job`), or their period with its amount
//!          (`periodic`). Unknown work counts as none; a child that tells nothing has no deadline.
//! Costs    O(log n) per event and a step for each processor; 102 bytes per child; one timer.
//! Ties     the running child stays; else the lower slot.
//! Source   Dertouzos and Mok 1989.
//! Checked  laws, `tests/llf.rs`, reference schedules llf_*.
//!
//! Laxity is the time to the deadline less the work that remains. It falls at the same rate for all
//! that are ready, so their order is that of deadline less work, the latest start, which stands
//! still; a running child's latest start moves on with time until its work is done. A timer is set
//! to the nanosecond after a ready child's laxity meets that of the running child with the most.
//! Children of equal laxity would change places all the time: one that runs is not replaced on
//! account of laxity alone before it has run for `granularity`. Whenever a child becomes ready or
//! its job changes, all are compared at once.

use crate::catalogue::{Form, Kind, Setting};
use crate::parts::best_effort::BestEffort;
use crate::parts::pool::{Policy, Pool, SETTLED};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{
    ChildVp, Context, HierarchyError, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

const TAKES: &str = "job, periodic";
const GRANULARITY: Span = Span::from_millis(1);
/// When a ready child has less laxity than a running one.
const CROSSING: TimerId = TimerId(1);

pub(crate) const KIND: Kind = Kind {
    name: "llf",
    summary: "least laxity first, on one processor or several from one queue",
    source: include_str!("llf.rs"),
    settings: &[Setting {
        name: "granularity",
        form: Form::Span,
        default: "1ms",
        help: "the shortest time between two switches on account of laxity alone",
    }],
    build: |settings| {
        let granularity = settings.span("granularity", GRANULARITY)?;
        Ok(Box::new(Llf::new(granularity)))
    },
    conversion: |_| Ok(Box::new(BestEffort)),
};

#[derive(Clone, Copy)]
struct Job {
    deadline: Option<Instant>,
    work: Span,
    /// Relative deadline and work of jobs that begin with a wake-up.
    periodic: Option<(Span, Span)>,
    /// Whether a `job` message came for the job that the next wake-up begins.
    told: bool,
    /// Work is charged up to here, while it runs.
    charged: Instant,
    /// When it last began to run.
    started: Instant,
}

const NONE: Job = Job {
    deadline: None,
    work: Span::ZERO,
    periodic: None,
    told: false,
    charged: Instant::ZERO,
    started: Instant::ZERO,
};

#[derive(Default)]
struct Jobs {
    jobs: Vec<Job>,
}

impl Jobs {
    fn charge(&mut self, child: ChildVp, now: Instant) {
        let job = &mut self.jobs[child.index()];
        job.work = job.work.saturating_sub(now.saturating_since(job.charged));
        job.charged = now;
    }
}

impl Policy for Jobs {
    /// Latest start in nanoseconds, slot.
    type Key = (i128, u32);

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
}

/// The scheduler.
pub struct Llf {
    pool: Pool<Jobs>,
    jobs: Jobs,
    granularity: Span,
    armed: bool,
}

impl Llf {
    /// With the shortest time between two switches on account of laxity alone; above zero.
    #[must_use]
    pub fn new(granularity: Span) -> Llf {
        Llf { pool: Pool::default(), jobs: Jobs::default(), granularity, armed: false }
    }

    /// Charges all that run.
    fn charge_running(&mut self, context: &Context<'_>) {
        for own in self.pool.own_vps() {
            if let Some(child) = context.held_by(own) {
                self.jobs.charge(child, context.now());
                self.pool.refresh(child, &self.jobs, context);
            }
        }
    }

    /// Charges those running children whose place the best ready one may take.
    fn charge_crossed(&mut self, context: &Context<'_>) {
        let Some((ready, _)) = self.pool.best_key() else {
            return;
        };
        for own in self.pool.own_vps() {
            if let Some(child) = context.held_by(own)
                && self.crossing(child, ready).is_some_and(|at| at <= context.now())
            {
                self.jobs.charge(child, context.now());
                self.pool.refresh(child, &self.jobs, context);
            }
        }
    }

    /// Sets the timer to when a ready child may first take the place of a running one.
    fn arm(&mut self, context: &mut Context<'_>) {
        let first = self.pool.best_key().and_then(|(ready, _)| {
            let running = self.pool.own_vps().filter_map(|own| context.held_by(own));
            running.filter_map(|child| self.crossing(child, ready)).min()
        });
        if self.armed || first.is_some() {
            self.armed = first.is_some();
            context.set_timer(CROSSING, first);
        }
    }

    /// When a running child's latest start passes `ready`, not before it has run long enough.
    fn crossing(&self, child: ChildVp, ready: i128) -> Option<Instant> {
        let job = &self.jobs.jobs[child.index()];
        let (latest, _) = self.jobs.key(child);
        let behind = ready.saturating_sub(latest);
        let behind = u128::try_from(behind).map_or(Span::ZERO, Span::saturating_from_nanos);
        if latest == i128::MAX || behind >= job.work {
            return None;
        }
        let crossing = job.charged.saturating_add(behind).saturating_add(Span::from_nanos(1));
        Some(crossing.max(job.started.saturating_add(self.granularity)))
    }

    /// A job of `child` begins.
    fn begin(&mut self, child: ChildVp, deadline: Option<Instant>, work: Span) {
        let job = &mut self.jobs.jobs[child.index()];
        (job.deadline, job.work) = (deadline, work);
    }
}

impl Scheduler for Llf {
    fn timers(&self, _: usize) -> usize {
        2
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.pool.init(context);
    }

    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Result<(), HierarchyError> {
        self.pool.register(child);
        let jobs = &mut self.jobs.jobs;
        jobs.resize(jobs.len().max(child.index() + 1), NONE);
        jobs[child.index()] = NONE;
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        let job = &mut self.jobs.jobs[child.index()];
        if !core::mem::take(&mut job.told) {
            let now = context.now();
            let (deadline, work) = job.periodic.unzip();
            let deadline = deadline.map(|span| now.saturating_add(span));
            self.begin(child, deadline, work.unwrap_or(Span::ZERO));
        }
        self.charge_running(context);
        self.pool.request(child, &mut self.jobs, context);
        self.arm(context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.pool.release(child, held, &mut self.jobs, context);
        self.arm(context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Result<(), HierarchyError> {
        match (child, message) {
            (Some(child), Message::Job { deadline, work, .. }) => {
                let waits = context.child(child) == VpState::Waiting;
                if !waits {
                    self.charge_running(context);
                }
                self.begin(child, Some(deadline), work.unwrap_or(Span::ZERO));
                self.jobs.jobs[child.index()].told = waits;
                self.pool.rerank(child, &mut self.jobs, context);
                self.arm(context);
                Ok(())
            }
            (Some(child), Message::Periodic { deadline, amount, .. }) => {
                let work = amount.unwrap_or(Span::ZERO);
                self.jobs.jobs[child.index()].periodic = Some((deadline, work));
                Ok(())
            }
            _ => Err(HierarchyError::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.pool.grant(own, &mut self.jobs, context);
        self.arm(context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.pool.revoke(own, child, &mut self.jobs, context);
        self.arm(context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer == SETTLED {
            self.pool.settled(&mut self.jobs, context);
        } else {
            self.charge_crossed(context);
            self.pool.preempt(&mut self.jobs, context);
        }
        self.arm(context);
    }

    fn next(&self, _: OwnVp, _: &View<'_>) -> Option<ChildVp> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.jobs, view)
    }
}
