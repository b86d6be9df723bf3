//! The form between a line and a [`Record`](crate::Record): threads by their number, order by line.

use crate::{OverheadKind, Stop};

/// A thread as a line names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Task {
    /// 0 is idle.
    pub(super) tid: u32,
    pub(super) name: Option<String>,
}

/// The meaning of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Raw {
    Switch {
        prev: Task,
        stop: Stop,
        next: Task,
    },
    /// A wake-up begins, on the waker's processor; `None` when it did not come about.
    Waking(Option<Task>),
    /// A wake-up is done, on whatever processor did it.
    Wakeup(Option<Task>),
    WakeupNew(Option<Task>),
    /// Says no more than that the thread lives and what it is called.
    Seen(Task),
    Fork {
        child: Task,
        pid: Option<u32>,
    },
    /// Thread `old` goes on under the number `tid`, as a rule the same.
    Exec {
        tid: u32,
        old: u32,
    },
    Exiting(u32),
    Rename(Task),
    TheftBegin {
        kind: OverheadKind,
        number: u16,
    },
    TheftEnd {
        kind: OverheadKind,
    },
    Mark(String),
    Lost {
        count: Option<u64>,
    },
}

/// A line's content with what its head says, waiting for its turn.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) ns: u64,
    /// Position in the source; decides between equal times.
    pub(super) seq: u64,
    pub(super) line: u64,
    /// `None` for losses that name none.
    pub(super) cpu: Option<u16>,
    /// The thread in the line's head.
    pub(super) by: Option<Task>,
    pub(super) pid: Option<u32>,
    pub(super) interrupt: Option<bool>,
    pub(super) raw: Raw,
}

impl Waiting {
    /// The thread that ran on the line's processor up to this line, 0 for idle; if it says so.
    pub(super) fn claims(&self) -> Option<u32> {
        match &self.raw {
            Raw::Lost { .. } => None,
            Raw::Switch { prev, .. } => Some(prev.tid),
            _ => self.by.as_ref().map(|task| task.tid),
        }
    }
}
