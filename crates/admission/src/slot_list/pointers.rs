//! Minimum-laxity pointers (section 2.5): for every slot, the slot of least laxity from there on.
//!
//! A slot has a pointer if all later slots have more laxity; of slots of an equal deadline only the last can. The pointer of any slot is the first with an equal or later
//! deadline, so that none has to be stored with the slots, and the paper's two readings, "greater than" and "greater than or equal", find the same.
//!
//! The slots of one pointer are those behind the pointer before it, and itself. A move of all of them is added to the pointer's `moved` alone: a slot ends at `Slot::end` plus
//! that. An admission changes the later pointers, and those slots of its own pointer and of pointers that give way to it which are before it.
//!
//! A withdrawal makes later laxities larger, so that slots before it can come to have less than all later ones: their pointers are made again, back to the pointer before. On
//! this the paper is silent.

use super::laxities::{FAR, Laxities};
use super::slots::{NONE, Slot, Slots};
use alloc::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Pointer {
    /// Of its slot.
    deadline: i64,
    laxity: i64,
    /// The amount to be added to the ends of its slots. It wraps, and the sum is right.
    moved: i64,
    slot: u32,
}

/// The pointers, the latest deadline first. Laxities fall from each to the next. Both ends are near: slots come behind all others, and are collected before them.
#[derive(Clone, Debug)]
pub struct Pointers(VecDeque<Pointer>);

impl Pointers {
    /// How many are later than a deadline.
    fn later(&self, deadline: i64) -> usize {
        self.0.partition_point(|pointer| pointer.deadline > deadline)
    }

    /// The pointer of the slots of a deadline; there must be such a slot.
    fn of(&self, deadline: i64) -> usize {
        self.0.partition_point(|pointer| pointer.deadline >= deadline) - 1
    }

    /// The slot of a pointer, or none.
    fn slot(&self, index: usize) -> u32 {
        self.0.get(index).map_or(NONE, |pointer| pointer.slot)
    }

    fn laxity(&self, index: Option<usize>) -> i64 {
        index.and_then(|index| self.0.get(index)).map_or(FAR, |pointer| pointer.laxity)
    }

    fn delay(&mut self, first: usize, by: i64) {
        for pointer in self.0.range_mut(..first) {
            pointer.laxity -= by;
            pointer.moved = pointer.moved.wrapping_add(by);
        }
    }
}

/// Adds to the ends of the slots from one back to another, which stays as it is.
fn delay_back(slots: &mut Slots, mut place: u32, to: u32, by: i64) {
    while by != 0 && place != to {
        let slot = slots.at_mut(place);
        slot.end = slot.end.wrapping_add(by);
        place = slot.previous;
    }
}

impl Laxities for Pointers {
    const POINTERS: bool = true;

    fn new() -> Pointers {
        Pointers(VecDeque::new())
    }

    fn end(&self, slots: &Slots, place: u32) -> i64 {
        let slot = slots.at(place);
        slot.end.wrapping_add(self.0[self.of(slot.deadline)].moved)
    }

    fn least_behind(&self, _: &Slots, _: u32, deadline: i64) -> i64 {
        self.laxity(self.later(deadline).checked_sub(1))
    }

    fn last_below(&self, _: &Slots, laxity: i64) -> Option<(i64, i64)> {
        let index = self.0.partition_point(|pointer| pointer.laxity >= laxity);
        self.0.get(index).map(|pointer| (pointer.deadline, pointer.laxity))
    }

    fn added(&mut self, slots: &mut Slots, place: u32, end: i64) {
        let Slot { deadline, work, previous, .. } = *slots.at(place);
        let later = self.later(deadline);
        let next = later.checked_sub(1);
        let moved = next.map_or(0, |next| self.0[next].moved);
        self.delay(later, work);
        let laxity = deadline - end;
        let own = if laxity < self.laxity(next) {
            // The slots before it keep their ends, for they have this pointer from now on.
            self.0.insert(later, Pointer { deadline, laxity, moved, slot: place });
            later
        } else {
            delay_back(slots, previous, self.slot(later), -work);
            later - 1
        };
        let Pointer { laxity, moved, .. } = self.0[own];
        slots.at_mut(place).end = end.wrapping_sub(moved);
        let stay = self.0.partition_point(|pointer| pointer.laxity >= laxity);
        for index in own + 1..stay {
            let by = self.0[index].moved.wrapping_sub(moved);
            delay_back(slots, self.slot(index), self.slot(index + 1), by);
        }
        self.0.drain(own + 1..stay);
    }

    fn removed(&mut self, slots: &mut Slots, place: u32, slot: &Slot) {
        let own = self.of(slot.deadline);
        let before = self.0[own].moved;
        let mut next = Some(own);
        if self.0[own].slot == place {
            self.0.remove(own);
            next = own.checked_sub(1);
        }
        self.delay(next.map_or(0, |next| next + 1), -slot.work);
        let (mut at, to) = (slot.previous, self.slot(next.map_or(0, |next| next + 1)));
        while at != to {
            let Slot { deadline, end, previous, .. } = *slots.at(at);
            let laxity = deadline - end.wrapping_add(before);
            let index = next.map_or(0, |next| next + 1);
            match next {
                Some(next) if laxity >= self.0[next].laxity => {
                    let by = before.wrapping_sub(self.0[next].moved);
                    slots.at_mut(at).end = end.wrapping_add(by);
                }
                _ => {
                    self.0.insert(index, Pointer { deadline, laxity, moved: before, slot: at });
                    next = Some(index);
                }
            }
            at = previous;
        }
    }

    fn collected(&mut self, place: u32) {
        if self.0.back().is_some_and(|pointer| pointer.slot == place) {
            self.0.pop_back();
        }
    }

    fn restored(&mut self, slots: &Slots) {
        self.0.clear();
        let (mut place, mut least) = (slots.last, FAR);
        while place != NONE {
            let Slot { deadline, end, previous, .. } = *slots.at(place);
            if deadline - end < least {
                least = deadline - end;
                self.0.push_back(Pointer { deadline, laxity: least, moved: 0, slot: place });
            }
            place = previous;
        }
    }

    /// All slots of an equal or earlier deadline end before the work of the first later pointer's slot. And the slot of the pointer before
    /// it has so much laxity that as much would fit before its own deadline, which is not later.
    fn at_least(&self, slots: &Slots, deadline: i64) -> Option<i64> {
        let last = self.0.front()?;
        let later = self.later(deadline);
        let Some(next) = later.checked_sub(1) else {
            return Some(deadline - (last.deadline - last.laxity));
        };
        let Pointer { deadline: due, laxity, slot, .. } = self.0[next];
        let begins = due - laxity - slots.at(slot).work;
        let before = self.0.get(later).map_or(0, |pointer| pointer.laxity);
        Some(laxity.min(deadline - begins).max(before))
    }

    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Pointer>()
    }
}
