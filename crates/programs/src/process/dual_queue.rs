//! A dual queue (Chrysalis 2.3): data that wait for processes, or processes that wait for data.
//!
//! Invariant: a queue never holds both. Data leave in the order in which they were enqueued, including returned
//! ones; events leave in the order in which they began to wait.

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
    /// The largest capacity of a queue.
    pub(super) const MOST: usize = 1 << 24;

    pub(super) const fn new(capacity: usize) -> DualQueue {
        DualQueue { capacity, data: VecDeque::new(), waiting: VecDeque::new(), count: 0 }
    }

    /// Numbers a datum, without storing it.
    pub(super) const fn number(&mut self, word: u64) -> Datum {
        self.count += 1;
        Datum { number: self.count, word }
    }

    /// Removes and returns the event that has waited longest.
    pub(super) fn waiter(&mut self) -> Option<(Event, Ticket)> {
        self.waiting.pop_front()
    }

    pub(super) fn waiters(&self) -> impl Iterator<Item = (Event, Ticket)> {
        self.waiting.iter().copied()
    }

    pub(super) fn is_full(&self) -> bool {
        self.data.len() >= self.capacity
    }

    /// Stores a datum at the place that its number determines; no event may be waiting.
    pub(super) fn store(&mut self, datum: Datum) {
        debug_assert!(self.waiting.is_empty(), "a datum is stored beside a waiter");
        let place = self.data.partition_point(|other| other.number < datum.number);
        self.data.insert(place, datum);
    }

    /// Removes and returns the oldest datum.
    pub(super) fn take(&mut self) -> Option<u64> {
        self.data.pop_front().map(|datum| datum.word)
    }

    /// Adds a waiting event; there must be no datum.
    pub(super) fn wait(&mut self, event: Event, ticket: Ticket) {
        debug_assert!(self.data.is_empty(), "somebody waits beside a datum");
        self.waiting.push_back((event, ticket));
    }

    /// Removes a waiting event.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.waiting.retain(|(_, other)| *other != ticket);
    }
}
