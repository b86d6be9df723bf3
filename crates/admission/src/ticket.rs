//! The name of an accepted task.

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};
use windfall_time::{Instant, Span};

/// The number of the next list, by which foreign tickets are recognised; no decision depends on it.
static LISTS: AtomicU32 = AtomicU32::new(0);

/// A list's own number.
pub(crate) fn list_number() -> u32 {
    LISTS.fetch_add(1, Ordering::Relaxed)
}

/// An accepted task, as the one who submitted it names it (decision 0028).
///
/// It is valid until the slot is collected, done or withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ticket {
    pub(crate) deadline: Instant,
    pub(crate) number: u32,
    pub(crate) list: u32,
}

impl Ticket {
    /// The deadline with which it was admitted.
    #[must_use]
    pub fn deadline(self) -> Instant {
        self.deadline
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ticket {} (due at {})", self.number, self.deadline)
    }
}

/// The slot that is worked on: the one of the earliest deadline, among equal ones the first to arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Head {
    /// Its ticket.
    pub ticket: Ticket,
    /// How much work is left of its bound, more than zero.
    pub left: Span,
}
