//! The parts of a queue: nodes, its two ends, and links.

use crate::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::event::Ticket;
use crate::pool::{NIL, Placed, counted_up, high, low};

/// A datum, or a waiter.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The next node: its place and kind, and how often the link has changed.
    pub(super) next: AtomicU64,
    /// The datum; of a waiter, what it has given with its event.
    pub(super) word: AtomicU64,
    /// Of a waiter, since when it stands here; none when it has left.
    pub(super) ticket: AtomicU64,
    pub(super) link: AtomicU32,
}

impl Placed for Node {
    fn link(&self) -> &AtomicU32 {
        &self.link
    }
}

impl Node {
    /// Gives a waiter's node another ticket, if it has that one.
    #[inline]
    pub(super) fn turn(&self, from: Ticket, to: Ticket) -> bool {
        let (done, lost) = (Ordering::AcqRel, Ordering::Relaxed);
        self.ticket.compare_exchange(from.0, to.0, done, lost).is_ok()
    }
}

/// Of the low half of a link: it leads to a waiter.
pub(super) const WAITER: u32 = 1 << 31;

/// It leads nowhere, yet or for ever.
pub(super) const END: u32 = NIL & !WAITER;

pub(super) const CLOSED: u32 = END - 1;

pub(super) const fn is_waiter(link: u64) -> bool {
    low(link) & WAITER != 0
}

pub(super) const fn place(link: u64) -> u32 {
    low(link) & !WAITER
}

/// The place of a queue.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct DualQueue {
    /// The spent node, and how many have been spent.
    pub(super) head: AtomicU64,
    /// The last node and its kind, and how many have been appended.
    pub(super) tail: AtomicU64,
    /// Generation, and whether there is a queue (lowest bit).
    pub(super) life: AtomicU32,
    pub(super) capacity: AtomicU32,
    /// Whether there is a node at the head.
    pub(super) begun: AtomicU32,
    pub(super) link: AtomicU32,
}

impl Placed for DualQueue {
    fn link(&self) -> &AtomicU32 {
        &self.link
    }
}

/// The ends of a queue as they were at one moment, and what followed the last node.
pub(super) struct Ends {
    pub(super) head: u64,
    pub(super) tail: u64,
    pub(super) next: u64,
}

impl Ends {
    /// By how many were appended and spent: the places could be one node at two times.
    pub(super) const fn is_empty(&self) -> bool {
        high(self.head) == high(self.tail)
    }

    pub(super) const fn has_waiters(&self) -> bool {
        !self.is_empty() && is_waiter(self.tail)
    }

    pub(super) const fn has_data(&self) -> bool {
        !self.is_empty() && !is_waiter(self.tail)
    }
}

impl DualQueue {
    /// A step of one of the ends.
    pub(super) fn step(end: &AtomicU64, from: u64, to: u64) -> bool {
        let to = counted_up(from, low(to));
        end.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::word;

    #[test]
    fn law_a_link_tells_place_kind_and_change() {
        let link = word(7, 5 | WAITER);
        assert_eq!((place(link), is_waiter(link), high(link)), (5, true, 7));
        assert_eq!((place(counted_up(link, END)), is_waiter(counted_up(link, END))), (END, false));
    }
}
