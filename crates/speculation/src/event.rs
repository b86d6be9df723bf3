//! Events, and the order of all events of a run.

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
    /// Whose event it is.
    pub to: ProcessNumber,
    /// Who sent it.
    pub from: ProcessNumber,
    /// How many that one had sent before.
    pub number: u64,
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
