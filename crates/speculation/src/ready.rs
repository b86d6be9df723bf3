//! Which process has the event that comes first: a heap of one key for each, whose nodes have four children.

use crate::{Key, ProcessNumber};

const CHILDREN: usize = 4;
const ABSENT: u32 = u32::MAX;

/// The first keys of consecutive processes. Invariant: `places[i]` is where the key of the i-th of them is.
#[derive(Debug)]
pub(crate) struct Ready {
    base: u32,
    keys: Vec<Key>,
    places: Vec<u32>,
}

impl Ready {
    /// For so many processes from this one on, without keys.
    pub(crate) fn new(base: ProcessNumber, count: usize) -> Self {
        Ready { base: base.0, keys: Vec::with_capacity(count), places: vec![ABSENT; count] }
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<Key> {
        self.keys.first().copied()
    }

    /// A process has another first key, or none.
    #[inline]
    pub(crate) fn set(&mut self, process: ProcessNumber, key: Option<Key>) {
        let place = self.places[(process.0 - self.base) as usize];
        match (key, place) {
            (None, ABSENT) => {}
            (None, place) => self.remove(process, place as usize),
            (Some(key), ABSENT) => {
                self.keys.push(key);
                self.rise(self.keys.len() - 1, key);
            }
            (Some(key), place) => self.replace(place as usize, key),
        }
    }

    fn remove(&mut self, process: ProcessNumber, place: usize) {
        self.places[(process.0 - self.base) as usize] = ABSENT;
        if let Some(last) = self.keys.pop()
            && place < self.keys.len()
        {
            self.replace(place, last);
        }
    }

    #[inline]
    fn replace(&mut self, place: usize, key: Key) {
        if place > 0 && key < self.keys[(place - 1) / CHILDREN] {
            self.rise(place, key);
        } else {
            self.sink(place, key);
        }
    }

    #[inline]
    fn put(&mut self, place: usize, key: Key) {
        self.keys[place] = key;
        // No more places than processes, which are numbered by `u32`.
        #[expect(clippy::cast_possible_truncation, reason = "as said above")]
        let at = place as u32;
        self.places[(key.to.0 - self.base) as usize] = at;
    }

    /// The key belongs to this place or above it.
    #[inline]
    fn rise(&mut self, mut place: usize, key: Key) {
        while place > 0 {
            let parent = (place - 1) / CHILDREN;
            if self.keys[parent] < key {
                break;
            }
            self.put(place, self.keys[parent]);
            place = parent;
        }
        self.put(place, key);
    }

    /// The key belongs to this place or below it.
    #[inline]
    fn sink(&mut self, mut place: usize, key: Key) {
        let len = self.keys.len();
        loop {
            let child = place * CHILDREN + 1;
            if child >= len {
                break;
            }
            let mut least = child;
            for other in child + 1..(child + CHILDREN).min(len) {
                if self.keys[other] < self.keys[least] {
                    least = other;
                }
            }
            if key < self.keys[least] {
                break;
            }
            self.put(place, self.keys[least]);
            place = least;
        }
        self.put(place, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windfall_time::Instant;

    proptest! {
        #[test]
        fn law_the_first_of_all_keys_is_first(
            steps in prop::collection::vec((5_u32..15, prop::option::weighted(0.8, 0_u64..50)), 0..300),
        ) {
            let mut ready = Ready::new(ProcessNumber(5), 10);
            let mut all = [None; 10];
            for (number, (process, at)) in (0..).zip(steps) {
                let to = ProcessNumber(process);
                let key = at.map(|at| Key { at: Instant::from_nanos(at), to, from: to, number });
                ready.set(to, key);
                all[(process - 5) as usize] = key;
                prop_assert_eq!(ready.first(), all.iter().flatten().min().copied());
            }
        }
    }
}
