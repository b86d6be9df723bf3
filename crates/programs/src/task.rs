//! Tasks of a process: work with a deadline, which the scheduler above the process admits or refuses when it is submitted
//! (PORTS 2.2; decisions 0029 and 0033).

use crate::process::{Event, ProcessError, ProcessHandle};
use core::fmt;
use std::sync::Arc;
use windfall_time::{Instant, Span};

/// A task of a process that was admitted. Each process numbers its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskId(u32);

impl TaskId {
    /// The task of this number.
    #[must_use]
    pub const fn new(number: u32) -> TaskId {
        TaskId(number)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// The time that a scheduler has not promised to any task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct IdleTime {
    /// The most work that would be admitted with the deadline that was asked about.
    pub idle: Span,
    /// The earliest deadline with which the work would be admitted; `None`: there is none.
    pub earliest: Option<Instant>,
}

impl IdleTime {
    /// So much before the deadline, and this earliest deadline.
    #[must_use]
    pub const fn new(idle: Span, earliest: Option<Instant>) -> IdleTime {
        IdleTime { idle, earliest }
    }
}

/// A request to the scheduler above a process about its tasks, by the process or, if that is [open](Self::Open), by another.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskRequest {
    /// Admit this much processor time by the deadline.
    Submit {
        /// Processor time, at most.
        work: Span,
        /// When it must be done.
        deadline: Instant,
    },
    /// Could this be admitted? Changes nothing.
    Query {
        /// Processor time.
        work: Span,
        /// When it would have to be done.
        deadline: Instant,
    },
    /// Could all of these, each a work and a deadline, be admitted one after the other? Changes nothing.
    WhatIf(Arc<[(Span, Instant)]>),
    /// The task will not be done.
    Withdraw(TaskId),
    /// The task is done.
    Finish(TaskId),
    /// As `Submit`, for another process: if it is admitted, that is told at the same moment, by a post whose datum is the task's number.
    Assign {
        /// Processor time, at most.
        work: Span,
        /// When it must be done.
        deadline: Instant,
        /// An event of the other process.
        event: Event,
    },
    /// Other processes may make these requests for this one from now on, until it exits.
    Open,
}

/// The answer of a scheduler to a [`TaskRequest`] that it carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskReply {
    /// The task was admitted.
    Admitted(TaskId),
    /// The answer to a query.
    Idle(IdleTime),
    /// All of several tasks would be admitted.
    Fits,
    /// The task has ended.
    Ended,
    /// Others may make requests.
    Opened,
}

/// Why a [`TaskRequest`] was refused. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskError {
    /// The work cannot be done by the deadline beside all that was admitted before.
    NoTime {
        /// The work.
        work: Span,
        /// An alternative that would be admitted.
        instead: IdleTime,
    },
    /// Of several tasks this one would not be admitted; those before it would be.
    OneOf {
        /// Its place among them, from 0.
        index: usize,
        /// Why it would not, with those before it admitted.
        why: Box<TaskError>,
    },
    /// The scheduler keeps no more tasks.
    Full {
        /// The limit and where it comes from.
        limit: &'static str,
    },
    /// The process has no such task: it has ended, was used up, or was lost when the supply failed.
    NoSuchTask {
        /// The task.
        task: TaskId,
    },
    /// The process exists, but what is above it admits no tasks, or not this one.
    NotAdmitting {
        /// The reason, in words.
        why: String,
    },
    /// The process has exited, or has not opened its tasks to others.
    NotOpen {
        /// The process.
        process: ProcessHandle,
    },
    /// The event by which the process was to learn of the task cannot be posted.
    NotPosted {
        /// The reason.
        why: ProcessError,
    },
    /// This host has no schedulers.
    NotHere,
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskError::NoTime { work, instead: IdleTime { idle, earliest } } => {
                write!(f, "{work} cannot be done by then: {idle} is free before that deadline")?;
                match earliest {
                    Some(at) => write!(f, "; the earliest deadline for it is {at}"),
                    None => f.write_str("; no deadline is late enough for it"),
                }
            }
            TaskError::OneOf { index, why } => write!(f, "task {index}, counted from 0: {why}"),
            TaskError::Full { limit } => write!(f, "no room for another task: {limit}"),
            TaskError::NoSuchTask { task } => write!(
                f,
                "task {} has ended, was used up, or was lost when processor time failed",
                task.0
            ),
            TaskError::NotAdmitting { why } => f.write_str(why),
            TaskError::NotOpen { process } => write!(
                f,
                "{} takes no tasks of others; it must call `open_tasks` first, and not have exited",
                process.handle()
            ),
            TaskError::NotPosted { why } => write!(f, "its process cannot learn of it: {why}"),
            TaskError::NotHere => f.write_str(
                "this host has no schedulers; run the process below a scheduler that admits tasks",
            ),
        }
    }
}

impl core::error::Error for TaskError {}
