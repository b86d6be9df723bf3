//! Events, and the order of all events of a run.

use crate::pool::{NOWHERE, Place};
use core::fmt;
use windfall_time::Instant;

/// The number of a logical process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcessNumber(pub u32);

impl ProcessNumber {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ProcessNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.0)
    }
}

/// Which event it is. The order of these is the order in which events take effect, however they are handled: no two are equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct Key {
    /// The virtual time at which it takes effect.
    pub at: Instant,
    /// The process that it is for.
    pub to: ProcessNumber,
    /// Its sender.
    pub from: ProcessNumber,
    /// How many that one had sent before.
    pub number: u64,
}

impl Key {
    /// Whether it is the lesser. Times alone say so nearly always.
    #[inline]
    pub(crate) fn is_before(&self, other: &Key) -> bool {
        if self.at == other.at { self < other } else { self.at < other.at }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Key { at, to, from, number } = self;
        write!(f, "event {number} of process {} for process {} at {at}", from.0, to.0)
    }
}

/// An event that waits to be handled.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry<E> {
    pub(crate) key: Key,
    pub(crate) event: E,
}

/// An event of a part. It waits or is done, and is in the lists of that.
// Fields: what it is, what came of it, and its neighbours.
#[derive(Debug)]
pub(crate) struct Node<E> {
    pub(crate) key: Key,
    pub(crate) event: E,
    /// Its effects, the last first, in the log.
    pub(crate) effects: Place,
    /// The state before it, if that was copied.
    pub(crate) copy: Place,
    /// While it waits: its first child, and the one before it. When it is done: its neighbours in the order of a part.
    pub(crate) child: Place,
    pub(crate) side: Place,
    /// While it waits, the next child of the same parent; when it is done, what the process did next, and before.
    pub(crate) next: Place,
    pub(crate) last: Place,
}

impl<E> Node<E> {
    pub(crate) const fn new(key: Key, event: E) -> Self {
        let none = NOWHERE;
        Node {
            key,
            event,
            effects: none,
            copy: none,
            child: none,
            side: none,
            next: none,
            last: none,
        }
    }
}
