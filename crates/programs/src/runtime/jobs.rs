//! Jobs: released by time or by another's completion, begun in that order, done or given up.

use super::{Condition, ProgramError, ProgramRuntime, RuntimeHost, Wakeup};
use crate::action::Action;
use crate::body::Random;
use crate::program::{Activation, Jobs, OnLate};
use windfall_time::{Instant, Span};

/// So many jobs of one thread may wait for it.
const MOST_WAITING: usize = 4_000_000;

/// A job that is released and not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Job {
    /// When it was released.
    pub release: Instant,
    /// When it should be done by.
    pub deadline: Option<Instant>,
}

impl Job {
    /// Whether it is late when it ends then.
    #[inline]
    #[must_use]
    pub fn is_late(&self, end: Instant) -> bool {
        self.deadline.is_some_and(|deadline| deadline < end)
    }
}

/// Where a thread's jobs come from.
pub(super) struct Source {
    jobs: Jobs,
    random: Random,
    released: u64,
}

impl Source {
    pub(super) fn new(jobs: &Jobs, seed: u64) -> Source {
        Source { jobs: jobs.clone(), random: Random::new(!seed), released: 0 }
    }

    /// When time releases the first job, if time does.
    pub(super) const fn first(&self) -> Option<Instant> {
        match self.jobs.activation {
            Activation::Periodic { offset, .. } | Activation::Sporadic { offset, .. } => {
                Some(offset)
            }
            Activation::After(_) => None,
        }
    }

    /// When time releases the job after the one of `at`, if there is one.
    fn after(&mut self, at: Instant) -> Option<Instant> {
        let next = match self.jobs.activation {
            Activation::Periodic { period, .. } => at.checked_add(period),
            Activation::Sporadic { least, most, .. } => {
                let gap = self.random.between(least.as_nanos(), most.as_nanos());
                at.checked_add(Span::from_nanos(gap))
            }
            Activation::After(_) => None,
        };
        let more = self.jobs.count.is_none_or(|count| self.released + 1 < count);
        next.filter(|_| more)
    }

    /// The job that is released at `at`, unless there have been all.
    fn release(&mut self, at: Instant) -> Option<Job> {
        if self.jobs.count.is_some_and(|count| self.released >= count) {
            return None;
        }
        self.released += 1;
        let deadline = self.jobs.deadline.map(|span| at.saturating_add(span));
        Some(Job { release: at, deadline })
    }

    pub(super) const fn most_work(&self) -> Span {
        self.jobs.work.most()
    }
}

impl ProgramRuntime {
    /// A job is released by time. `at` is when it was to be: a host that is late does not shift it,
    /// nor those that follow.
    #[inline]
    pub fn release_due<S: RuntimeHost>(host: &mut S, number: u32, at: Instant) {
        let Some(source) = &mut host.programs().at(number).source else { return };
        if let Some(next) = source.after(at) {
            host.schedule_wakeup(number, Wakeup::Release, next);
        }
        ProgramRuntime::release(host, number, at);
    }

    /// A job is released; it begins at once if the thread has nothing else to do.
    #[inline]
    fn release<S: RuntimeHost>(host: &mut S, number: u32, at: Instant) {
        let Some(source) = &mut host.programs().at(number).source else { return };
        let Some(job) = source.release(at) else { return };
        host.released(number, job);
        let thread = host.programs().at(number);
        if thread.condition == Condition::Jobless {
            ProgramRuntime::begin_job(host, number, job);
            ProgramRuntime::wake(host, number, None);
            return;
        }
        thread.backlog.push_back(job);
        if thread.backlog.len() > MOST_WAITING {
            host.program_failed(number, ProgramError::Backlog(MOST_WAITING));
        }
    }

    #[inline]
    fn begin_job<S: RuntimeHost>(host: &mut S, number: u32, job: Job) {
        let thread = host.programs().at(number);
        thread.job = Some(job);
        if let (true, Some(deadline)) = (thread.aborts(), job.deadline) {
            host.schedule_wakeup(number, Wakeup::Deadline, deadline);
        }
        host.begins(number, job);
    }

    /// A job begins that the program itself has released.
    pub(super) fn own_job<S: RuntimeHost>(host: &mut S, number: u32, job: Job) {
        host.programs().at(number).job = Some(job);
        host.released(number, job);
        host.begins(number, job);
    }

    /// The next job begins, or the thread waits for one.
    #[inline]
    pub(super) fn await_job<S: RuntimeHost>(host: &mut S, number: u32) {
        let aborts = host.programs().at(number).aborts();
        while let Some(job) = host.programs().at(number).backlog.pop_front() {
            if aborts && job.deadline.is_some_and(|deadline| deadline <= host.now()) {
                host.aborted(number); // its time has passed while it waited
                continue;
            }
            return ProgramRuntime::begin_job(host, number, job);
        }
        ProgramRuntime::block(host, number, Condition::Jobless);
    }

    /// The job that a thread works at, if any, is done; a job of each who follows it is released, if it
    /// is alive: what was done before it began, or will be when it has ended, is nothing to it.
    #[inline]
    pub(super) fn job_done<S: RuntimeHost>(host: &mut S, number: u32) {
        let Some(job) = host.programs().at(number).job.take() else { return };
        host.completed(number, job);
        let mut place = 0;
        while let Some(follower) = host.programs().follower(number, place) {
            let now = host.now();
            if !matches!(
                host.programs().condition(follower),
                Condition::NotStarted | Condition::Gone
            ) {
                ProgramRuntime::release(host, follower, now);
            }
            place += 1;
        }
    }

    /// A thread's job is given up, at its deadline by the program's own wish, or when its scheduler
    /// says so; whether it has left what it was doing and must ask anew. A program that is not made of
    /// jobs cannot leave a step half done: its job goes on without a deadline.
    pub fn abort<S: RuntimeHost>(host: &mut S, number: u32) -> bool {
        let now = host.now();
        let thread = host.programs().at(number);
        if thread.source.is_none() {
            let missed = thread.job.is_some_and(|job| job.deadline.is_some());
            let job = Job { release: thread.job.map_or(now, |job| job.release), deadline: None };
            thread.job = thread.job.map(|_| job);
            host.goes_on(number, job, missed);
            return false;
        }
        if thread.job.take().is_none() {
            return false;
        }
        thread.resumed = None;
        thread.body.abandon_job();
        host.aborted(number);
        let thread = host.programs().at(number);
        match thread.body.next(now) {
            Action::AwaitJob => ProgramRuntime::await_job(host, number),
            Action::Exit => ProgramRuntime::exit(host, number),
            action => thread.resumed = Some(action),
        }
        true
    }
}

impl super::RunningProgram {
    /// Whether its jobs are given up at their deadline.
    #[inline]
    fn aborts(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.jobs.late == OnLate::Abort)
    }
}
