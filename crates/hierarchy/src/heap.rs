//! A priority queue whose members can be removed or re-keyed by slot number.
//!
//! A 4-ary heap of `(key, slot)` pairs with an index from slot to position: peek is O(1), insert,
//! remove and change are O(log n), and nothing allocates once [`Heap::reserve`] has made room.
//! Equal keys leave in an unspecified but deterministic order; put a tie-breaker into the key.

use alloc::vec::Vec;
use core::num::NonZeroU32;

const ARITY: usize = 4;

/// An entry's position, counted from 1, so that `Option<Place>` takes no more room.
#[derive(Clone, Copy, Debug)]
struct Place(NonZeroU32);

impl Place {
    #[expect(clippy::cast_possible_truncation, reason = "places are below the number of slots")]
    fn of(at: usize) -> Option<Place> {
        NonZeroU32::new((at as u32).wrapping_add(1)).map(Place)
    }

    const fn at(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A min-heap of slots ordered by key.
#[derive(Clone, Debug)]
pub struct Heap<K> {
    entries: Vec<(K, u32)>,
    /// The position of each slot's entry.
    places: Vec<Option<Place>>,
}

impl<K> Default for Heap<K> {
    fn default() -> Heap<K> {
        Heap { entries: Vec::new(), places: Vec::new() }
    }
}

impl<K: Ord + Copy> Heap<K> {
    /// Creates an empty heap without room.
    #[must_use]
    pub fn new() -> Heap<K> {
        Heap::default()
    }

    /// Makes room for slots `0..slots`; allocates.
    pub fn reserve(&mut self, slots: usize) {
        if self.places.len() < slots {
            self.places.resize(slots, None);
            let more = slots.saturating_sub(self.entries.len());
            self.entries.reserve(more);
        }
    }

    /// Number of slots in the heap.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the heap is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether `slot` is in the heap.
    #[must_use]
    pub fn contains(&self, slot: u32) -> bool {
        self.place_of(slot).is_some()
    }

    /// The key of `slot`; `None` if it is not in the heap.
    #[must_use]
    pub fn key(&self, slot: u32) -> Option<K> {
        Some(self.entries[self.place_of(slot)?.at()].0)
    }

    /// The smallest key and its slot.
    #[must_use]
    pub fn peek(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    /// Inserts `slot` with `key`, or changes its key.
    #[inline]
    pub fn set(&mut self, slot: u32, key: K) {
        if self.entries.is_empty() {
            // Fast path: most heaps have one entry at a time, because few children are ready below one processor.
            self.entries.push((key, slot));
            self.places[slot as usize] = Place::of(0);
        } else {
            self.set_among_others(slot, key);
        }
    }

    fn set_among_others(&mut self, slot: u32, key: K) {
        let at = match self.places[slot as usize].map(Place::at) {
            None => {
                self.entries.push((key, slot));
                self.entries.len() - 1
            }
            Some(at) if self.entries[at].0 < key => return self.down(at, (key, slot)),
            Some(at) => at,
        };
        self.up(at, (key, slot));
    }

    /// Removes and returns the smallest entry.
    #[inline]
    pub fn pop(&mut self) -> Option<(K, u32)> {
        let last = self.entries.pop()?;
        let first = self.peek().unwrap_or(last);
        self.places[first.1 as usize] = None;
        if !self.entries.is_empty() {
            self.down(0, last);
        }
        Some(first)
    }

    /// Removes `slot` and returns its key; `None` if it is not in the heap.
    #[inline]
    pub fn remove(&mut self, slot: u32) -> Option<K> {
        let at = self.places.get_mut(slot as usize)?.take()?.at();
        let last = self.entries.pop()?;
        let Some((key, _)) = self.entries.get(at) else {
            return Some(last.0); // the removed entry was the last
        };
        let key = *key;
        if last.0 < key {
            self.up(at, last);
        } else {
            self.down(at, last);
        }
        Some(key)
    }

    fn place_of(&self, slot: u32) -> Option<Place> {
        *self.places.get(slot as usize)?
    }

    fn place(&mut self, at: usize, entry: (K, u32)) {
        self.entries[at] = entry;
        self.places[entry.1 as usize] = Place::of(at);
    }

    fn up(&mut self, mut at: usize, entry: (K, u32)) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.entries[parent].0 <= entry.0 {
                break;
            }
            self.place(at, self.entries[parent]);
            at = parent;
        }
        self.place(at, entry);
    }

    fn down(&mut self, mut at: usize, entry: (K, u32)) {
        loop {
            let first = at * ARITY + 1;
            let end = (first + ARITY).min(self.entries.len());
            if first >= end {
                break;
            }
            let least = if let Some(four) = self.entries[first..].first_chunk::<ARITY>() {
                // Selects the smallest of four without branches, which would be unpredictable.
                let low = usize::from(four[1].0 < four[0].0);
                let high = 2 + usize::from(four[3].0 < four[2].0);
                first + if four[high].0 < four[low].0 { high } else { low }
            } else {
                let mut least = first;
                for child in first + 1..end {
                    if self.entries[child].0 < self.entries[least].0 {
                        least = child;
                    }
                }
                least
            };
            if entry.0 <= self.entries[least].0 {
                break;
            }
            self.place(at, self.entries[least]);
            at = least;
        }
        self.place(at, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Compares with the slow definition: an ordered set of (key, slot).
        #[test]
        fn law_heap_equals_ordered_set(ops in prop::collection::vec((0_u8..4, 0_u32..40, 0_u64..50), 0..300)) {
            let mut heap = Heap::new();
            heap.reserve(40);
            let mut model: BTreeSet<(u64, u32)> = BTreeSet::new();
            for (op, slot, key) in ops {
                match op {
                    0 | 1 => {
                        model.retain(|(_, s)| *s != slot);
                        model.insert((key, slot));
                        heap.set(slot, key);
                    }
                    2 => {
                        let was = model.iter().find(|(_, s)| *s == slot).copied();
                        model.retain(|(_, s)| *s != slot);
                        prop_assert_eq!(heap.remove(slot), was.map(|(k, _)| k));
                    }
                    _ => {
                        let popped = heap.pop();
                        prop_assert_eq!(popped.map(|(k, _)| k), model.first().map(|(k, _)| *k));
                        if let Some(entry) = popped {
                            prop_assert!(model.remove(&entry));
                        }
                    }
                }
                prop_assert_eq!(heap.len(), model.len());
                prop_assert_eq!(heap.peek().map(|(k, _)| k), model.first().map(|(k, _)| *k));
            }
        }
    }
}
