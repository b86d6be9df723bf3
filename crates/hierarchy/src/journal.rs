//! What the infrastructure did, for whoever wants to watch: traces, tests, explanations.
//!
//! Off by default. When on, entries go into a buffer of fixed capacity that the host drains after
//! each call; what does not fit is counted, never silently dropped.

use crate::error::SchedulerError;
use crate::id::{NodeId, Target, ThreadId};
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

/// What a scheduler may tell about a child.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Note {
    /// So much of its budget is left.
    Budget(Span),
    /// Its budget is used up until its next period.
    Exhausted,
    /// A new period begins with so much budget.
    Replenished(Span),
    /// For the period that begins so much is reserved, which changes from period to period.
    Reserved(Span),
    /// A period is over in which it received so much, stolen time left out.
    Received(Span),
    /// It was raised above its own priority.
    Boosted,
    /// It was rescued from starvation.
    Rescued,
    /// Its deadline passed with work left; it goes on.
    Late,
    /// Its deadline passed with work left; it gets nothing more until its next job. A host gives
    /// the job up.
    Expired,
}

/// One thing that happened inside.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JournalEvent {
    /// A scheduler was notified; `about` is the child concerned (or, for `grant` and `revoke`,
    /// nobody: it concerns an own VP).
    Notified {
        /// What.
        what: Notification,
        /// The child at the other end, if one is concerned.
        about: Option<Target>,
    },
    /// A scheduler noted something about a child.
    Noted {
        /// What.
        note: Note,
        /// The child.
        about: Option<Target>,
    },
    /// A message that a scheduler sent to its parent was refused.
    MessageRefused {
        /// The message.
        message: &'static str,
    },
    /// The scheduler broke the protocol.
    Quarantined {
        /// How.
        defect: SchedulerError,
    },
}

/// A happening, when and at which scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JournalEntry {
    /// When.
    pub at: Instant,
    /// At which scheduler.
    pub node: NodeId,
    /// What.
    pub what: JournalEvent,
}

impl JournalEntry {
    /// The thread whose job its scheduler has given up, if that is what happened: its host does then.
    #[must_use]
    pub const fn expired(&self) -> Option<ThreadId> {
        match self.what {
            JournalEvent::Noted { note: Note::Expired, about: Some(Target::Thread(thread)) } => {
                Some(thread)
            }
            _ => None,
        }
    }
}

/// The buffer.
#[derive(Default)]
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

    /// Whether notes are wanted at all.
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
