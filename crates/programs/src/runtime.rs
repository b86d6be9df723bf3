//! Programs under way: what each thread's next action means for its jobs, its locks and the others.
//!
//! The same on every host. A host is a [`RuntimeHost`]: it knows the time, blocks and wakes threads, and calls
//! back when an instant has come. Nothing here computes, sleeps, or decides who runs.
//!
//! Invariant: a thread acts only while it has a processor, but that it begins its life without one and
//! goes on to its next job without one when a job is given up; a thread that waits is woken exactly
//! once, by what it waits for.

mod calls;
mod host;
mod jobs;
mod meetings;
#[cfg(test)]
mod tests;

pub use host::{ProgramError, RuntimeHost, Wakeup};
pub use jobs::Job;

use crate::action::{Action, Body, Resource};
use crate::process::{Costs, Counts, ProcessHandle, Start, System};
use crate::program::{Activation, Program};
use crate::sync::SyncPoints;
use jobs::Source;
use std::collections::{BTreeMap, VecDeque};
use windfall_time::{Instant, Span};

/// So many actions of one thread within a moment, without computing, are taken for a program that gets
/// nowhere.
const PATIENCE: u32 = 100_000;

/// What a thread that does not run waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// It has not begun.
    NotStarted,
    /// It could run, or runs.
    Runnable,
    /// It sleeps until the host says that the time has come.
    Sleeping,
    /// It waits for its next job.
    Jobless,
    /// It waits for a wake-up by another thread.
    AwaitingWake,
    /// It waits for a lock, a condition (and then takes this lock), or a barrier.
    Held(Option<Resource>),
    /// It waits in a call.
    InCall,
    /// It has ended.
    Gone,
}

/// What a thread does until it asks again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It computes so much; [`Span::MAX`] has no end.
    Work(Span),
    /// It waits, or has ended; it asks again when it has been woken and has a processor.
    Waits,
    /// It has acted, and may have lost its processor by that; it asks again while it has one.
    Acted,
}

struct RunningProgram {
    body: Box<dyn Body>,
    /// Who it is, if it is a process.
    process: Option<ProcessHandle>,
    /// Whether it has paid for the call that it is in.
    paid: bool,
    condition: Condition,
    /// An action that was asked for before there was a processor for it.
    resumed: Option<Action>,
    source: Option<Source>,
    /// The job that it works at, and those that wait.
    job: Option<Job>,
    backlog: VecDeque<Job>,
    /// Wake-ups that came while it did not wait for one.
    wakes: u64,
    /// Actions without computing within the moment that began then.
    idle_actions: (Instant, u32),
}

/// All programs of a run.
#[derive(Default)]
pub struct ProgramRuntime {
    list: Vec<RunningProgram>,
    syncs: SyncPoints,
    system: System,
    /// When the host was last asked to call back for timers, and for posts between nodes.
    scheduled: [Option<Instant>; 2],
    /// By thread: whose jobs its completions release.
    followers: Vec<Vec<u32>>,
    /// How many processes of each kind others have made.
    made: BTreeMap<&'static str, u32>,
}

/// Setting up, and looking.
impl ProgramRuntime {
    /// Adds a program, numbered in order of adding. Equal seeds give equal behaviour.
    pub fn add(&mut self, program: &Program, seed: u64) -> u32 {
        let number = u32::try_from(self.list.len()).expect("programs are numbered by 32 bits");
        let source = match program {
            Program::Jobs(jobs) => {
                if let Activation::After(before) = jobs.activation {
                    if self.followers.len() <= before {
                        self.followers.resize_with(before + 1, Vec::new);
                    }
                    self.followers[before].push(number);
                }
                Some(Source::new(jobs, seed))
            }
            _ => None,
        };
        let (body, process) = match program {
            Program::Process(start) => {
                let me = self.system.enter(start.node(), number);
                (start.body(me), me.ok())
            }
            _ => (program.start(seed), None),
        };
        self.list.push(RunningProgram {
            body,
            process,
            paid: false,
            condition: Condition::NotStarted,
            resumed: None,
            source,
            job: None,
            backlog: VecDeque::new(),
            wakes: 0,
            idle_actions: (Instant::ZERO, 0),
        });
        number
    }

    /// An empty runtime, whose processes have so many nodes to run on and pay this for their calls. Equal seeds give equal handles.
    #[must_use]
    pub fn with(seed: u64, nodes: usize, costs: Costs) -> ProgramRuntime {
        ProgramRuntime { system: System::new(seed, nodes, costs), ..ProgramRuntime::default() }
    }

    /// What a process is called that another makes: `NAME-1`, `NAME-2`, ... in the order of making.
    pub fn name(&mut self, start: &Start) -> String {
        let count = self.made.entry(start.name()).or_insert(0);
        *count += 1;
        format!("{}-{count}", start.name())
    }

    /// How many there are, whether or not they have begun or ended.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.list.len()
    }

    /// What was counted of processes.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.system.counts
    }

    /// Says how many threads use a barrier.
    pub fn barrier(&mut self, barrier: Resource, parties: usize) {
        self.syncs.at(barrier).parties = parties;
    }

    /// A thread that has not begun never will.
    pub fn withdraw(&mut self, number: u32) {
        self.at(number).condition = Condition::Gone;
        self.leave(number);
    }

    /// A thread that was a process is none any more.
    fn leave(&mut self, number: u32) {
        if let Some(process) = self.at(number).process.take() {
            self.system.exit(process);
        }
    }

    /// What a thread waits for.
    #[inline]
    #[must_use]
    pub fn condition(&self, number: u32) -> Condition {
        self.list.get(number as usize).map_or(Condition::Gone, |thread| thread.condition)
    }

    /// The job that a thread works at.
    #[inline]
    #[must_use]
    pub fn job(&self, number: u32) -> Option<Job> {
        self.list.get(number as usize)?.job
    }

    /// The most work that a thread's job can be, in processor time at speed 1, where its program says so.
    #[inline]
    #[must_use]
    pub fn most_work(&self, number: u32) -> Option<Span> {
        Some(self.list.get(number as usize)?.source.as_ref()?.most_work())
    }

    /// How many released jobs of a thread that are not done are due by `end`.
    #[must_use]
    pub fn overdue(&self, number: u32, end: Instant) -> u64 {
        let Some(thread) = self.list.get(number as usize) else { return 0 };
        let open = thread.job.iter().chain(&thread.backlog);
        let late = open.filter(|job| job.deadline.is_some_and(|deadline| deadline <= end));
        late.count() as u64
    }

    #[inline]
    fn at(&mut self, number: u32) -> &mut RunningProgram {
        &mut self.list[number as usize]
    }

    #[inline]
    fn follower(&self, number: u32, place: usize) -> Option<u32> {
        self.followers.get(number as usize)?.get(place).copied()
    }
}

/// Acting. Each of these may call the host; the numbers are those of threads that were added.
impl ProgramRuntime {
    /// A thread begins its life. One that sleeps first, or awaits a job, needs no processor for that.
    pub fn begin<S: RuntimeHost>(host: &mut S, number: u32) {
        let now = host.now();
        let thread = host.programs().at(number);
        let first = thread.body.next(now);
        if let Some(source) = &thread.source {
            let first = source.first();
            thread.condition = Condition::Jobless;
            if let Some(first) = first {
                host.schedule_wakeup(number, Wakeup::Release, first.max(now));
            }
            return;
        }
        match first {
            Action::SleepUntil(at) if at > now => {
                thread.condition = Condition::Sleeping;
                host.schedule_wakeup(number, Wakeup::Wake, at);
            }
            Action::SleepUntil(_) => ProgramRuntime::wake(host, number, None),
            action => {
                thread.resumed = Some(action);
                ProgramRuntime::wake(host, number, None);
            }
        }
    }

    /// What a thread that has a processor does next, its last action being done.
    #[inline]
    pub fn step<S: RuntimeHost>(host: &mut S, number: u32) -> Progress {
        let now = host.now();
        let thread = host.programs().at(number);
        let action = match thread.resumed.take() {
            Some(action) => action,
            None => thread.body.next(now),
        };
        if let Action::Compute(work) = action
            && !work.is_zero()
        {
            thread.idle_actions.1 = 0;
            return Progress::Work(work);
        }
        if let Action::Call(_) = &action {
            let price = host.programs().price(number, &action);
            if !price.is_zero() {
                let thread = host.programs().at(number);
                thread.resumed = Some(action);
                thread.idle_actions.1 = 0;
                return Progress::Work(price);
            }
        }
        let thread = host.programs().at(number);
        let (since, actions) = &mut thread.idle_actions;
        if now.saturating_since(*since) > S::MOMENT {
            (*since, *actions) = (now, 0);
        } else {
            *actions += 1;
            if *actions > PATIENCE {
                host.program_failed(number, ProgramError::Stuck);
                return Progress::Waits;
            }
        }
        ProgramRuntime::act(host, number, action);
        match host.programs().at(number).condition {
            Condition::Runnable => Progress::Acted,
            _ => Progress::Waits,
        }
    }

    /// A sleep is over.
    #[inline]
    pub fn slept<S: RuntimeHost>(host: &mut S, number: u32) {
        if host.programs().at(number).condition == Condition::Sleeping {
            ProgramRuntime::wake(host, number, None);
        }
    }

    /// Carries out one action other than computing.
    #[inline]
    fn act<S: RuntimeHost>(host: &mut S, number: u32, action: Action) {
        match action {
            Action::Compute(_) => {}
            Action::SleepUntil(at) => {
                if at > host.now() {
                    host.schedule_wakeup(number, Wakeup::Wake, at);
                    ProgramRuntime::block(host, number, Condition::Sleeping);
                }
            }
            Action::AwaitJob => ProgramRuntime::await_job(host, number),
            Action::JobDone => ProgramRuntime::job_done(host, number),
            Action::JobBegins { release, deadline } => {
                ProgramRuntime::own_job(host, number, Job { release, deadline });
            }
            Action::Lock(lock) => ProgramRuntime::lock(host, number, lock),
            Action::Unlock(lock) => ProgramRuntime::unlock(host, number, lock),
            Action::Wait { condition, lock } => ProgramRuntime::wait(host, number, condition, lock),
            Action::Signal(condition) => {
                ProgramRuntime::signal(host, number, condition);
            }
            Action::Broadcast(condition) => {
                while ProgramRuntime::signal(host, number, condition) {}
            }
            Action::Barrier(barrier) => ProgramRuntime::arrive(host, number, barrier),
            Action::Yield => host.yielded(number),
            Action::Wake(other) => ProgramRuntime::wake_other(host, number, other),
            Action::AwaitWake => ProgramRuntime::await_wake(host, number),
            Action::Call(call) => ProgramRuntime::call(host, number, call),
            Action::Fail(mishap) => host.program_failed(number, mishap),
            Action::Exit => ProgramRuntime::exit(host, number),
        }
    }

    fn exit<S: RuntimeHost>(host: &mut S, number: u32) {
        ProgramRuntime::job_done(host, number); // what it worked at ends with it
        host.programs().at(number).condition = Condition::Gone;
        host.programs().leave(number);
        host.exited(number);
    }

    #[inline]
    fn block<S: RuntimeHost>(host: &mut S, number: u32, condition: Condition) {
        host.programs().at(number).condition = condition;
        host.blocked(number);
    }

    #[inline]
    fn wake<S: RuntimeHost>(host: &mut S, number: u32, by: Option<u32>) {
        let now = host.now();
        let thread = host.programs().at(number);
        thread.condition = Condition::Runnable;
        if now > thread.idle_actions.0 {
            thread.idle_actions.1 = 0; // it has waited, and time has passed
        }
        host.woken(number, by);
    }
}
