//! The interface that a host offers to running programs.

use super::{Job, ProgramRuntime};
use crate::action::Station;
use crate::control::{SchedulerView, ThreadRequest};
use crate::process::{Annotation, Node, ProcessError, ProcessParams};
use crate::program::Program;
use crate::request::{OwnRequest, RequestError, RequestErrorKind};
use crate::task::{TaskError, TaskReply, TaskRequest};
use crate::urgency::Urgency;
use core::fmt;
use windfall_time::{Instant, Span};

/// The purpose of a wake-up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wakeup {
    /// A sleep ends: [`ProgramRuntime::slept`].
    Wake,
    /// A job is released: [`ProgramRuntime::release_due`].
    Release,
    /// A job's deadline comes: [`ProgramRuntime::abort`].
    Deadline,
    /// Timers of processes are due: [`ProgramRuntime::timers_due`]. The thread that it is scheduled for is
    /// irrelevant.
    Timer,
    /// Posts arrive at another node: [`ProgramRuntime::posts_due`]. The thread that it is scheduled for is
    /// irrelevant.
    Post,
}

/// Why a program cannot continue.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProgramError {
    /// It acts without end, and neither computes nor waits.
    Stuck,
    /// This many of its jobs wait.
    Backlog(usize),
    /// It unlocks a lock that it does not hold.
    NotOwner,
    /// Its body returned this error.
    Refused(ProcessError),
    /// Its body returned [`ProcessError::RequestError`]; this is the request that was refused last.
    RequestRefused(Box<RequestError>),
    /// Its body awaits something that is not a method of [`Process`](crate::Process).
    Foreign,
    /// Its body panicked.
    Panicked,
    /// It visits a station that its machine does not have.
    NoStation,
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::Stuck => f.write_str("acts without end, and neither computes nor waits"),
            ProgramError::Backlog(jobs) => write!(f, "has {jobs} jobs that wait"),
            ProgramError::NotOwner => f.write_str("unlocks a lock that it has not locked"),
            ProgramError::Refused(why) => write!(f, "ends: {why}"),
            ProgramError::RequestRefused(why) => write!(f, "ends: {why}"),
            ProgramError::Foreign => f.write_str("awaits something that is not its process's"),
            ProgramError::Panicked => f.write_str("panicked"),
            ProgramError::NoStation => {
                f.write_str("visits a station that its machine does not have")
            }
        }
    }
}

impl std::error::Error for ProgramError {}

/// A host, as programs see it. Programs are named by their numbers.
///
/// # The host promises
/// P1. [`now`](Self::now) never decreases.
/// P2. [`step`](ProgramRuntime::step) is called for a thread that has a processor and has finished its last work.
/// P3. Each wake-up is delivered once, not before its time.
///
/// # Programs promise
/// P4. A thread that was [`blocked`](Self::blocked) is [`woken`](Self::woken) once before it is blocked
/// again; so is one that has [begun](ProgramRuntime::begin) before it acts.
/// P5. Every job that [`begins`](Self::begins) was [`released`](Self::released), and is then
/// [`completed`](Self::completed) or [`aborted`](Self::aborted) unless the run ends first.
///
/// ```
/// use windfall_programs::{
///     Job, Jobs, Node, OwnRequest, ProcessError, ProcessParams, Program, ProgramError,
///     ProgramRuntime, Progress, RequestErrorKind, RuntimeHost, Urgency, Wakeup,
/// };
/// use windfall_time::{Instant, Span};
///
/// /// A host on which one thread has a processor to itself.
/// #[derive(Default)]
/// struct Alone {
///     programs: ProgramRuntime,
///     now: Instant,
///     wakeup: Option<Instant>,
///     done: u64,
/// }
///
/// impl RuntimeHost for Alone {
///     const MOMENT: Span = Span::ZERO;
///     fn programs(&mut self) -> &mut ProgramRuntime {
///         &mut self.programs
///     }
///     fn now(&self) -> Instant {
///         self.now
///     }
///     fn schedule_wakeup(&mut self, _: u32, wakeup: Wakeup, at: Instant) {
///         if wakeup == Wakeup::Release {
///             self.wakeup = Some(at);
///         }
///     }
///     fn blocked(&mut self, _: u32) {}
///     fn woken(&mut self, _: u32, _: Option<u32>) {}
///     fn yielded(&mut self, _: u32) {}
///     fn exited(&mut self, _: u32) {}
///     fn spawn(&mut self, node: Node, _: ProcessParams, _: &Program) -> Result<u32, ProcessError> {
///         Err(ProcessError::NotAdmitted { node })
///     }
///     fn request_own(&mut self, _: u32, _: &OwnRequest) -> Result<(), RequestErrorKind> {
///         Err(RequestErrorKind::NotHere { why: "there is no scheduler" })
///     }
///     fn wants_notices(&mut self, _: u32) {}
///     fn released(&mut self, _: u32, _: Job) {}
///     fn begins(&mut self, _: u32, _: Job) {}
///     fn completed(&mut self, _: u32, _: Job) {
///         self.done += 1;
///     }
///     fn aborted(&mut self, _: u32) {}
///     fn goes_on(&mut self, _: u32, _: Job, _: bool) {}
///     fn runs_at(&mut self, _: u32, _: Urgency) {}
///     fn program_failed(&mut self, _: u32, _: ProgramError) {}
/// }
///
/// let mut host = Alone::default();
/// let jobs = Jobs::periodic(Span::from_millis(2), Span::from_millis(10));
/// let thread = host.programs.add(&Program::Jobs(jobs), 1);
/// ProgramRuntime::begin(&mut host, thread);
/// while host.now < Instant::from_nanos(100_000_000) {
///     match ProgramRuntime::step(&mut host, thread) {
///         Progress::Work(work) => host.now = host.now + work,
///         Progress::Acted => {}
///         Progress::Waits => {
///             host.now = host.wakeup.take().expect("its next release");
///             let now = host.now;
///             ProgramRuntime::release_due(&mut host, thread, now);
///         }
///     }
/// }
/// assert!(host.done >= 9, "a job in each period of 10 ms");
/// ```
pub trait RuntimeHost {
    /// The longest time from one action to the next, without computing or waiting, for which both count as done at
    /// one instant. Zero if acting takes no time on this host.
    const MOMENT: Span;

    /// The programs, which are part of their host.
    fn programs(&mut self) -> &mut ProgramRuntime;
    /// The current time.
    fn now(&self) -> Instant;
    /// Schedules a wake-up, replacing an earlier one of the same thread and kind.
    fn schedule_wakeup(&mut self, thread: u32, wakeup: Wakeup, at: Instant);
    /// A thread begins to wait.
    fn blocked(&mut self, thread: u32);
    /// A waiting thread becomes ready; `by` is the thread that woke it, if one did.
    fn woken(&mut self, thread: u32, by: Option<u32>);
    /// A running thread lets others run first.
    fn yielded(&mut self, thread: u32);
    /// A thread has exited.
    fn exited(&mut self, thread: u32);
    /// Creates a process on a node. Returns the number of its thread, which the host has
    /// [added](ProgramRuntime::add) and [begun](ProgramRuntime::begin).
    ///
    /// # Errors
    /// [`ProcessError::NotAdmitted`] or [`ProcessError::NotHere`]; there is then no such process.
    fn spawn(
        &mut self,
        node: Node,
        params: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError>;
    /// A running thread visits a station of the machine: its processor stands still until the visit is over, and its next step follows then. Returns whether
    /// the machine has that station; by default it has none.
    fn visit(&mut self, _thread: u32, _station: Station) -> bool {
        false
    }
    /// Carries out a request of a thread for itself, whole or not at all.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    fn request_own(&mut self, thread: u32, request: &OwnRequest) -> Result<(), RequestErrorKind>;
    /// The schedulers of a [family](crate::is_of_family), for a process that queries them. `None`: this host has no schedulers.
    fn query(&mut self, _thread: u32, _family: &str) -> Option<Vec<SchedulerView>> {
        None
    }
    /// Carries out a request of a process for a thread of others, whole or not at all.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    fn request(&mut self, _thread: u32, _request: &ThreadRequest) -> Result<(), RequestErrorKind> {
        Err(RequestErrorKind::NotHere { why: "this host has no schedulers" })
    }
    /// Handles what a process asks about its own tasks, or another asks about them. All tasks of a thread, its jobs' too, are numbered by one count.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    fn task(&mut self, _thread: u32, _request: TaskRequest) -> Result<TaskReply, TaskError> {
        Err(TaskError::NotHere)
    }
    /// A process reports something of itself. By default nothing is kept.
    fn annotated(&mut self, _thread: u32, _what: Annotation) {}
    /// A process wants notices from now on: [`ProgramRuntime::notify`].
    fn wants_notices(&mut self, thread: u32);
    /// A job that is to be admitted is released: the number of its task, if the scheduler admits it. If not, it is not [released](Self::released). The default admits
    /// everything, as one task.
    fn submitted(&mut self, _thread: u32, _job: Job) -> Option<u32> {
        Some(0)
    }
    /// A job that was admitted has ended, as the scheduler knows it: it is [completed](Self::completed) or [aborted](Self::aborted) next.
    fn task_ended(&mut self, _thread: u32, _task: u32) {}
    /// A job has been released.
    fn released(&mut self, thread: u32, job: Job);
    /// A thread begins a job.
    fn begins(&mut self, thread: u32, job: Job);
    /// A thread has completed its job.
    fn completed(&mut self, thread: u32, job: Job);
    /// A thread's job was aborted. Its remaining work is of no use.
    fn aborted(&mut self, thread: u32);
    /// A scheduler has aborted a thread's job whose end only the program knows. The job continues without a
    /// deadline; `missed` if it had one.
    fn goes_on(&mut self, thread: u32, job: Job, missed: bool);
    /// A thread that shares a lock runs at this urgency from now on: what it has inherited, or its own again.
    fn runs_at(&mut self, thread: u32, urgency: Urgency);
    /// A program cannot continue.
    fn program_failed(&mut self, thread: u32, error: ProgramError);
}
