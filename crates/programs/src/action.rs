//! The actions that a program requests of its host.

use crate::control::{SchedulerView, ThreadRequest, ThreadRequestError};
use crate::process::{Annotation, Answer, Call, ProcessHandle};
use crate::request::{OwnRequest, RequestError};
use crate::runtime::{Job, ProgramError};
use crate::task::{TaskError, TaskReply, TaskRequest};
use windfall_time::{Instant, Span};

/// A lock, condition or barrier, by number in the scenario.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Resource(pub usize);

/// A station of the simulated machine, by number in the scenario (decision 0044).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Station(pub usize);

/// The effect of a late arrival on a timer's ticks (rt-app `mode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tick {
    /// Ticks count anew from the late arrival.
    #[default]
    Relative,
    /// Ticks stay where they are, so lateness carries over.
    Absolute,
}

/// The next action of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Computes for this much processor time at speed 1.
    Compute(Span),
    /// Waits until this time; continues at once if it has passed.
    SleepUntil(Instant),
    /// Waits until its next job has been released. The host then requests the next action, and knows the job's
    /// deadline.
    AwaitJob,
    /// Its current job is done.
    JobDone,
    /// A job begins, with this release time and deadline.
    JobBegins {
        /// Its release time.
        release: Instant,
        /// Its deadline, if it has one.
        deadline: Option<Instant>,
    },
    /// Takes a lock, waiting if necessary.
    Lock(Resource),
    /// Unlocks a lock.
    Unlock(Resource),
    /// Unlocks a lock, waits for a signal, takes the lock again.
    Wait {
        /// The condition.
        condition: Resource,
        /// The lock.
        lock: Resource,
    },
    /// Wakes one thread that waits for a condition.
    Signal(Resource),
    /// Wakes all threads that wait for a condition.
    Broadcast(Resource),
    /// Waits until all users of a barrier have arrived.
    Barrier(Resource),
    /// Lets other threads run first.
    Yield,
    /// Wakes a thread (by number in the scenario). The wake-up is remembered if the thread does not wait for one.
    Wake(usize),
    /// Waits for a wake-up, or takes a remembered one.
    AwaitWake,
    /// Makes a call of a process; waits if the call does. [`Body::answer`] receives the answer.
    Call(Call),
    /// Requests something for its own thread. [`Body::own_answered`] receives the answer.
    OwnRequest(OwnRequest),
    /// Reads the schedulers of a family. [`Body::shown`] receives the answer.
    Query(String),
    /// Requests something for a thread of another. [`Body::answered`] receives the answer.
    Request(ThreadRequest),
    /// Asks the scheduler above about its own tasks, or the one above that process about the tasks of that. [`Body::task_answered`] receives the answer.
    Task(Option<ProcessHandle>, TaskRequest),
    /// Visits a station of the machine, while its processor stands still.
    Visit(Station),
    /// Reports something about itself.
    Annotate(Annotation),
    /// Fails: the program cannot continue.
    Fail(ProgramError),
    /// Exits.
    Exit,
}

/// A running program.
///
/// ```
/// use windfall_programs::{Action, Body};
/// use windfall_time::{Instant, Span};
///
/// /// Computes a millisecond and sleeps until the next full 10 ms, for ever.
/// struct Beat {
///     computed: bool,
/// }
///
/// impl Body for Beat {
///     fn next(&mut self, now: Instant) -> Action {
///         self.computed = !self.computed;
///         if self.computed {
///             return Action::Compute(Span::from_millis(1));
///         }
///         let periods = now.as_nanos() / 10_000_000 + 1;
///         Action::SleepUntil(Instant::from_nanos(periods * 10_000_000))
///     }
/// }
///
/// let mut beat = Beat { computed: false };
/// assert_eq!(beat.next(Instant::ZERO), Action::Compute(Span::from_millis(1)));
/// let after = Instant::from_nanos(1_000_000);
/// assert_eq!(beat.next(after), Action::SleepUntil(Instant::from_nanos(10_000_000)));
/// ```
pub trait Body: Send {
    /// The next action of the thread, whose last action is done.
    fn next(&mut self, now: Instant) -> Action;

    /// The job that begins as a sleep ends, taken by the host when it wakes the thread; `next` then continues after
    /// it. A body that answers `None` may still begin a job by its next action, when the thread has a processor.
    fn begins_awake(&mut self) -> Option<Job> {
        None
    }

    /// The host aborts the thread's current job; the next call of `next` continues as if the job were done.
    fn abandon_job(&mut self) {}

    /// The answer to the call that the body requested last; a call of `next` follows.
    fn answer(&mut self, _: Answer) {}

    /// The answer to what the body [asked](Action::OwnRequest) for last; a call of `next` follows.
    fn own_answered(&mut self, _: Result<(), RequestError>) {}

    /// The schedulers that the body [queried](Action::Query); `None` on a host without schedulers. A call of `next` follows.
    fn shown(&mut self, _: Option<Vec<SchedulerView>>) {}

    /// The answer to what the body [requested](Action::Request) last; a call of `next` follows.
    fn answered(&mut self, _: Result<(), ThreadRequestError>) {}

    /// The answer to what the body asked about [tasks](Action::Task) last; a call of `next` follows.
    fn task_answered(&mut self, _: Result<TaskReply, TaskError>) {}
}
