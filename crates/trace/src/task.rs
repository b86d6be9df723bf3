//! The fate of a task of a thread: work with a deadline that a scheduler admits or refuses (PORTS 2.2).

use windfall_time::{Instant, Span};

/// An answer to a task, or what became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskEvent {
    /// It was refused.
    Refused {
        /// Its work.
        work: Span,
        /// Why.
        why: TaskRefusal,
    },
    /// It had been admitted and cannot be promised any longer.
    Lost {
        /// The work that was left of it, by its scheduler's account; `None`: its thread left the scheduler that had admitted it.
        left: Option<Span>,
        /// The time that was stolen from its thread's processor since it was submitted.
        stolen: Span,
    },
    /// It has ended.
    Ended {
        /// How.
        how: TaskEnd,
        /// The last that its scheduler said of it before.
        was: TaskState,
        /// The time that was stolen from its thread's processor since it was submitted.
        stolen: Span,
    },
}

/// Why a task was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TaskRefusal {
    /// It could not have been done by its deadline.
    NoTime {
        /// The most that would have been admitted with this deadline.
        idle: Span,
        /// The earliest deadline with which it would have been admitted; `None`: there is none.
        earliest: Option<Instant>,
    },
    /// The scheduler keeps no more tasks.
    SlotsTaken,
    /// Another reason, which only the submitter was told.
    Other,
}

/// How a task ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TaskEnd {
    /// Its process said that it is done.
    Done,
    /// It was taken back.
    Withdrawn,
    /// A client's, whose time has passed.
    UsedUp,
    /// Its thread, or the run, ended before it.
    Left,
}

/// The last that a scheduler said of a task that it had admitted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TaskState {
    /// Nothing since.
    Admitted,
    /// All the time that it may need has passed.
    UsedUp,
    /// It cannot be done in time.
    Lost,
}
