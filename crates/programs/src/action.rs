//! What a program asks of its host.

use crate::process::{Answer, Call};
use crate::runtime::ProgramError;
use windfall_time::{Instant, Span};

/// A lock, condition or barrier, by number in the scenario.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Resource(pub usize);

/// What a late arrival does to a timer's grid (rt-app `mode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tick {
    /// The grid starts anew from the late arrival.
    #[default]
    Relative,
    /// The grid stays, so lateness carries over.
    Absolute,
}

/// What a thread does next.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Computes so much, in processor time at speed 1.
    Compute(Span),
    /// Waits until an instant; goes on at once if that has passed.
    SleepUntil(Instant),
    /// Waits until its next job has been released. The host then asks for the next action; the
    /// job's deadline is known to it.
    AwaitJob,
    /// The job it works at is done.
    JobDone,
    /// A job begins that was released then, and is due at `deadline` if it ever is.
    JobBegins {
        /// When it was released.
        release: Instant,
        /// When it is due.
        deadline: Option<Instant>,
    },
    /// Takes a lock, waiting if need be.
    Lock(Resource),
    /// Gives a lock back.
    Unlock(Resource),
    /// Gives a lock back, waits for a signal, takes the lock again.
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
    /// Lets others go first.
    Yield,
    /// Wakes a thread (by number in the scenario); remembered if it does not wait.
    Wake(usize),
    /// Waits for a wake-up, or takes one that was remembered.
    AwaitWake,
    /// Calls the system of processes; waits if the call does. [`Body::answer`] is told what comes of it.
    Call(Call),
    /// Cannot go on.
    Fail(ProgramError),
    /// Ends.
    Exit,
}

/// A program under way.
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
    /// What the thread does next, now that its last action is done.
    fn next(&mut self, now: Instant) -> Action;

    /// The host gives up the job that the thread works at; `next` is asked as if it were done.
    fn abandon_job(&mut self) {}

    /// What came of the call that the body asked for last; `next` follows.
    fn answer(&mut self, _: Answer) {}
}
