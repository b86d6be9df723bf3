//! What a process asks of its host, and what it is answered, as values.

use super::{
    Event, EventId, Handle, Node, ProcessError, ProcessHandle, ProcessParams, Queue, Start,
};
use windfall_time::Instant;

/// A call that the host carries out at one instant. What each does and refuses stands at [`Process`](super::Process).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Call {
    /// Reads the clock.
    Now,
    /// Loads code of a kind.
    MakeTemplate {
        /// Where.
        node: Node,
        /// The kind.
        name: &'static str,
        /// Its size.
        kib: u64,
    },
    /// Starts a process.
    MakeProcess(Box<NewProcess>),
    /// Makes an event.
    MakeEvent,
    /// Posts an event.
    Post {
        /// Which.
        event: Event,
        /// With what.
        datum: u64,
    },
    /// Makes an event as good as new.
    Reset(Event),
    /// Looks at an event.
    Test(Event),
    /// Waits for any event.
    Wait,
    /// Waits for one of these.
    MWait(Vec<Event>),
    /// Has an event posted later.
    PostAt {
        /// Which.
        event: Event,
        /// With what.
        datum: u64,
        /// When.
        at: Instant,
    },
    /// Takes a timer back.
    Cancel(Event),
    /// Makes a dual queue.
    MakeQueue {
        /// Where.
        node: Node,
        /// For so many data.
        capacity: usize,
    },
    /// Puts a datum into a queue.
    Enqueue {
        /// Which.
        queue: Queue,
        /// What.
        datum: u64,
    },
    /// Takes a datum, or waits in the queue.
    Dequeue {
        /// Which.
        queue: Queue,
        /// With what.
        event: Event,
    },
    /// Does away with something.
    Delete(Handle),
    /// Wakes a process.
    Wakeup(ProcessHandle),
    /// Waits for a wake-up.
    Block,
    /// Enters itself for an event.
    AddEvent(EventId),
    /// Takes that back.
    DelEvent(EventId),
    /// Notifies an event.
    Notify(EventId),
    /// Waits for a notification.
    WaitEvent(EventId),
}

/// A process that is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NewProcess {
    /// The handle of its code.
    pub template: Handle,
    /// How it shares processors.
    pub terms: ProcessParams,
    /// What it runs, and where.
    pub start: Start,
}

/// What a call returns, as a machine returns it in registers: which of the two say something depends on the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// What was made, or which event it is.
    pub handle: Handle,
    /// A datum, the time in nanoseconds, a count, or yes (1) and no (0).
    pub datum: Option<u64>,
}

/// What a process is answered.
pub type Answer = Result<Reply, ProcessError>;

impl Reply {
    /// That it is done.
    pub(crate) const DONE: Reply = Reply { handle: Handle::from_word(0), datum: None };

    pub(crate) fn made(handle: impl Into<Handle>) -> Reply {
        Reply { handle: handle.into(), datum: None }
    }

    pub(super) const fn datum(datum: Option<u64>) -> Reply {
        Reply { datum, ..Reply::DONE }
    }
}
