//! Why the threads below a scheduler are no application.

use core::fmt;

/// Why the threads directly below a scheduler are no tasks for an analysis. The messages say what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ApplicationError {
    /// No scheduler has this name.
    UnknownScheduler(String),
    /// The scheduler has several virtual processors.
    SeveralProcessors {
        /// The scheduler.
        scheduler: String,
        /// How many it has.
        count: usize,
    },
    /// Processors of the machine have another speed than 1.
    Speed,
    /// A scheduler is a sibling of the threads.
    SchedulerBeside {
        /// The scheduler above.
        scheduler: String,
        /// The one beside them.
        beside: String,
    },
    /// No thread is directly below this scheduler.
    NoThreads(String),
    /// This thread never stops.
    NeverStops(String),
    /// This thread declares another rate than its program has.
    OtherRate(String),
    /// This thread has no period.
    NotPeriodic(String),
    /// The work of this thread is not written.
    WorkNotSaid(String),
    /// This thread has no work.
    NoWork(String),
    /// The time that this thread holds a lock is unknown.
    EndlessSection {
        /// The thread.
        thread: String,
        /// The lock.
        lock: String,
    },
    /// This thread shares a lock with a thread below another scheduler.
    LockElsewhere {
        /// The thread.
        thread: String,
        /// The lock.
        lock: String,
        /// A thread there that takes the lock.
        other: String,
    },
}

impl fmt::Display for ApplicationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApplicationError::UnknownScheduler(name) => {
                write!(f, "no scheduler is called `{name}`; name one of the file's")
            }
            ApplicationError::SeveralProcessors { scheduler, count } => write!(
                f,
                "`{scheduler}` has {count} virtual processors, and a reservation is for one; split its \
                 threads among schedulers with one each"
            ),
            ApplicationError::Speed => f.write_str(
                "processors differ from speed 1, and reservations count time, not work; \
                 write the times that the work takes there, as `--task 2ms/10ms`",
            ),
            ApplicationError::SchedulerBeside { scheduler, beside } => write!(
                f,
                "`{beside}` below `{scheduler}` is a scheduler, and what it needs has no period; move it, or \
                 the threads, below another"
            ),
            ApplicationError::NoThreads(scheduler) => {
                write!(f, "no thread is directly below `{scheduler}`; name the one above them")
            }
            ApplicationError::NeverStops(thread) => write!(
                f,
                "thread `{thread}` never stops, so that no reservation is enough; move it below \
                 another scheduler, or write `periodic`"
            ),
            ApplicationError::OtherRate(thread) => write!(
                f,
                "thread `{thread}` tells its scheduler another rate than its program has; leave \
                 `rate` out"
            ),
            ApplicationError::NotPeriodic(thread) => write!(
                f,
                "thread `{thread}` is not periodic; write `periodic = \"1ms/10ms\"` or `sporadic`, \
                 give it a `rate` with the work, or move it below another scheduler"
            ),
            ApplicationError::WorkNotSaid(thread) => {
                write!(f, "thread `{thread}` does not say how long it works; add it to its `rate`")
            }
            ApplicationError::EndlessSection { thread, lock } => write!(
                f,
                "nobody knows how long thread `{thread}` holds the lock `{lock}`; give it back in the phase that takes \
                 it, and wait for nothing in between"
            ),
            ApplicationError::LockElsewhere { thread, lock, other } => write!(
                f,
                "thread `{thread}` shares the lock `{lock}` with `{other}`, which is below another scheduler, so that \
                 no reservation is enough; put both below one scheduler"
            ),
            ApplicationError::NoWork(thread) => {
                write!(f, "thread `{thread}` has no work; leave it out")
            }
        }
    }
}

impl std::error::Error for ApplicationError {}
