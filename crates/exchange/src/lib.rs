#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Everything has a place in a pool (`pool.rs`), which never moves, and a generation; a call that names a generation which is gone
//! changes nothing. Each call takes effect in one atomic step, so that a thread which is preempted in the middle of one delays no
//! other thread's call. Only a datum that it has claimed to deliver, and the futex that it is about to wake, wait until it
//! continues: a sleeper whose wake-up has begun is not woken by another thread. Threads sleep on a [`Futex`].
//!
//! Apart from that, `ring.rs` hands records on from one writer to one reader, in batches; `incoming.rs` values from many writers to one reader, and `reply.rs` one value back (`cell.rs`:
//! where values lie meanwhile).
//!
//! Absent: handles, refusals, clocks, threads; a host adds them. Tried in all interleavings: `tests/model.rs`.
#![forbid(unsafe_code)]

pub mod atomic;
mod cell;
mod entry;
mod event;
mod futex;
mod home;
mod inbox;
mod incoming;
mod notice;
mod pool;
mod queue;
mod reply;
mod ring;
mod switch;

pub use entry::Mailbox;
pub use futex::Futex;
pub use home::Mine;
pub use incoming::Incoming;
pub use notice::Entered;
pub use queue::Dequeued;
pub use reply::{Reply, ReplySender, reply};
pub use ring::{Reader, Writer, ring};

use entry::Entry;
use event::Block;
use home::Home;
use notice::Notices;
use pool::Pool;
use queue::{DualQueue, Node};

/// The name of an object: its place, and how many had that place before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// Its place in the table of its kind.
    pub index: u32,
    /// At most [`Name::LAST`].
    pub generation: u32,
}

impl Name {
    /// The generation of the last object that a place has.
    pub const LAST: u32 = (1 << 20) - 1;
}

/// Why a call has done nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The object of that name is gone.
    Gone,
    /// The event is another's.
    NotOwner,
    /// The event is posted.
    Posted,
    /// The event stands in a queue.
    Standing,
    /// The process has no event, or the set is empty.
    Nothing,
    /// The queue holds as many data as it may.
    Full {
        /// How many.
        capacity: u32,
    },
    /// The process that waited longest is gone, and out of the queue.
    DeadWaiter {
        /// The datum that it had given with its event.
        word: u64,
    },
    /// The queue has waiters.
    HasWaiters,
    /// There are as many as there can be.
    NoRoom,
    /// The process is entered already.
    Entered,
    /// The futex waits no more: all is to end.
    Over,
}

/// How many of each there can be.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Processes.
    pub processes: u32,
    /// Events.
    pub events: u32,
    /// Queues.
    pub queues: u32,
    /// Data and waiters in all queues.
    pub nodes: u32,
    /// Messages on their way.
    pub messages: u32,
    /// Entries for notifications.
    pub entries: u32,
    /// Rows of the table of notifications, a power of two: those who wait for events in one row sleep side by side.
    pub rows: u32,
}

/// All that a system of processes shares.
#[derive(Debug)]
pub struct Exchange {
    homes: Pool<Home>,
    events: Pool<Block>,
    queues: Pool<DualQueue>,
    nodes: Pool<Node>,
    messages: Pool<Entry>,
    notices: Notices,
}

impl Exchange {
    /// With nothing in it.
    #[must_use]
    pub fn new(sizes: Sizes) -> Exchange {
        Exchange {
            homes: Pool::new(sizes.processes),
            events: Pool::new(sizes.events),
            queues: Pool::new(sizes.queues),
            nodes: Pool::new(sizes.nodes),
            messages: Pool::new(sizes.messages),
            notices: Notices::new(sizes.entries, sizes.rows),
        }
    }
}
