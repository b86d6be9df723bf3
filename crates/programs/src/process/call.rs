//! The calls of a process and their answers, as values.

mod kind;

pub use kind::CallKind;

use super::{
    Device, Event, EventId, Handle, Node, ProcessError, ProcessHandle, ProcessParams, Queue, Start,
};
use windfall_time::Instant;

/// A call that the host carries out at one instant. [`Process`](super::Process) says what each does and refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Call {
    /// Reads the clock.
    Now,
    /// Loads the code of a kind.
    MakeTemplate {
        /// The node.
        node: Node,
        /// The kind.
        name: &'static str,
        /// Its size in KiB.
        kib: u64,
    },
    /// Starts a process.
    MakeProcess(Box<NewProcess>),
    /// Makes an event.
    MakeEvent,
    /// Posts an event.
    Post {
        /// The event.
        event: Event,
        /// The datum.
        datum: u64,
    },
    /// Makes an event idle again.
    Reset(Event),
    /// Reads the state of an event.
    Test(Event),
    /// Waits for any of its events.
    Wait,
    /// Waits for one of these events.
    MWait(Vec<Event>),
    /// Sets a timer that posts an event.
    PostAt {
        /// The event.
        event: Event,
        /// The datum.
        datum: u64,
        /// The time.
        at: Instant,
    },
    /// Cancels the timer of an event.
    Cancel(Event),
    /// Has a device post an event.
    Attach {
        /// The device.
        device: Device,
        /// The event.
        event: Event,
    },
    /// Has a device post its event no longer.
    Detach(Device),
    /// Makes a dual queue.
    MakeQueue {
        /// The node.
        node: Node,
        /// The largest number of data.
        capacity: usize,
    },
    /// Finds the queue of a name, or makes it.
    NamedQueue {
        /// The name.
        name: String,
        /// The largest number of data.
        capacity: usize,
    },
    /// Puts a datum into a queue.
    Enqueue {
        /// The queue.
        queue: Queue,
        /// The datum.
        datum: u64,
    },
    /// Takes a datum, or enters the queue.
    Dequeue {
        /// The queue.
        queue: Queue,
        /// The event that is to wait in the queue.
        event: Event,
    },
    /// Deletes an object.
    Delete(Handle),
    /// Wakes a process.
    Wakeup(ProcessHandle),
    /// Waits for a wakeup.
    Block,
    /// Enters itself for an event.
    AddEvent(EventId),
    /// Removes that entry.
    DelEvent(EventId),
    /// Notifies an event.
    Notify(EventId),
    /// Waits for a notification.
    WaitEvent(EventId),
    /// Has notices posted to an event.
    Notices(Event),
}

/// A process to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NewProcess {
    /// The handle of its template.
    pub template: Handle,
    /// Its scheduling parameters.
    pub params: ProcessParams,
    /// Its code and its node.
    pub start: Start,
}

/// The result of a call in two registers. The call determines which of them are meaningful.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The object that was made, or the event.
    pub handle: Handle,
    /// A datum, the time in nanoseconds, a count, or a truth value: yes (1) or no (0).
    pub datum: Option<u64>,
}

/// The answer to a call.
pub type Answer = Result<Reply, ProcessError>;

impl Reply {
    /// The reply of a call without a result.
    pub(crate) const DONE: Reply = Reply { handle: Handle::from_word(0), datum: None };

    pub(crate) fn made(handle: impl Into<Handle>) -> Reply {
        Reply { handle: handle.into(), datum: None }
    }

    pub(super) const fn datum(datum: Option<u64>) -> Reply {
        Reply { datum, ..Reply::DONE }
    }
}
