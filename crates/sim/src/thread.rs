//! A simulated thread.

use crate::cpu::{ENDLESS, Units};
use std::collections::VecDeque;
use windfall_hierarchy::ThreadId;
use windfall_programs::{Action, Body, Jobs, OnLate, Program, Random, Resource};
use windfall_scenario::PlannedThread;
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::{Instant, Span};

/// What a thread that does not run waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// It has not been created.
    Unborn,
    /// It could run, or runs.
    Runnable,
    /// It sleeps until a `Wake` event.
    Sleeping,
    /// It waits for its next job.
    Jobless,
    /// It waits for a wake-up by another thread.
    AwaitingWake,
    /// It waits for a lock, a condition (and then takes this lock), or a barrier.
    Held(Option<Resource>),
    /// It has ended.
    Gone,
}

/// A job that is released and not done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) release: Instant,
    pub(crate) deadline: Option<Instant>,
}

/// A thread under way.
pub(crate) struct Thread {
    pub(crate) spec: PlannedThread,
    pub(crate) id: Option<ThreadId>,
    pub(crate) body: Box<dyn Body>,
    pub(crate) condition: Condition,
    /// Work left of the present `Compute`.
    pub(crate) left: Units,
    /// Work left of filling the cache again; done first.
    pub(crate) refill: Units,
    /// Whether the body must be asked for its next action as soon as the thread runs.
    pub(crate) asks: bool,
    /// An action that was begun and could not be finished (it waited for a lock).
    pub(crate) resumed: Option<Action>,
    /// The source of its jobs, if its program has one.
    pub(crate) jobs: Option<JobSource>,
    /// The job that it works at, and those that wait.
    pub(crate) job: Option<Job>,
    pub(crate) backlog: VecDeque<Job>,
    /// Wake-ups that came while it did not wait for one.
    pub(crate) wakes: u64,
    /// Whether its scheduler has a use for `job` messages.
    pub(crate) tells: bool,
    /// Since when it is runnable without a break, and since when it is ready without running.
    pub(crate) awake: Instant,
    pub(crate) unserved: Option<Instant>,
    pub(crate) cpu: Option<u16>,
    pub(crate) last_cpu: Option<u16>,
    /// Actions without computing since this instant, against programs that get nowhere.
    pub(crate) idle_actions: (Instant, u32),
    pub(crate) stats: ThreadOutcome,
    /// How much of what it received has been put to the account of its schedulers.
    pub(crate) attributed: Span,
}

/// When a thread's next job is released.
pub(crate) struct JobSource {
    pub(crate) jobs: Jobs,
    pub(crate) random: Random,
    pub(crate) released: u64,
}

impl Thread {
    /// `None` when nothing says what it does here.
    pub(crate) fn new(spec: PlannedThread, seed: u64) -> Option<Thread> {
        let program = spec.program.declared()?;
        let body = program.start(seed);
        let jobs = match program {
            Program::Jobs(jobs) => {
                Some(JobSource { jobs: jobs.clone(), random: Random::new(!seed), released: 0 })
            }
            _ => None,
        };
        Some(Thread {
            body,
            jobs,
            id: None,
            condition: Condition::Unborn,
            left: 0,
            refill: 0,
            asks: true,
            resumed: None,
            job: None,
            backlog: VecDeque::new(),
            wakes: 0,
            tells: true,
            awake: Instant::ZERO,
            unserved: None,
            cpu: None,
            last_cpu: None,
            idle_actions: (Instant::ZERO, 0),
            stats: ThreadOutcome::new(&spec.name, spec.promised.as_deref()),
            attributed: Span::ZERO,
            spec,
        })
    }

    /// Whether its jobs are given up at their deadline.
    pub(crate) fn aborts(&self) -> bool {
        self.jobs.as_ref().is_some_and(|source| source.jobs.late == OnLate::Abort)
    }

    /// Takes what was done in `received` at `rate` off the work that is left.
    #[inline]
    pub(crate) fn progress(&mut self, received: Span, rate: Units) {
        self.stats.received += received;
        let mut done = received.as_nanos().saturating_mul(rate);
        if self.refill > 0 {
            let filled = self.refill.min(done);
            self.refill -= filled;
            done -= filled;
        }
        if self.left != ENDLESS {
            self.left = self.left.saturating_sub(done);
        }
    }

    /// How long the work that is left takes at `rate`; `None` when it has no end.
    #[inline]
    pub(crate) fn time_left(&self, rate: Units) -> Option<Span> {
        if self.left == ENDLESS {
            return None;
        }
        let units = self.left.checked_add(self.refill)?;
        Some(Span::from_nanos(units.div_ceil(rate)))
    }
}
