//! Room for many values of one type, which is taken once: what goes out leaves its place to what comes next.
//!
//! Invariants: a place is free or has a value; each free one is in the list of those, which begins at `free`.

use core::ops::{Index, IndexMut};
use std::collections::TryReserveError;

/// A place in a pool, or [`NOWHERE`].
pub(crate) type Place = u32;
pub(crate) const NOWHERE: Place = Place::MAX;

#[derive(Debug)]
enum Slot<T> {
    Used(T),
    /// With the next free one.
    Free(Place),
}

/// The values. Room beyond what was [reserved](Self::reserve) is taken when it is needed, and kept.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    slots: Vec<Slot<T>>,
    free: Place,
    used: usize,
}

impl<T> Pool<T> {
    /// Bytes that a value takes.
    #[cfg(test)]
    pub(crate) const SIZE: usize = size_of::<Slot<T>>();

    pub(crate) const fn new() -> Self {
        Pool { slots: Vec::new(), free: NOWHERE, used: 0 }
    }

    /// Takes room for so many values in all, and writes to it, so that the system has given it.
    pub(crate) fn reserve(&mut self, room: usize) -> Result<(), TryReserveError> {
        self.slots.try_reserve_exact(room.saturating_sub(self.slots.len()))?;
        let first = self.slots.len();
        // The first place is the first to be used.
        for place in first..room {
            let next = if place + 1 == room { self.free } else { number(place + 1) };
            self.slots.push(Slot::Free(next));
        }
        if first < room {
            self.free = number(first);
        }
        Ok(())
    }

    /// How many values are here.
    pub(crate) const fn len(&self) -> usize {
        self.used
    }

    /// For how many there is room.
    pub(crate) const fn room(&self) -> usize {
        self.slots.len()
    }

    /// All values, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Used(value) => Some(value),
            Slot::Free(_) => None,
        })
    }

    /// Puts a value somewhere.
    #[inline]
    pub(crate) fn put(&mut self, value: T) -> Place {
        self.used += 1;
        let place = self.free;
        if place == NOWHERE {
            self.slots.push(Slot::Used(value));
            return number(self.slots.len() - 1);
        }
        let slot = core::mem::replace(&mut self.slots[place as usize], Slot::Used(value));
        if let Slot::Free(next) = slot {
            self.free = next;
        }
        place
    }

    /// Takes the value of a place, which has one.
    #[inline]
    pub(crate) fn take(&mut self, place: Place) -> T {
        let slot = core::mem::replace(&mut self.slots[place as usize], Slot::Free(self.free));
        let Slot::Used(value) = slot else { free() };
        self.free = place;
        self.used -= 1;
        value
    }
}

impl<T> Index<Place> for Pool<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: Place) -> &T {
        let Slot::Used(value) = &self.slots[place as usize] else { free() };
        value
    }
}

impl<T> IndexMut<Place> for Pool<T> {
    #[inline]
    fn index_mut(&mut self, place: Place) -> &mut T {
        let Slot::Used(value) = &mut self.slots[place as usize] else { free() };
        value
    }
}

#[inline]
fn number(place: usize) -> Place {
    let number = Place::try_from(place).ok().filter(|number| *number != NOWHERE);
    number.expect("no machine has memory for so many")
}

#[cold]
fn free() -> ! {
    unreachable!("a place that is free is not asked for");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn law_a_pool_keeps_what_is_put_and_takes_no_room_beyond_what_was_reserved(
            room in 0_usize..20,
            steps in prop::collection::vec((any::<bool>(), any::<u8>()), 0..200),
        ) {
            let (mut pool, mut all) = (Pool::new(), BTreeMap::new());
            pool.reserve(room).unwrap();
            let mut most = room;
            for (puts, draw) in steps {
                if puts {
                    prop_assert_eq!(all.insert(pool.put(draw), draw), None);
                } else if let Some(place) = all.keys().nth(usize::from(draw) % all.len().max(1)).copied() {
                    prop_assert_eq!(Some(pool.take(place)), all.remove(&place));
                }
                most = most.max(all.len());
                prop_assert_eq!((pool.len(), pool.room()), (all.len(), most));
                prop_assert!(all.iter().all(|(place, value)| pool[*place] == *value));
                prop_assert_eq!(pool.iter().count(), all.len());
            }
        }
    }

    #[test]
    fn refuses_room_that_no_machine_has() {
        let mut pool = Pool::<u64>::new();
        assert!(pool.reserve(usize::MAX).is_err());
        assert_eq!(pool.room(), 0);
    }
}
