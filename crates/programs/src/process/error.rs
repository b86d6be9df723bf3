//! What stands in the way of what a process asks.

use super::{Event, EventId, Handle, Kind, Node, Queue};
use core::fmt;
use windfall_time::Instant;

/// Why a process did not get what it asked for. Nothing has changed, but where a variant says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProcessError {
    /// The word is no handle that this system has made.
    Forged {
        /// The word.
        handle: Handle,
    },
    /// The handle names something of another kind.
    WrongKind {
        /// The handle.
        handle: Handle,
        /// What can be done this with.
        wanted: Kind,
    },
    /// What the handle named is gone.
    Stale {
        /// The handle.
        handle: Handle,
    },
    /// Only the owner of an event may do this.
    NotOwner {
        /// The event.
        event: Event,
    },
    /// The event was posted, and that was not waited for.
    AlreadyPosted {
        /// The event.
        event: Event,
    },
    /// The event stands in a queue, which alone posts it.
    InQueue {
        /// The event.
        event: Event,
    },
    /// The event has a timer.
    AlreadyTimed {
        /// The event.
        event: Event,
        /// When it is due.
        at: Instant,
    },
    /// The process owns no event that it could wait for.
    NoEvents,
    /// The set of events to wait for is empty.
    EmptySet,
    /// The queue holds as many data as it may.
    QueueFull {
        /// The queue.
        queue: Queue,
        /// How many.
        capacity: usize,
    },
    /// Who waited longest in the queue is gone, and now out of it. The datum was not handed over.
    DeadWaiter {
        /// The queue.
        queue: Queue,
        /// The event that stood there.
        event: Event,
    },
    /// Somebody waits in the queue that is to be deleted.
    HasWaiters {
        /// The queue.
        queue: Queue,
    },
    /// A queue for no data, or more than there can be.
    NoCapacity {
        /// What was asked for.
        capacity: usize,
        /// How many there can be.
        most: usize,
    },
    /// The template is of other code.
    WrongCode {
        /// The template.
        template: Handle,
    },
    /// The machine has no such node.
    NoNode {
        /// Which.
        node: Node,
        /// How many it has.
        nodes: usize,
    },
    /// There are as many objects of this kind as there can be.
    NoRoom {
        /// The kind.
        kind: Kind,
    },
    /// The process is entered for the event already.
    AlreadyAdded {
        /// The event.
        id: EventId,
    },
    /// There are as many entries for events as there can be.
    TableFull {
        /// How many.
        most: usize,
    },
    /// There is no such priority.
    NoPriority {
        /// Which.
        priority: u8,
    },
    /// The node's scheduler would not have the process; the run's outcome says why.
    NotAdmitted {
        /// Where.
        node: Node,
    },
    /// A process can be ended by itself alone.
    NotDeletable {
        /// The process.
        handle: Handle,
    },
    /// The host cannot do this.
    NotHere {
        /// Why, and where it could be done.
        why: &'static str,
    },
}

impl fmt::Display for ProcessError {
    // Length: a table: the words for each error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessError::Forged { handle } => write!(
                f,
                "{handle} is no handle of this system; use one that making the object returned"
            ),
            ProcessError::WrongKind { handle, wanted } => {
                write!(f, "{handle} is given where a handle of kind {} is needed", wanted.name())
            }
            ProcessError::Stale { handle } => write!(f, "{handle} is gone; make another"),
            ProcessError::NotOwner { event } => {
                write!(f, "{} belongs to another process; it can be posted only", event.handle())
            }
            ProcessError::AlreadyPosted { event } => {
                write!(
                    f,
                    "{} is posted; its owner must wait for it or reset it first",
                    event.handle()
                )
            }
            ProcessError::InQueue { event } => write!(
                f,
                "{} stands in a queue, which alone posts it; its owner may reset it, or use another event",
                event.handle()
            ),
            ProcessError::AlreadyTimed { event, at } => {
                write!(f, "{} has a timer for {at}; cancel that first", event.handle())
            }
            ProcessError::NoEvents => f.write_str(
                "the process has no event to wait for; make one, and let others know its handle",
            ),
            ProcessError::EmptySet => {
                f.write_str("a set of no events is waited for; name at least one")
            }
            ProcessError::QueueFull { queue, capacity } => {
                write!(
                    f,
                    "{} holds {capacity} data, and no more fit; dequeue first",
                    queue.handle()
                )
            }
            ProcessError::DeadWaiter { queue, event } => write!(
                f,
                "{} waited in {} and is gone; it is out of the queue: enqueue again",
                event.handle(),
                queue.handle()
            ),
            ProcessError::HasWaiters { queue } => {
                write!(f, "somebody waits in {}; hand them something first", queue.handle())
            }
            ProcessError::NoCapacity { capacity, most } => {
                write!(f, "a queue for {capacity} data is asked for; allowed: 1 to {most}")
            }
            ProcessError::WrongCode { template } => {
                write!(f, "{template} is loaded with other code; use the template of this process")
            }
            ProcessError::NoNode { node, nodes } => {
                write!(f, "there is no {node}; the machine has {nodes}, counted from 0")
            }
            ProcessError::NoRoom { kind } => {
                write!(
                    f,
                    "there is no room for another {}; delete one that is not needed",
                    kind.name()
                )
            }
            ProcessError::AlreadyAdded { id } => {
                write!(
                    f,
                    "the process is entered for event {} already; wait for it or delete it",
                    id.0
                )
            }
            ProcessError::TableFull { most } => {
                write!(
                    f,
                    "{most} entries for events are all there can be; delete one that is not needed"
                )
            }
            ProcessError::NoPriority { priority } => {
                write!(f, "there is no priority {priority}; allowed: 0 to 3")
            }
            ProcessError::NotAdmitted { node } => {
                write!(f, "the scheduler of {node} would not have the process; ask for less")
            }
            ProcessError::NotDeletable { handle } => {
                write!(f, "{handle} ends by itself only: its body returns")
            }
            ProcessError::NotHere { why } => f.write_str(why),
        }
    }
}

impl std::error::Error for ProcessError {}
