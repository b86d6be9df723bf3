//! A node: its processors, the messages that arrive there, and the priority of its threads.

use windfall_exchange::Mailbox;
use windfall_os::sched::Affinity;
use windfall_programs::{Event, ProcessParams};
use windfall_time::Instant;

/// A node: its processors, and where messages to it arrive.
pub(super) struct Controller {
    pub(super) cpus: Affinity,
    pub(super) mailbox: Mailbox,
}

impl Controller {
    pub(super) fn new(cpus: Affinity) -> Controller {
        Controller { cpus, mailbox: Mailbox::default() }
    }
}

/// The content of a message.
pub(super) enum NodeMessage {
    /// To post an event.
    Post { event: Event, datum: u64 },
    /// To hand a datum to an event, by its place, which has been claimed for that.
    Hand { index: u32, datum: u64 },
    /// To post an event at an instant of the machine's clock, if that timer still has that number.
    Timer { event: Event, datum: u64, number: u64, at: Instant },
}

/// Highest bits of the third word: what kind of message it is; the rest is a timer's number, from 1 on.
const HAND: u64 = 1 << 63;

impl NodeMessage {
    pub(super) const fn words(&self) -> [u64; 4] {
        match *self {
            NodeMessage::Post { event, datum } => [event.datum(), datum, 0, 0],
            NodeMessage::Hand { index, datum } => [index as u64, datum, HAND, 0],
            NodeMessage::Timer { event, datum, number, at } => {
                [event.datum(), datum, number, at.as_nanos()]
            }
        }
    }

    pub(super) fn read([first, datum, number, at]: [u64; 4]) -> NodeMessage {
        match number {
            0 => NodeMessage::Post { event: Event::from_datum(first), datum },
            HAND => {
                NodeMessage::Hand { index: u32::try_from(first).expect("as it was written"), datum }
            }
            number => {
                let (event, at) = (Event::from_datum(first), Instant::from_nanos(at));
                NodeMessage::Timer { event, datum, number, at }
            }
        }
    }
}

/// The real-time priority of a controller: above all processes, if these begin there.
pub(super) fn controller_priority(lowest: u32) -> u32 {
    lowest.saturating_add(u32::from(ProcessParams::MOST_PRIORITY) + 1)
}
