//! Running programs: the effect of each thread's next action on its jobs, its locks and other threads.
//!
//! It is the same on every host. A host is a [`RuntimeHost`]: it knows the time, blocks and wakes threads, and
//! calls back when a time has come. Nothing here computes, sleeps, or decides which thread runs.
//!
//! Invariant: a thread acts only while it has a processor, with two exceptions: it begins its life without one, and
//! it begins its next job without one after a job is aborted. A waiting thread is woken exactly once, by what it
//! waits for.

mod calls;
mod host;
mod inheritance;
mod jobs;
mod meetings;
#[cfg(test)]
mod tests;

pub use host::{ProgramError, RuntimeHost, Wakeup};
pub use jobs::Job;

use crate::action::{Action, Body, Resource, Station};
use crate::process::{CallKind, Costs, Counts, ProcessHandle, Start, System};
use crate::program::{Activation, Program};
use crate::sync::SyncPoints;
use crate::urgency::{Rank, Urgency};
use calls::Charge;
use jobs::Source;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use windfall_time::{Instant, Span};

/// The number of actions of a thread within a moment, without computing, at which the program counts as stuck.
const PATIENCE: u32 = 100_000;

/// The state of a thread: what it waits for, if it does not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// It has not started.
    NotStarted,
    /// It is ready or running.
    Runnable,
    /// It sleeps until the host calls back.
    Sleeping,
    /// It waits for its next job.
    Jobless,
    /// It waits for a wake-up by another thread.
    AwaitingWake,
    /// It waits for a lock, a condition (after which it takes this lock), or a barrier.
    Held(Option<Resource>),
    /// It waits in a call.
    InCall,
    /// It has exited.
    Gone,
}

/// The activity of a thread until its next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It computes for this long, at speed 1; [`Span::MAX`] is without end.
    Work(Span),
    /// It waits, or has exited. Its next step follows when it has been woken and has a processor.
    Waits,
    /// It has acted, and may thereby have lost its processor. Its next step follows while it has one.
    Acted,
}

/// A program of a thread.
// Fields: what it runs, what it may do, its jobs and its locks, each read in an event of its own.
struct RunningProgram {
    body: Box<dyn Body>,
    /// Its handle, if it is a process.
    process: Option<ProcessHandle>,
    /// The family of schedulers whose threads it may have changed.
    controls: Option<Arc<str>>,
    /// The part of its current call that has been charged: nothing, its cost, and so many visits of stations.
    charged: usize,
    condition: Condition,
    /// An action that was taken from the body before there was a processor for it.
    resumed: Option<Action>,
    source: Option<Source>,
    /// Its current job, and the jobs that wait.
    job: Option<Job>,
    backlog: VecDeque<Job>,
    /// Number of wake-ups that arrived while it did not wait for one.
    wakes: u64,
    /// The source of its own urgency, if it shares a lock with a protocol.
    rank: Option<Rank>,
    /// When the job is due that its scheduler was last told of.
    due: Instant,
    /// Its present urgency, and the lock with a protocol that it waits for.
    runs_at: Option<Urgency>,
    waits_for: Option<Resource>,
    /// Start of a moment, and the number of actions without computing in it.
    idle_actions: (Instant, u32),
}

/// All programs of a run.
#[derive(Default)]
pub struct ProgramRuntime {
    list: Vec<RunningProgram>,
    syncs: SyncPoints,
    system: System,
    /// The times of the last requested wake-ups for timers, and for posts between nodes.
    scheduled: [Option<Instant>; 2],
    /// By thread: the threads of which a job is released when a job of this thread is done.
    followers: Vec<Vec<u32>>,
    /// By kind of call: the stations that each visits, in order.
    visits: BTreeMap<CallKind, Vec<Station>>,
    /// By kind: the number of processes that other processes have made.
    made: BTreeMap<&'static str, u32>,
}

/// Set-up and queries.
impl ProgramRuntime {
    /// Adds a program and returns its number; numbers count up from 0. Equal seeds give equal behaviour.
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
        let (body, process, controls) = match program {
            Program::Process(start) => {
                let me = self.system.enter(start.node(), number);
                (start.body(me), me.ok(), start.controls().cloned())
            }
            _ => (program.start(seed), None, None),
        };
        self.list.push(RunningProgram {
            body,
            process,
            controls,
            charged: 0,
            condition: Condition::NotStarted,
            resumed: None,
            source,
            job: None,
            backlog: VecDeque::new(),
            wakes: 0,
            rank: None,
            due: Instant::MAX,
            runs_at: None,
            waits_for: None,
            idle_actions: (Instant::ZERO, 0),
        });
        number
    }

    /// Creates an empty runtime for `nodes` nodes, with these costs of calls. Equal seeds give equal handles.
    #[must_use]
    pub fn with(seed: u64, nodes: usize, costs: Costs) -> ProgramRuntime {
        ProgramRuntime { system: System::new(seed, nodes, costs), ..ProgramRuntime::default() }
    }

    /// The name of a process that another process makes: `NAME-1`, `NAME-2`, ... in the order of making.
    pub fn name(&mut self, start: &Start) -> String {
        let count = self.made.entry(start.name()).or_insert(0);
        *count += 1;
        format!("{}-{count}", start.name())
    }

    /// Number of programs, whether or not they have started or exited.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.list.len()
    }

    /// Statistics of processes.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.system.counts
    }

    /// Sets the number of threads that use a barrier.
    pub fn barrier(&mut self, barrier: Resource, parties: usize) {
        self.syncs.at(barrier).parties = parties;
    }

    /// Marks a thread that has not started as one that never will.
    pub fn withdraw(&mut self, number: u32) {
        self.at(number).condition = Condition::Gone;
        self.leave(number);
    }

    /// Removes a thread's process, if it is one.
    fn leave(&mut self, number: u32) {
        if let Some(process) = self.at(number).process.take() {
            self.system.exit(process);
        }
    }

    /// The state of a thread; [`Condition::Gone`] if there is none of that number.
    #[inline]
    #[must_use]
    pub fn condition(&self, number: u32) -> Condition {
        self.list.get(number as usize).map_or(Condition::Gone, |thread| thread.condition)
    }

    /// The current job of a thread.
    #[inline]
    #[must_use]
    pub fn job(&self, number: u32) -> Option<Job> {
        self.list.get(number as usize)?.job
    }

    /// The largest work of a job of this thread, in processor time at speed 1; `None` if its program has no jobs.
    #[inline]
    #[must_use]
    pub fn most_work(&self, number: u32) -> Option<Span> {
        Some(self.list.get(number as usize)?.source.as_ref()?.most_work())
    }

    /// Number of a thread's released, unfinished jobs that are due by `end`.
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

/// Actions. Each of these may call the host. Threads are named by the numbers that [`add`](Self::add) returned.
impl ProgramRuntime {
    /// A thread begins its life. If it sleeps or awaits a job first, it needs no processor for that.
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

    /// The next step of a thread that has a processor and has finished its last action.
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
            match host.programs().charge(number, &action) {
                Charge::Nothing => {}
                Charge::Work(price) => {
                    let thread = host.programs().at(number);
                    thread.resumed = Some(action);
                    thread.idle_actions.1 = 0;
                    return Progress::Work(price);
                }
                Charge::Visit(station) => {
                    host.programs().at(number).resumed = Some(action);
                    ProgramRuntime::visit(host, number, station);
                    return Progress::Acted;
                }
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

    /// A sleep has ended. A job that begins with that is released before the thread is ready.
    #[inline]
    pub fn slept<S: RuntimeHost>(host: &mut S, number: u32) {
        let thread = host.programs().at(number);
        if thread.condition == Condition::Sleeping {
            if let Some(job) = thread.body.begins_awake() {
                ProgramRuntime::own_job(host, number, job);
            }
            ProgramRuntime::wake(host, number, None);
        }
    }

    /// Carries out an action other than computing.
    #[inline]
    fn act<S: RuntimeHost>(host: &mut S, number: u32, action: Action) {
        match action {
            Action::Compute(_) => {}
            Action::Visit(station) => ProgramRuntime::visit(host, number, station),
            Action::SleepUntil(at) => {
                if at > host.now() {
                    host.schedule_wakeup(number, Wakeup::Wake, at);
                    ProgramRuntime::block(host, number, Condition::Sleeping);
                }
            }
            Action::AwaitJob => ProgramRuntime::await_job(host, number),
            Action::JobDone => ProgramRuntime::job_done(host, number),
            Action::JobBegins { release, deadline } => {
                ProgramRuntime::own_job(host, number, Job::new(release, deadline));
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
            Action::OwnRequest(request) => ProgramRuntime::request_own(host, number, request),
            Action::Query(family) => ProgramRuntime::query(host, number, &family),
            Action::Request(request) => ProgramRuntime::request(host, number, request),
            Action::Task(of, request) => ProgramRuntime::task(host, number, of, request),
            Action::Annotate(what) => host.annotated(number, what),
            Action::Fail(error) => host.program_failed(number, error),
            Action::Exit => ProgramRuntime::exit(host, number),
        }
    }

    fn exit<S: RuntimeHost>(host: &mut S, number: u32) {
        ProgramRuntime::job_done(host, number); // its current job ends with it
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
            thread.idle_actions.1 = 0; // the thread has waited, so time has passed
        }
        host.woken(number, by);
    }
}
