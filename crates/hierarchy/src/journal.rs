//! The record of what the infrastructure did, for traces, tests and explanations.
//!
//! Off by default. When on, entries go into a buffer of fixed capacity, which the host drains after each call.
//! Entries that do not fit are counted, never dropped silently.

use crate::error::SchedulerError;
use crate::id::{NodeId, OwnVp, Target, ThreadId};
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// A notification that a scheduler received.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Notification {
    /// `register`
    Register,
    /// `unregister`
    Unregister,
    /// `request`
    Request,
    /// `release`
    Release,
    /// `message`, by name
    Message(&'static str),
    /// `parent_notice`, by name
    ParentNotice(&'static str),
    /// `grant`
    Grant,
    /// `revoke`
    Revoke,
    /// `timer`
    Timer,
}

/// A remark of a scheduler about a child.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Note {
    /// This much of its budget is left.
    Budget(Span),
    /// Its budget is used up until its next period.
    Exhausted,
    /// A new period begins with this budget.
    Replenished(Span),
    /// This much is reserved for the period that begins; the amount changes from period to period.
    Reserved(Span),
    /// In the period that ended it received this much, not counting stolen time.
    Received(Span),
    /// It was raised above its own priority.
    Boosted,
    /// It was raised because it starved.
    Rescued,
    /// Its deadline passed with work left; the job continues.
    Late,
    /// Its deadline passed with work left. It receives no more time until its next job, and the host aborts this
    /// job.
    Expired,
    /// A task was admitted that needs this much.
    Admitted(Span),
    /// A task was refused: this much would have been admitted with its deadline; zero also where the scheduler does not know.
    Refused(Span),
    /// A task ended and left this much of its time to others.
    Absorbed(Span),
    /// A task that was admitted can no longer be done in time, because time was not supplied; this much of it was left.
    Lost(Span),
    /// This much of the scheduler's own laxity was moved to it.
    Moved(Span),
}

/// An event inside the hierarchy.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JournalEvent {
    /// A scheduler was notified.
    Notified {
        /// The notification.
        what: Notification,
        /// The child concerned. `None` for `grant` and `revoke`, which concern an own VP.
        about: Option<Target>,
    },
    /// A scheduler made a note about a child.
    Noted {
        /// The note.
        note: Note,
        /// The child.
        about: Option<Target>,
        /// The child's task that the note is about, by the number with which it was submitted; `None` if it is about no task.
        task: Option<u32>,
    },
    /// A parent refused a message from this scheduler.
    MessageRefused {
        /// The name of the message.
        message: &'static str,
    },
    /// The parent of an own VP that this scheduler had taken out refused to take it back.
    RegistrationRefused {
        /// The own VP.
        own: OwnVp,
    },
    /// The scheduler broke the protocol and was quarantined.
    Quarantined {
        /// The broken rule.
        defect: SchedulerError,
    },
}

/// One event, with its time and scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JournalEntry {
    /// Time of the host's call.
    pub at: Instant,
    /// The scheduler.
    pub node: NodeId,
    /// The event.
    pub what: JournalEvent,
}

impl JournalEntry {
    /// The thread whose job expired, if the entry says so. The host must abort that job.
    #[must_use]
    pub const fn expired(&self) -> Option<ThreadId> {
        match self.what {
            JournalEvent::Noted {
                note: Note::Expired,
                about: Some(Target::Thread(thread)),
                ..
            } => Some(thread),
            _ => None,
        }
    }
}

/// The buffer, its capacity, and the number of lost entries.
#[derive(Clone, Default)]
pub(crate) struct Journal {
    entries: Vec<JournalEntry>,
    capacity: usize,
    pub(crate) notifications: bool,
    lost: u64,
}

impl Journal {
    pub(crate) fn open(&mut self, capacity: usize, notifications: bool) {
        self.capacity = capacity;
        self.notifications = notifications;
        self.entries.reserve_exact(capacity);
    }

    /// Whether notes are recorded at all.
    pub(crate) const fn is_open(&self) -> bool {
        self.capacity > 0
    }

    pub(crate) fn push(&mut self, entry: JournalEntry) {
        if self.entries.len() < self.capacity {
            self.entries.push(entry);
        } else if self.capacity > 0 {
            self.lost += 1;
        }
    }

    pub(crate) fn drain(&mut self) -> impl Iterator<Item = JournalEntry> + '_ {
        self.entries.drain(..)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) const fn lost(&self) -> u64 {
        self.lost
    }
}
