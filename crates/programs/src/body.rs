//! The bodies of programs: one state machine for each kind.

use crate::action::{Action, Body, Station, Tick};
use crate::process::ProcessError;
use crate::program::{Jobs, Program, Recorded, RecordedStep, Work};
use crate::redundancy::Redundancy;
use crate::runtime::Job;
use crate::step::{Phase, Step};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use std::sync::Arc;
use windfall_time::{Instant, Span};

impl Program {
    /// A program that exits at once, for threads that do not act by programs.
    #[must_use]
    pub const fn nothing() -> Program {
        Program::Phases { loops: Some(0), phases: Vec::new() }
    }

    /// Makes a body. Equal seeds give equal bodies, so give each thread its own. The body of a process only fails,
    /// because processes exist only within a [`ProgramRuntime`](crate::ProgramRuntime).
    #[must_use]
    pub fn start(&self, seed: u64) -> Box<dyn Body> {
        let random = Random::new(seed);
        match self {
            Program::Spin { from } => Box::new(Spin { from: *from }),
            Program::Jobs(jobs) => {
                Box::new(Worker { jobs: jobs.clone(), random, at: WorkerState::Idle, done: 0 })
            }
            Program::Phases { loops, phases } => Box::new(Phased {
                phases: phases.clone().into(),
                loops: *loops,
                random,
                at: (0, 0, 0, 0),
                begun: None,
                timers: Vec::new(),
                queued: None,
                period: Span::ZERO,
                in_job: false,
                visiting: None,
            }),
            Program::Process(start) => {
                let why = "a process runs among threads only; add its program to some";
                start.body(Err(ProcessError::NotHere { why }))
            }
            Program::Recorded(recorded) => {
                Box::new(Replay { recorded: recorded.clone(), at: 0, started: false })
            }
        }
    }

    /// The same program; if it is a process, it says that it makes replicas. The check of a scenario compares their number with that of their processors.
    #[must_use]
    pub fn redundant(self, redundancy: Redundancy) -> Program {
        match self {
            Program::Process(mut start) => {
                start.redundancy = Some(redundancy);
                Program::Process(start)
            }
            other => other,
        }
    }
}

/// A stream of random numbers whose values depend on the seed alone, also in later versions.
pub struct Random(Pcg64Mcg);

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(Pcg64Mcg::new(u128::from(seed) << 64 | 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834))
    }

    /// A number between `least` and `most`, both included; exactly uniform, by rejection.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        let Some(range) = most.checked_sub(least).and_then(|r| r.checked_add(1)) else {
            return if most > least { self.0.next_u64() } else { least };
        };
        let zone = u64::MAX - u64::MAX % range;
        loop {
            let draw = self.0.next_u64();
            if draw < zone {
                return least + draw % range;
            }
        }
    }

    /// The amount of work of one job or step.
    pub fn work(&mut self, work: Work) -> Span {
        match work {
            Work::Fixed(span) => span,
            Work::Uniform(least, most) => {
                Span::from_nanos(self.between(least.as_nanos(), most.as_nanos()))
            }
        }
    }
}

struct Spin {
    from: Instant,
}

impl Body for Spin {
    fn next(&mut self, now: Instant) -> Action {
        if now < self.from { Action::SleepUntil(self.from) } else { Action::Compute(Span::MAX) }
    }
}

enum WorkerState {
    Idle,
    Released,
    Working,
}

/// Works through the jobs that the host releases.
struct Worker {
    jobs: Jobs,
    random: Random,
    at: WorkerState,
    done: u64,
}

impl Body for Worker {
    fn next(&mut self, _: Instant) -> Action {
        match self.at {
            WorkerState::Idle if self.jobs.count.is_some_and(|count| self.done >= count) => {
                Action::Exit
            }
            WorkerState::Idle => {
                self.at = WorkerState::Released;
                Action::AwaitJob
            }
            WorkerState::Released => {
                self.at = WorkerState::Working;
                Action::Compute(self.random.work(self.jobs.work))
            }
            WorkerState::Working => {
                self.at = WorkerState::Idle;
                self.done += 1;
                Action::JobDone
            }
        }
    }

    fn abandon_job(&mut self) {
        self.at = WorkerState::Idle;
        self.done += 1;
    }
}

struct Phased {
    phases: Arc<[Phase]>,
    loops: Option<u64>,
    random: Random,
    /// Completed loops of the program, phase, completed loops of the phase, step.
    at: (u64, usize, u64, usize),
    /// The time of the first call, from which the ticks of its timers count.
    begun: Option<Instant>,
    /// The last tick of each timer.
    timers: Vec<Option<Instant>>,
    /// The action that follows within a timer step: first the wait, then the job.
    queued: Option<Action>,
    /// The period of the last timer, which is the relative deadline of its job.
    period: Span,
    in_job: bool,
    /// The rest of a step that visits a station.
    visiting: Option<Visiting>,
}

/// The rest of a step that visits a station.
enum Visiting {
    /// So many more visits.
    Times { station: Station, left: u64 },
    /// So much more work, with a visit after every so much of it; whether a visit is next.
    Between { station: Station, every: Span, left: Span, due: bool },
}

impl Visiting {
    /// The next action; `None`: the step is over.
    fn next(&mut self) -> Option<Action> {
        match self {
            Visiting::Times { station, left } => {
                *left = left.checked_sub(1)?;
                Some(Action::Visit(*station))
            }
            Visiting::Between { station, every, left, due } => {
                if std::mem::take(due) {
                    return Some(Action::Visit(*station));
                }
                let now = (*every).min(*left);
                (*left, *due) = (left.saturating_sub(now), now == *every && !now.is_zero());
                (!now.is_zero()).then_some(Action::Compute(now))
            }
        }
    }
}

impl Phased {
    fn advance(&mut self) -> Option<Step> {
        let (done, phase, round, step) = self.at;
        if self.loops.is_some_and(|loops| done >= loops) {
            return None;
        }
        let here = self.phases.get(phase)?;
        let current = here.steps.get(step)?.clone();
        self.at = if step + 1 < here.steps.len() {
            (done, phase, round, step + 1)
        } else if round + 1 < here.loops {
            (done, phase, round + 1, 0)
        } else if phase + 1 < self.phases.len() {
            (done, phase + 1, 0, 0)
        } else {
            (done + 1, 0, 0, 0)
        };
        Some(current)
    }

    /// The tick to wait for. Ticks count from the thread's start, wherever the timer is first used.
    fn tick(&mut self, timer: usize, period: Span, tick: Tick, now: Instant) -> Instant {
        if self.timers.len() <= timer {
            self.timers.resize(timer + 1, None);
        }
        let last = &mut self.timers[timer];
        let due = last.or(self.begun).unwrap_or(now).saturating_add(period);
        let due = if due < now && tick == Tick::Relative { now } else { due };
        *last = Some(due);
        due
    }
}

impl Body for Phased {
    fn next(&mut self, now: Instant) -> Action {
        self.begun.get_or_insert(now);
        if let Some(action) = self.queued.take() {
            if let Action::SleepUntil(due) = action {
                // The wait for a tick ends when the job begins.
                let deadline = Some(due.saturating_add(self.period));
                self.queued = Some(Action::JobBegins { release: due, deadline });
            }
            return action;
        }
        if let Some(action) = self.visiting.as_mut().and_then(Visiting::next) {
            return action;
        }
        self.visiting = None;
        let Some(step) = self.advance() else {
            return Action::Exit;
        };
        match step {
            Step::Run(work) => Action::Compute(self.random.work(work)),
            Step::Sleep(span) => Action::SleepUntil(now.saturating_add(span)),
            Step::Timer { timer, period, tick } => {
                let due = self.tick(timer, period, tick, now);
                let was_in_job = std::mem::replace(&mut self.in_job, true);
                self.period = period;
                self.queued = Some(Action::SleepUntil(due));
                if was_in_job { Action::JobDone } else { self.next(now) }
            }
            Step::Job => {
                let begins = Action::JobBegins { release: now, deadline: None };
                if std::mem::replace(&mut self.in_job, true) {
                    self.queued = Some(begins);
                    Action::JobDone
                } else {
                    begins
                }
            }
            Step::Lock(lock) => Action::Lock(lock),
            Step::Unlock(lock) => Action::Unlock(lock),
            Step::Wait { condition, lock } => Action::Wait { condition, lock },
            Step::Signal(condition) => Action::Signal(condition),
            Step::Broadcast(condition) => Action::Broadcast(condition),
            Step::Barrier(barrier) => Action::Barrier(barrier),
            Step::Yield => Action::Yield,
            Step::Suspend => Action::AwaitWake,
            Step::Resume(thread) => Action::Wake(thread),
            Step::OwnRequest(request) => Action::OwnRequest(request),
            Step::Visit { station, times } => {
                self.visiting = Some(Visiting::Times { station, left: times });
                self.next(now)
            }
            Step::RunVisiting { work, station, every } => {
                let left = self.random.work(work);
                self.visiting = Some(Visiting::Between { station, every, left, due: false });
                self.next(now)
            }
        }
    }

    fn begins_awake(&mut self) -> Option<Job> {
        let begins = self.queued.take_if(|action| matches!(action, Action::JobBegins { .. }));
        match begins {
            Some(Action::JobBegins { release, deadline }) => Some(Job::new(release, deadline)),
            _ => None,
        }
    }
}

struct Replay {
    recorded: Recorded,
    at: usize,
    started: bool,
}

impl Body for Replay {
    fn next(&mut self, _: Instant) -> Action {
        if !std::mem::replace(&mut self.started, true) {
            return Action::SleepUntil(self.recorded.start);
        }
        let Some(step) = self.recorded.steps.get(self.at) else {
            return Action::Exit;
        };
        self.at += 1;
        match *step {
            RecordedStep::Run(work) => Action::Compute(work),
            RecordedStep::Wake(thread) => Action::Wake(thread),
            RecordedStep::Until(instant) => Action::SleepUntil(instant),
            RecordedStep::Woken => Action::AwaitWake,
        }
    }
}
