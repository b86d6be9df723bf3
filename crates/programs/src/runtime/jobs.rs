//! Jobs: released by time or by another thread's completion, begun in that order, completed or aborted.

use super::{Condition, ProgramError, ProgramRuntime, RuntimeHost, Wakeup};
use crate::action::Action;
use crate::body::Random;
use crate::program::{Activation, Jobs, OnLate};
use windfall_time::{Instant, Span};

/// The largest number of waiting jobs of one thread.
const MOST_WAITING: usize = 4_000_000;

/// A job that is released and not finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Job {
    /// Release time.
    pub release: Instant,
    /// Absolute deadline, if it has one.
    pub deadline: Option<Instant>,
    /// The host's number for it, if it was [submitted](RuntimeHost::submitted) and admitted.
    pub task: Option<u32>,
}

impl Job {
    /// A job.
    #[must_use]
    pub const fn new(release: Instant, deadline: Option<Instant>) -> Job {
        Job { release, deadline, task: None }
    }

    /// Whether the job is late if it ends at `end`.
    #[inline]
    #[must_use]
    pub fn is_late(&self, end: Instant) -> bool {
        self.deadline.is_some_and(|deadline| deadline < end)
    }
}

/// The source of a thread's jobs.
pub(super) struct Source {
    jobs: Jobs,
    random: Random,
    released: u64,
}

impl Source {
    pub(super) fn new(jobs: &Jobs, seed: u64) -> Source {
        Source { jobs: jobs.clone(), random: Random::new(!seed), released: 0 }
    }

    /// The release time of the first job, if jobs are released by time.
    pub(super) const fn first(&self) -> Option<Instant> {
        match self.jobs.activation {
            Activation::Periodic { offset, .. } | Activation::Sporadic { offset, .. } => {
                Some(offset)
            }
            Activation::After(_) | Activation::Instead => None,
        }
    }

    /// The release time of the job after the one released at `at`, if there is one.
    fn after(&mut self, at: Instant) -> Option<Instant> {
        let next = match self.jobs.activation {
            Activation::Periodic { period, .. } => at.checked_add(period),
            Activation::Sporadic { least, most, .. } => {
                let gap = self.random.between(least.as_nanos(), most.as_nanos());
                at.checked_add(Span::from_nanos(gap))
            }
            Activation::After(_) | Activation::Instead => None,
        };
        let more = self.jobs.count.is_none_or(|count| self.released + 1 < count);
        next.filter(|_| more)
    }

    /// The job that is released at `at`; `None` if all jobs have been released.
    fn release(&mut self, at: Instant) -> Option<Job> {
        if self.jobs.count.is_some_and(|count| self.released >= count) {
            return None;
        }
        self.released += 1;
        let deadline = self.jobs.deadline.map(|span| at.saturating_add(span));
        Some(Job::new(at, deadline))
    }

    /// The thread of which a job is released instead of a refused one.
    const fn secondary(&self) -> Option<usize> {
        self.jobs.secondary
    }

    pub(super) const fn most_work(&self) -> Span {
        self.jobs.work.most()
    }
}

impl ProgramRuntime {
    /// Releases a job by time. `at` is the planned time: a late host shifts neither this job nor later ones.
    #[inline]
    pub fn release_due<S: RuntimeHost>(host: &mut S, number: u32, at: Instant) {
        let Some(source) = &mut host.programs().at(number).source else { return };
        if let Some(next) = source.after(at) {
            host.schedule_wakeup(number, Wakeup::Release, next);
        }
        ProgramRuntime::release(host, number, at);
    }

    /// Releases a job if the scheduler admits it, which begins at once if the thread waits for one. If it does not, a job of the secondary is
    /// released instead; none of them is its own secondary by any way.
    #[inline]
    fn release<S: RuntimeHost>(host: &mut S, number: u32, at: Instant) {
        let Some(source) = &mut host.programs().at(number).source else { return };
        let submits = source.jobs.admit;
        let Some(mut job) = source.release(at) else { return };
        if submits {
            job.task = host.submitted(number, job);
            if job.task.is_none() {
                return ProgramRuntime::release_secondary(host, number, at);
            }
        }
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

    fn release_secondary<S: RuntimeHost>(host: &mut S, number: u32, at: Instant) {
        let secondary = host.programs().at(number).source.as_ref().and_then(Source::secondary);
        let Some(secondary) = secondary.and_then(|secondary| u32::try_from(secondary).ok()) else {
            return;
        };
        if !matches!(host.programs().condition(secondary), Condition::NotStarted | Condition::Gone)
        {
            ProgramRuntime::release(host, secondary, at);
        }
    }

    /// Tells the scheduler that a task of it has ended.
    #[inline]
    fn task_ended<S: RuntimeHost>(host: &mut S, number: u32, job: Job) {
        if let Some(task) = job.task {
            host.task_ended(number, task);
        }
    }

    #[inline]
    fn begin_job<S: RuntimeHost>(host: &mut S, number: u32, job: Job) {
        let thread = host.programs().at(number);
        thread.job = Some(job);
        if let (true, Some(deadline)) = (thread.aborts(), job.deadline) {
            host.schedule_wakeup(number, Wakeup::Deadline, deadline);
        }
        ProgramRuntime::begins(host, number, job);
    }

    /// Begins a job that the program itself has released.
    pub(super) fn own_job<S: RuntimeHost>(host: &mut S, number: u32, job: Job) {
        host.programs().at(number).job = Some(job);
        host.released(number, job);
        ProgramRuntime::begins(host, number, job);
    }

    /// Begins the next job, or makes the thread wait for one.
    #[inline]
    pub(super) fn await_job<S: RuntimeHost>(host: &mut S, number: u32) {
        let aborts = host.programs().at(number).aborts();
        while let Some(job) = host.programs().at(number).backlog.pop_front() {
            if aborts && job.deadline.is_some_and(|deadline| deadline <= host.now()) {
                ProgramRuntime::task_ended(host, number, job);
                host.aborted(number); // its deadline has passed while it waited
                continue;
            }
            return ProgramRuntime::begin_job(host, number, job);
        }
        ProgramRuntime::block(host, number, Condition::Jobless);
    }

    /// Completes the current job of a thread, if it has one. Releases a job of each follower that is alive;
    /// completions before a follower starts or after it exits do not count for it.
    #[inline]
    pub(super) fn job_done<S: RuntimeHost>(host: &mut S, number: u32) {
        let Some(job) = host.programs().at(number).job.take() else { return };
        ProgramRuntime::task_ended(host, number, job);
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

    /// Aborts a thread's job, at its deadline if the program says so, or because its scheduler does. Returns
    /// whether the thread has left its action and must make a new step. A program that is not made of jobs cannot
    /// leave a step half done: its job continues without a deadline.
    pub fn abort<S: RuntimeHost>(host: &mut S, number: u32) -> bool {
        let now = host.now();
        let thread = host.programs().at(number);
        if thread.source.is_none() {
            let missed = thread.job.is_some_and(|job| job.deadline.is_some());
            let job = Job::new(thread.job.map_or(now, |job| job.release), None);
            thread.job = thread.job.map(|_| job);
            host.goes_on(number, job, missed);
            ProgramRuntime::is_due(host, number, job);
            return false;
        }
        let Some(job) = thread.job.take() else { return false };
        thread.resumed = None;
        thread.body.abandon_job();
        ProgramRuntime::task_ended(host, number, job);
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
    /// Whether its jobs are aborted at their deadlines.
    #[inline]
    fn aborts(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.jobs.late == OnLate::Abort)
    }
}
