//! Why a run could not continue to its end.

use core::fmt;
use windfall_programs::{ProcessError, ProgramError, RequestError};
use windfall_time::Instant;

/// Why a run could not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RunError {
    /// A program acts for ever without using time.
    Stuck {
        /// The thread.
        thread: String,
        /// When.
        at: Instant,
    },
    /// A thread's backlog of jobs grows without limit.
    Backlog {
        /// The thread.
        thread: String,
        /// How many wait.
        jobs: usize,
        /// When.
        at: Instant,
    },
    /// A program unlocks what it has not locked.
    NotOwner {
        /// The thread.
        thread: String,
        /// When.
        at: Instant,
    },
    /// A process ended with an error of a refused call.
    Refused {
        /// The thread.
        thread: String,
        /// The error of the call.
        refusal: ProcessError,
        /// When.
        at: Instant,
    },
    /// A process ended because a request for itself was refused.
    RequestRefused {
        /// The thread.
        thread: String,
        /// The request, and why it was refused.
        refusal: Box<RequestError>,
        /// When.
        at: Instant,
    },
    /// A process awaits a future that no host carries out.
    Foreign {
        /// The thread.
        thread: String,
        /// When.
        at: Instant,
    },
    /// A process's body panicked.
    Panicked {
        /// The thread.
        thread: String,
        /// When.
        at: Instant,
    },
    /// A program visits a station that the machine does not have.
    NoStation {
        /// The thread.
        thread: String,
        /// When.
        at: Instant,
    },
    /// This number of scheduler notes was lost, and with them jobs to abort; a defect of the host.
    Journal(u64),
    /// The host could not carry on.
    Host {
        /// The reason, and what would work.
        why: String,
        /// When.
        at: Instant,
    },
}

impl RunError {
    /// A thread's program cannot continue.
    #[must_use]
    pub fn of(error: ProgramError, thread: String, at: Instant) -> RunError {
        match error {
            ProgramError::Stuck => RunError::Stuck { thread, at },
            ProgramError::Backlog(jobs) => RunError::Backlog { thread, jobs, at },
            ProgramError::NotOwner => RunError::NotOwner { thread, at },
            ProgramError::Refused(refusal) => RunError::Refused { thread, refusal, at },
            ProgramError::RequestRefused(refusal) => {
                RunError::RequestRefused { thread, refusal, at }
            }
            ProgramError::Foreign => RunError::Foreign { thread, at },
            ProgramError::Panicked => RunError::Panicked { thread, at },
            ProgramError::NoStation => RunError::NoStation { thread, at },
            other => RunError::Host { why: format!("thread `{thread}` {other}"), at },
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Stuck { thread, at } => write!(
                f,
                "thread `{thread}` acts for ever at {at} without computing or waiting; add a `run` \
                 or `sleep` step to its loop"
            ),
            RunError::Backlog { thread, jobs, at } => write!(
                f,
                "{jobs} jobs of thread `{thread}` wait for it at {at}; give it less work, a longer \
                 period, or `late = \"abort\"`"
            ),
            RunError::NotOwner { thread, at } => {
                write!(f, "thread `{thread}` unlocks a lock at {at} that it has not locked")
            }
            RunError::Refused { thread, refusal, at } => {
                write!(f, "process `{thread}` ends at {at}: {refusal}")
            }
            RunError::RequestRefused { thread, refusal, at } => {
                write!(f, "process `{thread}` ends at {at}: {refusal}")
            }
            RunError::Foreign { thread, at } => write!(
                f,
                "process `{thread}` awaits something at {at} that is not its process's, which nobody would wake; \
                 await calls of `Process` only"
            ),
            RunError::Panicked { thread, at } => {
                write!(f, "process `{thread}` panicked at {at}; what it said stands above")
            }
            RunError::NoStation { thread, at } => write!(
                f,
                "thread `{thread}` visits a station at {at} that its machine does not have; only the simulated machine has \
                 those of `[machine.stations]`"
            ),
            RunError::Journal(lost) => write!(f, "{lost} notes of schedulers were lost"),
            RunError::Host { why, at } => write!(f, "the host could not carry on at {at}: {why}"),
        }
    }
}

impl std::error::Error for RunError {}
