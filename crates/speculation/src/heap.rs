//! Events that wait: a heap whose nodes have four children, in one vector.

use crate::Key;
use crate::event::Entry;
use std::collections::TryReserveError;

const CHILDREN: usize = 4;

/// The first of all entries is at hand; it takes O(log n) to add one, or to take the first.
#[derive(Clone, Debug)]
pub(crate) struct Heap<E> {
    entries: Vec<Entry<E>>,
}

impl<E> Heap<E> {
    /// With room for so many.
    pub(crate) fn with_room(room: usize) -> Result<Self, TryReserveError> {
        let mut entries = Vec::new();
        entries.try_reserve_exact(room)?;
        Ok(Heap { entries })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<&Entry<E>> {
        self.entries.first()
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: Entry<E>) {
        self.entries.push(entry);
        self.rise(self.entries.len() - 1);
    }

    /// All of them, in no order.
    pub(crate) fn into_entries(self) -> Vec<Entry<E>> {
        self.entries
    }

    /// An entry moves up to where it belongs.
    #[inline]
    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.key(parent) < self.key(at) {
                break;
            }
            self.entries.swap(parent, at);
            at = parent;
        }
    }

    /// Takes the first.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Entry<E>> {
        let last = self.entries.pop()?;
        if self.entries.is_empty() { Some(last) } else { Some(self.replace(last)) }
    }

    /// Takes the first, of which there must be one, and adds another.
    #[inline]
    pub(crate) fn replace(&mut self, entry: Entry<E>) -> Entry<E> {
        let first = core::mem::replace(&mut self.entries[0], entry);
        self.sink(0);
        first
    }

    #[inline]
    fn key(&self, at: usize) -> Key {
        self.entries[at].key
    }

    /// An entry moves down to where it belongs.
    #[inline]
    fn sink(&mut self, mut at: usize) {
        let len = self.entries.len();
        let key = self.key(at);
        loop {
            let child = at * CHILDREN + 1;
            if child >= len {
                return;
            }
            let mut least = child;
            for other in child + 1..(child + CHILDREN).min(len) {
                if self.key(other) < self.key(least) {
                    least = other;
                }
            }
            if key < self.key(least) {
                return;
            }
            self.entries.swap(at, least);
            at = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessNumber;
    use proptest::prelude::*;
    use windfall_time::Instant;

    proptest! {
        #[test]
        fn law_entries_come_in_order(steps in prop::collection::vec((0_u8..4, 0_u64..50, 0_u32..3), 0..300)) {
            let mut heap = Heap::with_room(0).unwrap();
            let mut sorted: Vec<Key> = Vec::new();
            for (number, (step, at, of)) in (0..).zip(steps) {
                let key = Key { at: Instant::from_nanos(at), to: ProcessNumber(of), from: ProcessNumber(0), number };
                let taken = match step {
                    0 => heap.pop(),
                    1 if heap.len() > 0 => Some(heap.replace(Entry { key, event: number })),
                    _ => {
                        heap.push(Entry { key, event: number });
                        sorted.push(key);
                        sorted.sort_unstable();
                        continue;
                    }
                };
                let first = (!sorted.is_empty()).then(|| sorted.remove(0));
                prop_assert_eq!(taken.as_ref().map(|entry| entry.key), first);
                prop_assert!(taken.is_none_or(|entry| entry.event == entry.key.number));
                if step == 1 {
                    sorted.push(key);
                    sorted.sort_unstable();
                }
                prop_assert_eq!(heap.first().map(|entry| entry.key), sorted.first().copied());
            }
        }
    }
}
