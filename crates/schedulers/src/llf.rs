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

use crate::best_effort::BestEffort;
use crate::catalogue::{Form, Kind, Setting};
use crate::pool::{Policy, Pool, SETTLED};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::{Child, Message, Own, Port, Refusal, Scheduler, TimerId, View, VpState};
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
    fn charge(&mut self, child: Child, now: Instant) {
        let job = &mut self.jobs[child.index()];
        job.work = job.work.saturating_sub(now.saturating_since(job.charged));
        job.charged = now;
    }
}

impl Policy for Jobs {
    /// Latest start in nanoseconds, slot.
    type Key = (i128, u32);

    fn key(&self, child: Child) -> Self::Key {
        let job = &self.jobs[child.index()];
        let latest = job.deadline.map_or(i128::MAX, |deadline| {
            i128::from(deadline.as_nanos()) - i128::from(job.work.as_nanos())
        });
        (latest, child.0)
    }

    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
    }

    fn started(&mut self, child: Child, _: Own, port: &mut Port<'_>) {
        let job = &mut self.jobs[child.index()];
        (job.charged, job.started) = (port.now(), port.now());
    }

    fn stopped(&mut self, child: Child, _: Own, port: &mut Port<'_>) {
        self.charge(child, port.now());
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
    fn charge_running(&mut self, port: &Port<'_>) {
        for own in self.pool.own_vps() {
            if let Some(child) = port.held_by(own) {
                self.jobs.charge(child, port.now());
                self.pool.refresh(child, &self.jobs, port);
            }
        }
    }

    /// Charges those running children whose place the best ready one may take.
    fn charge_crossed(&mut self, port: &Port<'_>) {
        let Some((ready, _)) = self.pool.best_key() else {
            return;
        };
        for own in self.pool.own_vps() {
            if let Some(child) = port.held_by(own)
                && self.crossing(child, ready).is_some_and(|at| at <= port.now())
            {
                self.jobs.charge(child, port.now());
                self.pool.refresh(child, &self.jobs, port);
            }
        }
    }

    /// Sets the timer to when a ready child may first take the place of a running one.
    fn arm(&mut self, port: &mut Port<'_>) {
        let first = self.pool.best_key().and_then(|(ready, _)| {
            let running = self.pool.own_vps().filter_map(|own| port.held_by(own));
            running.filter_map(|child| self.crossing(child, ready)).min()
        });
        if self.armed || first.is_some() {
            self.armed = first.is_some();
            port.set_timer(CROSSING, first);
        }
    }

    /// When a running child's latest start passes `ready`, not before it has run long enough.
    fn crossing(&self, child: Child, ready: i128) -> Option<Instant> {
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
    fn begin(&mut self, child: Child, deadline: Option<Instant>, work: Span) {
        let job = &mut self.jobs.jobs[child.index()];
        (job.deadline, job.work) = (deadline, work);
    }
}

impl Scheduler for Llf {
    fn timers(&self, _: usize) -> usize {
        2
    }

    fn init(&mut self, port: &mut Port<'_>) {
        self.pool.init(port);
    }

    fn register(&mut self, child: Child, _: &mut Port<'_>) -> Result<(), Refusal> {
        self.pool.register(child);
        let jobs = &mut self.jobs.jobs;
        jobs.resize(jobs.len().max(child.index() + 1), NONE);
        jobs[child.index()] = NONE;
        Ok(())
    }

    fn unregister(&mut self, _: Child, _: &mut Port<'_>) {}

    fn request(&mut self, child: Child, port: &mut Port<'_>) {
        let job = &mut self.jobs.jobs[child.index()];
        if !core::mem::take(&mut job.told) {
            let now = port.now();
            let (deadline, work) = job.periodic.unzip();
            let deadline = deadline.map(|span| now.saturating_add(span));
            self.begin(child, deadline, work.unwrap_or(Span::ZERO));
        }
        self.charge_running(port);
        self.pool.request(child, &mut self.jobs, port);
        self.arm(port);
    }

    fn release(&mut self, child: Child, held: Option<Own>, port: &mut Port<'_>) {
        self.pool.release(child, held, &mut self.jobs, port);
        self.arm(port);
    }

    fn message(
        &mut self,
        child: Option<Child>,
        message: Message,
        port: &mut Port<'_>,
    ) -> Result<(), Refusal> {
        match (child, message) {
            (Some(child), Message::Job { deadline, work, .. }) => {
                let waits = port.child(child) == VpState::Waiting;
                if !waits {
                    self.charge_running(port);
                }
                self.begin(child, Some(deadline), work.unwrap_or(Span::ZERO));
                self.jobs.jobs[child.index()].told = waits;
                self.pool.rerank(child, &mut self.jobs, port);
                self.arm(port);
                Ok(())
            }
            (Some(child), Message::Periodic { deadline, amount, .. }) => {
                let work = amount.unwrap_or(Span::ZERO);
                self.jobs.jobs[child.index()].periodic = Some((deadline, work));
                Ok(())
            }
            _ => Err(Refusal::NotUnderstood { message: message.name(), takes: TAKES }),
        }
    }

    fn grant(&mut self, own: Own, port: &mut Port<'_>) {
        self.pool.grant(own, &mut self.jobs, port);
        self.arm(port);
    }

    fn revoke(&mut self, own: Own, child: Child, port: &mut Port<'_>) {
        self.pool.revoke(own, child, &mut self.jobs, port);
        self.arm(port);
    }

    fn timer(&mut self, timer: TimerId, port: &mut Port<'_>) {
        if timer == SETTLED {
            self.pool.settled(&mut self.jobs, port);
        } else {
            self.charge_crossed(port);
            self.pool.preempt(&mut self.jobs, port);
        }
        self.arm(port);
    }

    fn next(&self, _: Own, _: &View<'_>) -> Option<Child> {
        self.pool.best()
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        self.pool.check(&self.jobs, view)
    }
}
