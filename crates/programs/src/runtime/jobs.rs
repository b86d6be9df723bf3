//! Jobs: released by time or by another's completion, begun in that order, done or given up.

use super::{Condition, ProgramError, ProgramRuntime, RuntimeHost, Wakeup};
use crate::action::Action;
use crate::body::Random;
use crate::program::{Activation, Jobs, OnLate};
use windfall_time::{Instant, Span};

/// So many jobs of one player may wait for it.
const MOST_WAITING: usize = 4_000_000;

/// A job that is released and not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// Where a player's jobs come from.
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
    /// A job is released by time. `at` is when it was to be: a stage that is late does not shift it,
    /// nor those that follow.
    #[inline]
    pub fn release_due<S: RuntimeHost>(stage: &mut S, number: u32, at: Instant) {
        let Some(source) = &mut stage.programs().at(number).source else { return };
        if let Some(next) = source.after(at) {
            stage.schedule_wakeup(number, Wakeup::Release, next);
        }
        ProgramRuntime::release(stage, number, at);
    }

    /// A job is released; it begins at once if the player has nothing else to do.
    #[inline]
    fn release<S: RuntimeHost>(stage: &mut S, number: u32, at: Instant) {
        let Some(source) = &mut stage.programs().at(number).source else { return };
        let Some(job) = source.release(at) else { return };
        stage.released(number, job);
        let player = stage.programs().at(number);
        if player.condition == Condition::Jobless {
            ProgramRuntime::begin_job(stage, number, job);
            ProgramRuntime::wake(stage, number, None);
            return;
        }
        player.backlog.push_back(job);
        if player.backlog.len() > MOST_WAITING {
            stage.program_failed(number, ProgramError::Backlog(MOST_WAITING));
        }
    }

    #[inline]
    fn begin_job<S: RuntimeHost>(stage: &mut S, number: u32, job: Job) {
        let player = stage.programs().at(number);
        player.job = Some(job);
        if let (true, Some(deadline)) = (player.aborts(), job.deadline) {
            stage.schedule_wakeup(number, Wakeup::Deadline, deadline);
        }
        stage.begins(number, job);
    }

    /// A job begins that the program itself has released.
    pub(super) fn own_job<S: RuntimeHost>(stage: &mut S, number: u32, job: Job) {
        stage.programs().at(number).job = Some(job);
        stage.released(number, job);
        stage.begins(number, job);
    }

    /// The next job begins, or the player waits for one.
    #[inline]
    pub(super) fn await_job<S: RuntimeHost>(stage: &mut S, number: u32) {
        let aborts = stage.programs().at(number).aborts();
        while let Some(job) = stage.programs().at(number).backlog.pop_front() {
            if aborts && job.deadline.is_some_and(|deadline| deadline <= stage.now()) {
                stage.aborted(number); // its time has passed while it waited
                continue;
            }
            return ProgramRuntime::begin_job(stage, number, job);
        }
        ProgramRuntime::block(stage, number, Condition::Jobless);
    }

    /// The job that a player works at, if any, is done; a job of each who follows it is released, if it
    /// is alive: what was done before it began, or will be when it has ended, is nothing to it.
    #[inline]
    pub(super) fn job_done<S: RuntimeHost>(stage: &mut S, number: u32) {
        let Some(job) = stage.programs().at(number).job.take() else { return };
        stage.completed(number, job);
        let mut place = 0;
        while let Some(follower) = stage.programs().follower(number, place) {
            let now = stage.now();
            if !matches!(
                stage.programs().condition(follower),
                Condition::NotStarted | Condition::Gone
            ) {
                ProgramRuntime::release(stage, follower, now);
            }
            place += 1;
        }
    }

    /// A player's job is given up, at its deadline by the program's own wish, or when its scheduler
    /// says so; whether it has left what it was doing and must ask anew. A program that is not made of
    /// jobs cannot leave a step half done: its job goes on without a deadline.
    pub fn abort<S: RuntimeHost>(stage: &mut S, number: u32) -> bool {
        let now = stage.now();
        let player = stage.programs().at(number);
        if player.source.is_none() {
            let missed = player.job.is_some_and(|job| job.deadline.is_some());
            let job = Job { release: player.job.map_or(now, |job| job.release), deadline: None };
            player.job = player.job.map(|_| job);
            stage.goes_on(number, job, missed);
            return false;
        }
        if player.job.take().is_none() {
            return false;
        }
        player.resumed = None;
        player.body.abandon_job();
        stage.aborted(number);
        let player = stage.programs().at(number);
        match player.body.next(now) {
            Action::AwaitJob => ProgramRuntime::await_job(stage, number),
            Action::Exit => ProgramRuntime::exit(stage, number),
            action => player.resumed = Some(action),
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
