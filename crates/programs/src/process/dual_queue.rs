//! A dual queue (Chrysalis 2.3): data that wait for processes, or processes that wait for data.
//!
//! Invariant: it never holds both. Data leave in the order in which they came, those that were returned
//! included; so do those who wait.

use super::Event;
use super::events::Ticket;
use std::collections::VecDeque;

/// A datum with its number in the order of enqueueing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Datum {
    number: u64,
    pub(super) word: u64,
}

#[derive(Debug)]
pub(super) struct DualQueue {
    pub(super) capacity: usize,
    data: VecDeque<Datum>,
    waiting: VecDeque<(Event, Ticket)>,
    count: u64,
}

impl DualQueue {
    /// The most data that a queue can be made for.
    pub(super) const MOST: usize = 1 << 24;

    pub(super) const fn new(capacity: usize) -> DualQueue {
        DualQueue { capacity, data: VecDeque::new(), waiting: VecDeque::new(), count: 0 }
    }

    /// Numbers a datum; it is not in the queue by that.
    pub(super) const fn number(&mut self, word: u64) -> Datum {
        self.count += 1;
        Datum { number: self.count, word }
    }

    /// Whoever has waited longest, who leaves.
    pub(super) fn waiter(&mut self) -> Option<(Event, Ticket)> {
        self.waiting.pop_front()
    }

    pub(super) fn waiters(&self) -> impl Iterator<Item = (Event, Ticket)> {
        self.waiting.iter().copied()
    }

    pub(super) fn is_full(&self) -> bool {
        self.data.len() >= self.capacity
    }

    /// Stores a datum where its number has it; nobody waits.
    pub(super) fn store(&mut self, datum: Datum) {
        debug_assert!(self.waiting.is_empty(), "a datum is stored beside a waiter");
        let place = self.data.partition_point(|other| other.number < datum.number);
        self.data.insert(place, datum);
    }

    /// The oldest datum, which leaves.
    pub(super) fn take(&mut self) -> Option<u64> {
        self.data.pop_front().map(|datum| datum.word)
    }

    /// Queues an event up; there is no datum.
    pub(super) fn wait(&mut self, event: Event, ticket: Ticket) {
        debug_assert!(self.data.is_empty(), "somebody waits beside a datum");
        self.waiting.push_back((event, ticket));
    }

    /// An event waits no longer.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.waiting.retain(|(_, other)| *other != ticket);
    }
}
