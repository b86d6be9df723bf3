//! Errors of the calls of processes.

use super::{Device, Event, EventId, Handle, Kind, Node, Queue};
use crate::request::RequestError;
use core::fmt;
use windfall_time::Instant;

/// Why a call was refused. Nothing has changed, unless a variant says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProcessError {
    /// The word is not a handle that this system has made.
    Forged {
        /// The word.
        handle: Handle,
    },
    /// The handle names an object of another kind.
    WrongKind {
        /// The handle.
        handle: Handle,
        /// The kind that the call needs.
        wanted: Kind,
    },
    /// The object of the handle no longer exists.
    Stale {
        /// The handle.
        handle: Handle,
    },
    /// Only the owner of an event may do this.
    NotOwner {
        /// The event.
        event: Event,
    },
    /// The event is already posted, and the post has not been taken.
    AlreadyPosted {
        /// The event.
        event: Event,
    },
    /// The event is in a queue, and only the queue may post it.
    InQueue {
        /// The event.
        event: Event,
    },
    /// The event already has a timer.
    AlreadyTimed {
        /// The event.
        event: Event,
        /// The time at which that timer is due.
        at: Instant,
    },
    /// The process owns no event that it could wait for.
    NoEvents,
    /// The set of events to wait for is empty.
    EmptySet,
    /// The queue is full.
    QueueFull {
        /// The queue.
        queue: Queue,
        /// Its capacity.
        capacity: usize,
    },
    /// The event that has waited longest in the queue no longer exists, or has left it; it is now removed. The
    /// datum was not delivered.
    DeadWaiter {
        /// The queue.
        queue: Queue,
        /// The event that was in the queue.
        event: Event,
    },
    /// The queue cannot be deleted, because events wait in it.
    HasWaiters {
        /// The queue.
        queue: Queue,
    },
    /// A capacity of zero, or above the largest.
    NoCapacity {
        /// The requested capacity.
        capacity: usize,
        /// The largest capacity.
        most: usize,
    },
    /// The queue of that name has another capacity.
    OtherCapacity {
        /// The queue.
        queue: Queue,
        /// The capacity that it has.
        capacity: usize,
        /// The requested capacity.
        wanted: usize,
    },
    /// The template is of another kind of process.
    WrongCode {
        /// The template.
        template: Handle,
    },
    /// The machine has no such node.
    NoNode {
        /// The node.
        node: Node,
        /// Number of nodes.
        nodes: usize,
    },
    /// The table of this kind of objects is full.
    NoRoom {
        /// The kind.
        kind: Kind,
    },
    /// The process is already entered for the event.
    AlreadyAdded {
        /// The event.
        id: EventId,
    },
    /// The table of entries for events is full.
    TableFull {
        /// The largest number of entries.
        most: usize,
    },
    /// There is no such priority.
    NoPriority {
        /// The priority.
        priority: u8,
    },
    /// The node's scheduler did not admit the process; the run's outcome says why.
    NotAdmitted {
        /// The node.
        node: Node,
    },
    /// A process can only end itself.
    NotDeletable {
        /// The process.
        handle: Handle,
    },
    /// A request of the process for itself was refused; the [`RequestError`] said why.
    RequestError,
    /// The machine has no device of this name.
    NoDevice {
        /// The name.
        device: Device,
    },
    /// This is no name of a device.
    NoDeviceName,
    /// The device posts another event.
    DeviceTaken {
        /// The device.
        device: Device,
    },
    /// The device belongs to another node.
    DeviceElsewhere {
        /// The device.
        device: Device,
        /// Its node.
        node: Node,
    },
    /// A pool of processes needs a worker.
    NoWorkers,
    /// This host cannot carry out the call.
    NotHere {
        /// Why, and which host could.
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
                f.write_str("the set of events to wait for is empty; name at least one")
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
                write!(f, "a queue cannot have room for {capacity} data; allowed: 1 to {most}")
            }
            ProcessError::OtherCapacity { queue, capacity, wanted } => write!(
                f,
                "{} holds at most {capacity} data, not {wanted}; let all who name it say the same",
                queue.handle()
            ),
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
                write!(f, "the scheduler of {node} did not admit the process; ask for less")
            }
            ProcessError::NotDeletable { handle } => {
                write!(f, "{handle} ends by itself only: its body returns")
            }
            ProcessError::RequestError => f.write_str(
                "a request of it was refused, and its body returned the refusal; ask for less, or go on without",
            ),
            ProcessError::NoDevice { device } => write!(
                f,
                "there is no device `{device}`; declare it in the settings of the run, or in the scenario's `interrupts`"
            ),
            ProcessError::NoDeviceName => write!(
                f,
                "a device's name has 1 to {} letters, digits, `-`, `_` and `.`",
                Device::LONGEST
            ),
            ProcessError::DeviceTaken { device } => {
                write!(f, "device `{device}` posts another event; detach that first")
            }
            ProcessError::DeviceElsewhere { device, node } => {
                write!(f, "device `{device}` posts events of {node} only; attach it there")
            }
            ProcessError::NoWorkers => {
                f.write_str("a pool without workers takes no task; start it with at least 1")
            }
            ProcessError::NotHere { why } => f.write_str(why),
        }
    }
}

impl std::error::Error for ProcessError {}

impl From<RequestError> for ProcessError {
    fn from(_: RequestError) -> ProcessError {
        ProcessError::RequestError
    }
}
