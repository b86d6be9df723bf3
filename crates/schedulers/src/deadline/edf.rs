//! EDF: the child whose job is due first runs, on one processor or on several from one queue.
//!
//! Takes    any guarantee; ALL on each of its processors for the usual results, or with `report-deadlines = true`
//!          RESU r on one: it reports its earliest deadline to its parent.
//! Gives    NULL to each child (deadlines are met while the set is schedulable; no isolation).
//! Admits   everyone.
//! Assumes  children state their jobs (`job`) or their period (`periodic`: due one relative deadline after
//!          waking); a child that states neither is never due and runs in the time that is left.
//! Costs    O(log n) per event; 98 bytes per child; with `late = "abort"` one timer.
//! Ties     the running job stays; else first released, first served; then the lower slot.
//! Source   Liu and Layland 1973; HLS 2.3.1.4. Partitioned: one instance for each processor.
//! Checked  laws, reference schedules edf_*, gedf_*.

use crate::catalogue::{Kind, Properties, RanksBy};
use crate::parameters::RATE;
use crate::parts::deadline_reporter::{DeadlineReporter, earliest};
use crate::parts::policy::{Policy, Pooled};
use crate::parts::pool::Pool;
use crate::settings::shared::REPORT_DEADLINES;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Answer, ChildVp, Context, Message, Note, OwnVp, TimerId};
use windfall_time::{Instant, Span};

/// Fires at the first deadline among unfinished jobs, with `late = "abort"`.
pub(crate) const EXPIRY: TimerId = TimerId(1);

settings! { Edf, "edf.rs":
    /// what happens to a job that is unfinished at its deadline
    late: Late = "complete",
    report_deadlines: bool as REPORT_DEADLINES,
}

pub(crate) const KIND: Kind = Edf::kind(
    "edf",
    "earliest deadline first, on one processor or several from one queue",
    |settings| {
        let Edf { late, report_deadlines } = Edf::read(settings);
        let reporter = DeadlineReporter::new(report_deadlines);
        Ok(Box::new(Pooled::new(State { reporter, ..State::new(late) })))
    },
)
.with_parameters(&[&RATE])
.with_properties(Properties {
    ranks_by: |_| RanksBy::Deadline,
    lends_ranks: |settings| Edf::read(settings).late == Late::Complete,
    ..Properties::NONE
});

words! {
    /// The treatment of a job that is unfinished at its deadline.
    pub enum Late {
        /// It continues.
        Complete = "complete",
        /// It gets no more time, and the host aborts it.
        Abort = "abort",
    }
}

#[derive(Clone, Copy)]
struct Job {
    deadline: Instant,
    release: Instant,
    /// Relative deadline of the jobs that begin with a wake-up.
    relative: Option<Span>,
    /// Whether a `job` message has announced the job that the next wake-up begins.
    announced: bool,
    expired: bool,
}

const NEVER: Job = Job {
    deadline: Instant::MAX,
    release: Instant::ZERO,
    relative: None,
    announced: false,
    expired: false,
};

/// The job of each child, by whose deadline it ranks, and what is done about late ones.
#[derive(Clone)]
pub(crate) struct State {
    jobs: Vec<Job>,
    late: Late,
    /// Unfinished jobs by deadline; kept only with [`Late::Abort`].
    due: Heap<Instant>,
    /// Whether the next job that begins is aborted at once.
    refuses: bool,
    reporter: DeadlineReporter,
}

impl State {
    /// Creates an instance that treats late jobs in this way.
    pub(crate) fn new(late: Late) -> State {
        State {
            jobs: Vec::new(),
            late,
            due: Heap::new(),
            refuses: false,
            reporter: DeadlineReporter::default(),
        }
    }

    /// Makes the next job that begins be aborted at once.
    pub(crate) fn refuse_next(&mut self) {
        self.refuses = true;
    }

    /// The deadline of the job that begins if `child` wakes now; `None` if no job begins, or if it is never due.
    pub(crate) fn due_on_waking(&self, child: ChildVp, now: Instant) -> Option<Instant> {
        let job = self.jobs[child.index()];
        job.relative.filter(|_| !job.announced).map(|span| now.saturating_add(span))
    }

    /// Begins a job of `child`.
    fn begin(
        &mut self,
        child: ChildVp,
        release: Instant,
        deadline: Instant,
        context: &mut Context<'_>,
    ) {
        let refused = core::mem::take(&mut self.refuses);
        let job = &mut self.jobs[child.index()];
        (job.release, job.deadline, job.expired) = (release, deadline, refused);
        if self.late == Late::Abort {
            if refused || deadline == Instant::MAX {
                self.due.remove(child.0);
            } else {
                self.due.set(child.0, deadline);
            }
            self.arm(context);
        }
    }

    fn arm(&self, context: &mut Context<'_>) {
        context.set_timer(EXPIRY, self.due.peek().map(|(at, _)| at));
    }

    /// Aborts the unfinished job with the first deadline, and returns its child. If the next deadline has come as
    /// well, another call follows, so that no call takes long.
    pub(crate) fn expire(
        &mut self,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Option<ChildVp> {
        let late = self.due.peek().filter(|(at, _)| *at <= context.now());
        let child = late.map(|(_, slot)| ChildVp(slot));
        if let Some(child) = child {
            self.due.pop();
            self.jobs[child.index()].expired = true;
            self.give_up(child, pool, context);
            self.announce(None, pool, context);
        }
        self.arm(context);
        child
    }

    /// Reports the earliest deadline of the children that do not wait, or `coming` if that is earlier, to the
    /// parent.
    fn announce(&mut self, coming: Option<Instant>, pool: &Pool<Self>, context: &mut Context<'_>) {
        let due = |key: &(Instant, Instant, u32)| Some(key.0).filter(|due| *due < Instant::MAX);
        let coming = coming.filter(|due| *due < Instant::MAX);
        if self.reporter.reports() {
            let earliest = earliest((pool, self), due, coming, context);
            self.reporter.announce(earliest, context);
        }
    }

    /// Gives a child that does not wait no more time for its job.
    fn give_up(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        context.note(Some(child), Note::Expired);
        if context.held_through(child).is_some() {
            pool.rotate(child, self, context);
        } else {
            pool.withdraw(child, context);
        }
    }
}

impl Policy for State {
    /// Deadline, release, slot.
    type Key = (Instant, Instant, u32);
    const GROWS: bool = true;
    const TAKES: &'static str = "job, periodic";

    #[inline]
    fn key(&self, child: ChildVp) -> Self::Key {
        let job = &self.jobs[child.index()];
        (job.deadline, job.release, child.0)
    }

    #[inline]
    fn preempts(ready: &Self::Key, running: &Self::Key) -> bool {
        ready.0 < running.0
    }

    #[inline]
    fn eligible(&self, child: ChildVp) -> bool {
        !self.jobs[child.index()].expired
    }

    fn timers(&self, _: usize) -> usize {
        1
    }

    fn register(&mut self, child: ChildVp) {
        self.due.reserve(child.index() + 1);
        if self.jobs.len() <= child.index() {
            self.jobs.resize(child.index() + 1, NEVER);
        }
        self.jobs[child.index()] = NEVER;
    }

    fn unregister(&mut self, child: ChildVp, _: &mut Context<'_>) {
        self.due.remove(child.0);
    }

    fn request(&mut self, child: ChildVp, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        let job = &mut self.jobs[child.index()];
        if job.announced {
            job.announced = false;
        } else {
            let now = context.now();
            let relative = job.relative;
            let deadline = relative.map_or(Instant::MAX, |span| now.saturating_add(span));
            self.begin(child, now, deadline, context);
        }
        if self.jobs[child.index()].expired {
            context.note(Some(child), Note::Expired);
        } else {
            self.announce(Some(self.jobs[child.index()].deadline), pool, context);
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
        if self.late == Late::Abort && self.due.remove(child.0).is_some() {
            self.arm(context);
        }
        pool.release(child, held, self, context);
        self.announce(None, pool, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) -> Answer {
        match (child, message) {
            (Some(child), Message::Job { release, deadline, .. }) => {
                let expired = self.jobs[child.index()].expired;
                self.begin(child, release, deadline, context);
                if context.child(child) == windfall_hierarchy::VpState::Waiting {
                    self.jobs[child.index()].announced = true;
                } else if self.jobs[child.index()].expired {
                    self.give_up(child, pool, context);
                } else if expired {
                    pool.request(child, self, context);
                } else {
                    pool.rerank(child, self, context);
                }
                self.announce(None, pool, context);
                Ok(())
            }
            (Some(child), Message::Periodic { deadline, .. }) => {
                self.jobs[child.index()].relative = Some(deadline);
                Ok(())
            }
            _ => Self::not_understood(message),
        }
    }

    fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        pool: &mut Pool<Self>,
        context: &mut Context<'_>,
    ) {
        pool.revoke(own, child, self, context);
        self.announce(None, pool, context);
    }

    fn timer(&mut self, _: TimerId, pool: &mut Pool<Self>, context: &mut Context<'_>) {
        self.expire(pool, context);
    }
}
