//! A submission, and its name once it is admitted.

use core::fmt;
use windfall_time::{Instant, Span};

/// A task of one processor: an index, and how many had it before. The name of another processor's task names no task here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
    /// Which processor, by a number that each gets when it is made.
    pub(crate) processor: u32,
}

// Without the processor's number, which no decision depends on: equal runs print equal text.
impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}.{}", self.index, self.generation)
    }
}

/// The request of a submitted task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Request {
    /// Its worst-case work, at which it is interrupted.
    pub work: Span,
    /// When it must have ended, where its scheduler promises that.
    pub deadline: Option<Instant>,
    /// Its priority or score, where its scheduler has ranks: the higher goes first.
    pub rank: i64,
    /// A number for the state that it uses, for those who place it.
    pub state: Option<u64>,
}

impl Request {
    /// Work that must have ended by a deadline.
    #[must_use]
    pub const fn by(work: Span, deadline: Instant) -> Request {
        Request { work, deadline: Some(deadline), rank: 0, state: None }
    }

    /// Work of a priority, or with a score.
    #[must_use]
    pub const fn ranked(work: Span, rank: i64) -> Request {
        Request { work, deadline: None, rank, state: None }
    }

    /// The same, using this state.
    #[must_use]
    pub const fn using(self, state: u64) -> Request {
        Request { state: Some(state), ..self }
    }
}

/// The task that a scheduler wants its processor to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Claim {
    /// The task.
    pub task: TaskId,
    /// By when, within the scheduler's share; `None` if it has no share, and takes what others leave.
    pub deadline: Option<Instant>,
    /// For how long at most, until the scheduler is to be asked again.
    pub at_most: Span,
}

impl Claim {
    /// A claim.
    #[must_use]
    pub const fn new(task: TaskId, deadline: Option<Instant>, at_most: Span) -> Claim {
        Claim { task, deadline, at_most }
    }
}
