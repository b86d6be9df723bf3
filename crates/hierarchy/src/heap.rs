//! A priority queue whose members can be removed or re-keyed by slot number.
//!
//! A 4-ary heap of `(key, slot)` pairs with an index from slot to position: peek is O(1), insert,
//! remove and change are O(log n), and nothing allocates once [`Heap::reserve`] has made room.
//! Equal keys leave in an unspecified but deterministic order; put a tie-breaker into the key.

use alloc::vec::Vec;

const NOWHERE: u32 = u32::MAX;
const ARITY: usize = 4;

/// A min-heap of slots ordered by key.
#[derive(Clone, Debug)]
pub struct Heap<K> {
    entries: Vec<(K, u32)>,
    position: Vec<u32>,
}

impl<K> Default for Heap<K> {
    fn default() -> Heap<K> {
        Heap { entries: Vec::new(), position: Vec::new() }
    }
}

impl<K: Ord + Copy> Heap<K> {
    /// An empty heap without room.
    #[must_use]
    pub fn new() -> Heap<K> {
        Heap::default()
    }

    /// Makes room for slots `0..slots`; allocates.
    pub fn reserve(&mut self, slots: usize) {
        if self.position.len() < slots {
            self.position.resize(slots, NOWHERE);
            let more = slots.saturating_sub(self.entries.len());
            self.entries.reserve(more);
        }
    }

    /// How many slots are in the heap.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether `slot` is in the heap.
    #[must_use]
    pub fn contains(&self, slot: u32) -> bool {
        self.position.get(slot as usize).is_some_and(|p| *p != NOWHERE)
    }

    /// The key of `slot`, if it is in the heap.
    #[must_use]
    pub fn key(&self, slot: u32) -> Option<K> {
        let at = *self.position.get(slot as usize)?;
        self.entries.get(at as usize).map(|(key, _)| *key)
    }

    /// The smallest key and its slot.
    #[must_use]
    pub fn peek(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    /// Puts `slot` in with `key`, or gives it a new key.
    pub fn set(&mut self, slot: u32, key: K) {
        let at = self.position[slot as usize];
        if at == NOWHERE {
            self.entries.push((key, slot));
            self.up(self.entries.len() - 1, (key, slot));
        } else {
            let at = at as usize;
            if key < self.entries[at].0 {
                self.up(at, (key, slot));
            } else {
                self.down(at, (key, slot));
            }
        }
    }

    /// Takes out the smallest.
    pub fn pop(&mut self) -> Option<(K, u32)> {
        let first = self.peek()?;
        self.remove(first.1);
        Some(first)
    }

    /// Takes out `slot`; its key, if it was in.
    pub fn remove(&mut self, slot: u32) -> Option<K> {
        let at = *self.position.get(slot as usize)?;
        if at == NOWHERE {
            return None;
        }
        self.position[slot as usize] = NOWHERE;
        let key = self.entries[at as usize].0;
        let last = self.entries.pop()?;
        if last.1 != slot {
            if last.0 < key {
                self.up(at as usize, last);
            } else {
                self.down(at as usize, last);
            }
        }
        Some(key)
    }

    #[expect(clippy::cast_possible_truncation, reason = "positions are below the number of slots")]
    fn place(&mut self, at: usize, entry: (K, u32)) {
        self.entries[at] = entry;
        self.position[entry.1 as usize] = at as u32;
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
            let least = if end - first == ARITY {
                // A tournament without branches: they would be unpredictable.
                let at = |n: usize| self.entries[first + n].0;
                let (low, high) = (usize::from(at(1) < at(0)), 2 + usize::from(at(3) < at(2)));
                first + if at(high) < at(low) { high } else { low }
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
        /// Against the slow definition: an ordered set of (key, slot).
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
