//! The form between a line and a [`Record`](crate::Record): threads by their number, order by line.

use super::limits;
use crate::{OverheadKind, Stop};

/// A thread as a line names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    pub(super) tid: u32,
    pub(super) name: Option<String>,
}

impl Task {
    /// Thread `tid`, 0 for idle, with its name if the line gives one; `None` beyond [`limits`].
    #[must_use]
    pub fn new(tid: u32, name: Option<&str>) -> Option<Task> {
        let short = name.is_none_or(|name| name.chars().count() <= limits::NAME);
        (short && tid <= limits::THREAD_NUMBER).then(|| Task { tid, name: name.map(str::to_owned) })
    }
}

/// The result of reading an event's own text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// It was read.
    Event(RawEvent),
    /// The event is one that is read, and its text is not understood.
    Malformed,
    /// The model has no use for the event.
    NotImported,
}

impl From<Option<RawEvent>> for Reading {
    /// Of an event that is read: `None` is a text that is not understood.
    fn from(raw: Option<RawEvent>) -> Reading {
        raw.map_or(Reading::Malformed, Reading::Event)
    }
}

/// The meaning of an event's line, on the processor that its head names.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RawEvent {
    /// Another thread runs.
    Switch {
        /// The thread that leaves.
        prev: Task,
        /// Why it leaves.
        stop: Stop,
        /// The thread that enters.
        next: Task,
    },
    /// A wake-up begins, on the waker's processor; `None` when it did not come about.
    Waking(Option<Task>),
    /// A wake-up is done, on whatever processor did it.
    Wakeup(Option<Task>),
    /// The first wake-up of a thread that was forked.
    WakeupNew(Option<Task>),
    /// Says no more than that the thread lives and what it is called.
    Seen(Task),
    /// A thread begins.
    Fork {
        /// The thread that begins.
        child: Task,
        /// Its process, if the line gives it.
        pid: Option<u32>,
    },
    /// Thread `old` goes on under the number `tid`, as a rule the same.
    Exec {
        /// The number from then on.
        tid: u32,
        /// The number until then.
        old: u32,
    },
    /// The thread of this number is about to end; its last switch says when it has.
    Exiting(u32),
    /// A thread has another name.
    Rename(Task),
    /// An interrupt begins.
    OverheadBegin {
        /// Its sort.
        kind: OverheadKind,
        /// Its number.
        number: u16,
    },
    /// The interrupt that began last ends.
    OverheadEnd {
        /// Its sort.
        kind: OverheadKind,
    },
    /// A text that a program wrote into the trace.
    Mark(String),
    /// Events of the processor are lost before this line.
    Lost {
        /// How many, if the line says so.
        count: Option<u64>,
    },
}

impl RawEvent {
    /// Whether its bare numbers are such as the kernel has; a [`Task`] has no others.
    pub(super) fn is_within_limits(&self) -> bool {
        let numbers = match self {
            RawEvent::Fork { pid, .. } => [*pid, None],
            RawEvent::Exec { tid, old } => [Some(*tid), Some(*old)],
            RawEvent::Exiting(tid) => [Some(*tid), None],
            _ => return true,
        };
        numbers.iter().flatten().all(|tid| *tid <= limits::THREAD_NUMBER)
    }
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
    pub(super) raw: RawEvent,
}

impl Waiting {
    /// A loss, which no line tells of as an event.
    pub(super) fn loss(ns: u64, seq: u64, cpu: Option<u16>, count: Option<u64>) -> Waiting {
        let (line, by, pid, interrupt) = (0, None, None, None);
        Waiting { ns, seq, line, cpu, by, pid, interrupt, raw: RawEvent::Lost { count } }
    }

    /// The thread that ran on the line's processor up to this line, 0 for idle; if it says so.
    pub(super) fn claims(&self) -> Option<u32> {
        match &self.raw {
            RawEvent::Lost { .. } => None,
            RawEvent::Switch { prev, .. } => Some(prev.tid),
            _ => self.by.as_ref().map(|task| task.tid),
        }
    }
}
