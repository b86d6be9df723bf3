//! Why a run ends before its end.

use crate::{Key, ProcessNumber};
use core::fmt;
use std::collections::TryReserveError;
use windfall_time::Instant;

/// An error of a model. Events committed before it stay committed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RunError {
    /// A handler sent an event that is not later than its own.
    BeforeCause {
        /// The event that was handled; at the beginning of a process, none.
        cause: Option<Key>,
        /// Its sender.
        from: ProcessNumber,
        /// To whom.
        to: ProcessNumber,
        /// When it were to take effect.
        at: Instant,
    },
    /// A handler sent an event to a process that does not exist.
    NoProcess {
        /// Its sender.
        from: ProcessNumber,
        /// To whom.
        to: ProcessNumber,
        /// How many there are, from 0.
        processes: u32,
    },
    /// A process gave an output at its beginning, where there is no event that could be certain.
    EarlyOutput {
        /// Which.
        from: ProcessNumber,
    },
    /// A handler panicked.
    Panicked {
        /// The event that it handled.
        event: Key,
        /// Its message.
        message: String,
    },
    /// The receiver of outputs panicked. The event has taken effect.
    CommitPanicked {
        /// The event whose output was taken.
        event: Key,
        /// Its message.
        message: String,
    },
    /// Undoing an event, cloning the state of its process, or comparing or cloning what it sent panicked.
    StatePanicked {
        /// The event.
        event: Key,
        /// Its message.
        message: String,
    },
    /// A value of the model panicked before when it was dropped.
    Interrupted,
    /// The system starts no thread.
    NoThread {
        /// How many there were already.
        threads: usize,
        /// Its message.
        message: String,
    },
    /// The system has no memory for as many events as may wait, be done ahead, and be kept to go back.
    NoMemory {
        /// How many may wait and be done ahead.
        events: usize,
        /// How many more are kept since the last copies of states ([`Saving::Copies`](crate::Saving::Copies)).
        kept: usize,
        /// Its message.
        message: String,
    },
    /// More events wait than there is memory for.
    Full {
        /// The event whose handler sent one too many; at the beginning of a process, none.
        cause: Option<Key>,
        /// Its sender.
        from: ProcessNumber,
        /// How many may wait.
        events: usize,
    },
}

impl RunError {
    pub(crate) fn no_memory((events, kept): (usize, usize), error: &TryReserveError) -> RunError {
        RunError::NoMemory { events, kept, message: error.to_string() }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |cause: &Option<Key>| match cause {
            Some(cause) => format!(" when it handled {cause}"),
            None => " at the beginning".to_owned(),
        };
        match self {
            RunError::BeforeCause { cause, from, to, at } => {
                let when = by(cause);
                write!(
                    f,
                    "{from} sent an event to {to} at {at}{when}; an event must be later than its cause"
                )
            }
            RunError::NoProcess { from, to, processes } => {
                write!(f, "{from} sent an event to {to}; there are {processes} processes, from 0")
            }
            RunError::EarlyOutput { from } => {
                write!(f, "{from} gave an output at the beginning; it can send itself an event")
            }
            RunError::NoThread { threads, message } => {
                write!(f, "only {threads} threads can be started, use no more: {message}")
            }
            RunError::Panicked { event, message } => {
                write!(f, "the handler of {} panicked at {event}: {message}", event.to)
            }
            RunError::CommitPanicked { event, message } => {
                write!(f, "taking the output of {event} panicked: {message}")
            }
            RunError::StatePanicked { event, message } => {
                let to = event.to;
                write!(
                    f,
                    "undoing, cloning or comparing what {to} has panicked at {event}: {message}"
                )
            }
            RunError::Interrupted => {
                f.write_str("dropping a value of the model panicked; mend that of the model")
            }
            RunError::NoMemory { events, kept, message } if kept > events => write!(
                f,
                "no memory for {kept} events that are kept since the last copies of states, copy these more often: {message}"
            ),
            RunError::NoMemory { events, message, .. } => {
                write!(f, "no memory for {events} events, allow fewer: {message}")
            }
            RunError::Full { cause, from, events } => {
                let when = by(cause);
                write!(
                    f,
                    "all {events} events wait, and {from} sent one more{when}; allow more, or send fewer"
                )
            }
        }
    }
}

impl core::error::Error for RunError {}
