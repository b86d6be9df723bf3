//! Where the slots of a list lie: an arena, in which they are linked in order of deadline, both ways.

use alloc::vec::Vec;

/// No slot.
pub(crate) const NONE: u32 = u32::MAX;

/// One accepted task.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub(crate) deadline: i64,
    /// Its remaining work.
    pub(crate) work: i64,
    /// When it ends, as the list's laxities write it.
    pub(crate) end: i64,
    pub(crate) number: u32,
    pub(crate) next: u32,
    pub(crate) previous: u32,
}

/// All slots of a list. Places that are free form a list through `next`.
#[derive(Clone, Debug)]
pub struct Slots {
    slots: Vec<Slot>,
    pub(crate) first: u32,
    pub(crate) last: u32,
    free: u32,
    pub(crate) len: usize,
}

impl Slots {
    pub(crate) const fn new() -> Slots {
        Slots { slots: Vec::new(), first: NONE, last: NONE, free: NONE, len: 0 }
    }

    /// Slots in order, each at its own place among `places`, which are 0 to their number.
    pub(crate) fn linked(each: &[Slot], places: &[u32]) -> Slots {
        let around = |index: Option<usize>| {
            index.and_then(|index| places.get(index)).copied().unwrap_or(NONE)
        };
        let mut slots = each.to_vec();
        for (index, slot) in each.iter().enumerate() {
            let (previous, next) = (around(index.checked_sub(1)), around(Some(index + 1)));
            slots[places[index] as usize] = Slot { previous, next, ..*slot };
        }
        let (first, last) = (around(Some(0)), around(each.len().checked_sub(1)));
        Slots { slots, first, last, free: NONE, len: each.len() }
    }

    #[inline]
    pub(crate) fn at(&self, place: u32) -> &Slot {
        &self.slots[place as usize]
    }

    #[inline]
    pub(crate) fn at_mut(&mut self, place: u32) -> &mut Slot {
        &mut self.slots[place as usize]
    }

    /// The slot behind one, or the first.
    #[inline]
    pub(crate) fn after(&self, place: u32) -> u32 {
        if place == NONE { self.first } else { self.at(place).next }
    }

    /// From a place back, up to the last slot of an equal or earlier deadline.
    #[inline]
    pub(crate) fn back_to(&self, mut place: u32, deadline: i64) -> u32 {
        while place != NONE && self.at(place).deadline > deadline {
            place = self.at(place).previous;
        }
        place
    }

    /// From a place on, which is not too late, up to the last slot of an equal or earlier deadline.
    #[inline]
    pub(crate) fn on_to(&self, mut place: u32, deadline: i64) -> u32 {
        loop {
            let next = self.after(place);
            if next == NONE || self.at(next).deadline > deadline {
                return place;
            }
            place = next;
        }
    }

    /// Links a slot in behind another, or as the first.
    pub(crate) fn link(&mut self, before: u32, slot: Slot) -> u32 {
        let after = self.after(before);
        let slot = Slot { next: after, previous: before, ..slot };
        let place = self.free;
        let place = if place == NONE {
            self.slots.push(slot);
            u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
        } else {
            self.free = self.at(place).next;
            *self.at_mut(place) = slot;
            place
        };
        match before {
            NONE => self.first = place,
            before => self.at_mut(before).next = place,
        }
        match after {
            NONE => self.last = place,
            after => self.at_mut(after).previous = place,
        }
        self.len += 1;
        place
    }

    pub(crate) fn unlink(&mut self, place: u32) -> Slot {
        let slot = *self.at(place);
        match slot.previous {
            NONE => self.first = slot.next,
            previous => self.at_mut(previous).next = slot.next,
        }
        match slot.next {
            NONE => self.last = slot.previous,
            next => self.at_mut(next).previous = slot.previous,
        }
        self.at_mut(place).next = self.free;
        self.free = place;
        self.len -= 1;
        slot
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }
}
