//! The table of an instance's children: the virtual processor in each slot.

use crate::id::ChildVp;
use crate::index::{Table, VpIndex};
use alloc::vec::Vec;

/// Child slots. The slot freed last is reused first, so the numbers stay dense.
#[derive(Clone)]
pub(crate) struct Children {
    slots: Table<ChildVp, Option<VpIndex>>,
    free: Vec<ChildVp>,
    count: u32,
}

impl Children {
    pub(crate) const fn new() -> Children {
        Children { slots: Table::new(), free: Vec::new(), count: 0 }
    }

    /// Number of children.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    /// Number of slots, used or free.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Takes a slot and stores the VP that `make` creates for it; allocates.
    pub(crate) fn add(&mut self, make: impl FnOnce(ChildVp) -> VpIndex) -> VpIndex {
        let slot = self.free.pop().unwrap_or_else(|| self.slots.push(None));
        self.free.reserve(1);
        self.count += 1;
        let vp = make(slot);
        self.slots[slot] = Some(vp);
        vp
    }

    /// Frees a slot that is in use.
    pub(crate) fn remove(&mut self, slot: ChildVp) {
        self.slots[slot] = None;
        self.free.push(slot);
        self.count -= 1;
    }

    /// The VP in a slot, if there is one.
    #[inline]
    pub(crate) fn get(&self, slot: ChildVp) -> Option<VpIndex> {
        self.slots.get(slot).copied().flatten()
    }

    /// All children in order of slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ChildVp, VpIndex)> + '_ {
        self.slots.iter().filter_map(|(slot, vp)| Some((slot, (*vp)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slot_freed_last_is_given_first() {
        let mut children = Children::new();
        let slots = [5, 6, 7].map(|vp| {
            let mut given = ChildVp(u32::MAX);
            children.add(|slot| {
                given = slot;
                VpIndex(vp)
            });
            given
        });
        assert_eq!(slots, [0, 1, 2].map(ChildVp));
        children.remove(slots[0]);
        children.remove(slots[1]);
        assert_eq!((children.count(), children.slots()), (1, 3));
        assert_eq!((children.get(slots[1]), children.get(ChildVp(3))), (None, None));
        children.add(|slot| {
            assert_eq!(slot, slots[1]);
            VpIndex(8)
        });
        let all: Vec<(ChildVp, VpIndex)> = children.iter().collect();
        assert_eq!(all, [(slots[1], VpIndex(8)), (slots[2], VpIndex(7))]);
    }
}
