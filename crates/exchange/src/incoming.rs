//! Values from many threads to one: a list that all push to, and its owner takes whole (PORTS 1994, section 4).
//!
//! Invariant: a place is free, its writer's, in the list, or its taker's; so nobody waits for it. Nobody waits for memory either: all places are laid out at the beginning.

use crate::atomic::{AtomicU32, Ordering};
use crate::cell::Cell;
use crate::pool::{NIL, Placed, Pool};
use core::fmt;

struct Entry<T> {
    link: AtomicU32,
    item: Cell<T>,
}

impl<T> Default for Entry<T> {
    fn default() -> Entry<T> {
        Entry { link: AtomicU32::new(NIL), item: Cell::default() }
    }
}

impl<T> Placed for Entry<T> {
    fn link(&self) -> &AtomicU32 {
        &self.link
    }
}

/// Items from many writers for whoever takes them.
pub struct Incoming<T> {
    places: Pool<Entry<T>>,
    /// The place of what came last.
    head: AtomicU32,
}

impl<T> Incoming<T> {
    /// For at most so many items at a time.
    ///
    /// ```
    /// let list = windfall_exchange::Incoming::new(2);
    /// assert_eq!((list.send("a"), list.send("b"), list.send("c")), (Ok(()), Ok(()), Err("c")));
    /// assert_eq!(list.take(), ["a", "b"]);
    /// ```
    #[must_use]
    pub fn new(most: u32) -> Incoming<T> {
        Incoming { places: Pool::laid_out(most), head: AtomicU32::new(NIL) }
    }

    /// Puts an item in. It never waits; to wake who takes it is the sender's business.
    ///
    /// # Errors
    /// The item, when there are as many as can be.
    pub fn send(&self, item: T) -> Result<(), T> {
        let Some(index) = self.places.take() else { return Err(item) };
        let entry = self.places.at(index);
        entry.item.replace(Some(item));
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            entry.link.store(head, Ordering::Relaxed);
            match self.head.compare_exchange_weak(head, index, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return Ok(()),
                Err(other) => head = other,
            }
        }
    }

    /// Whether all that was sent has been taken. Others may send meanwhile; what this thread sent before counts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.load(Ordering::Acquire) == NIL
    }

    /// Takes all items, the one that was sent first at the beginning. It never waits.
    pub fn take(&self) -> Vec<T> {
        let mut index = self.head.swap(NIL, Ordering::Acquire);
        let mut items = Vec::new();
        while index != NIL {
            let entry = self.places.at(index);
            let next = entry.link.load(Ordering::Relaxed);
            items.extend(entry.item.replace(None));
            self.places.give(index);
            index = next;
        }
        items.reverse();
        items
    }
}

impl<T> fmt::Debug for Incoming<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming").field("places", &self.places).finish_non_exhaustive()
    }
}
