//! The paper's list of slots (sections 2.2 to 2.6): a way to search, and a way to keep laxities, over one list.
//!
//! An admission has four steps: find the place, find the idle time, insert the slot, update the later ones. `linear.rs`, `hash.rs` and `guess.rs` are ways to
//! find the place; `walk.rs` and `pointers.rs` to find the idle time and to update. Any two go together.
//! `paged.rs` is the original list, collected when that pays.

mod guess;
mod hash;
mod laxities;
mod linear;
mod paged;
mod pointers;
mod search;
mod slots;
mod walk;

use crate::{Key, Structure, Supplied};
use alloc::vec::Vec;
use guess::Guess;
use hash::Hash;
use laxities::Laxities;
use linear::Linear;
pub use paged::PagedList;
use pointers::Pointers;
use search::Search;
use slots::{NONE, Slot, Slots};
use walk::Walk;
use windfall_time::{Instant, Span};

/// The original list: searched, looked through and updated slot by slot (section 2.2).
///
/// Each operation takes time linear in the slots. It is the yardstick, and the right choice below some thirty slots.
pub type List = SlotList<Linear, Walk>;

/// The list with adaptive hashing: buckets of deadlines, as many as their mean difference calls for, set anew at collections (section 2.6).
pub type HashList = SlotList<Hash, Walk>;

/// The list with best guess: a search begins where the last slot was put in (section 2.6).
pub type GuessList = SlotList<Guess, Walk>;

/// The list with minimum-laxity pointers: idle times are read, and updates are few (section 2.5).
pub type PointerList = SlotList<Linear, Pointers>;

/// The list with adaptive hashing and minimum-laxity pointers (sections 2.5, 2.6).
pub type HashPointerList = SlotList<Hash, Pointers>;

/// The paper's improved list: best guess and minimum-laxity pointers (section 2.7, table 2).
pub type ImprovedList = SlotList<Guess, Pointers>;

/// The parts of an admission, in their order (section 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The place was found.
    Find,
    /// The idle time is known; without enough of it, this is the last step.
    Idle,
    /// The slot is in the list.
    Insert,
    /// The later slots end later.
    Update,
}

/// Slots in order of deadline, linked both ways, with a way to search `F` and a way to keep laxities `L`.
#[derive(Clone, Debug)]
pub struct SlotList<F, L> {
    slots: Slots,
    search: F,
    laxities: L,
    now: i64,
}

fn ns(at: Instant) -> i64 {
    at.as_nanos().cast_signed()
}

fn span(ns: i64) -> Span {
    Span::from_nanos(ns.cast_unsigned())
}

impl<F: Search, L: Laxities> SlotList<F, L> {
    /// A list of slots that are in order and end in time, with the work left of each. They lie scattered in memory, as after long use.
    #[must_use]
    pub fn restore(now: Instant, slots: &[(Key, Span)]) -> Self {
        let mut list = Self::new(now);
        let mut end = list.now;
        let each = slots.iter().map(|(key, work)| {
            let (deadline, work) = (ns(key.deadline), work.as_nanos().cast_signed());
            end += work;
            Slot { deadline, work, end, number: key.number, next: NONE, previous: NONE }
        });
        let each: Vec<Slot> = each.collect();
        // By their numbers, which is how they arrived.
        let mut arrived: Vec<usize> = (0..slots.len()).collect();
        arrived.sort_unstable_by_key(|index| slots[*index].0.number);
        let mut places = alloc::vec![NONE; slots.len()];
        for (index, place) in arrived.into_iter().zip(0..) {
            places[index] = place;
        }
        list.slots = Slots::linked(&each, &places);
        list.search.restored(&list.slots);
        list.laxities.restored(&list.slots);
        list
    }

    /// Does as [`Structure::offer`], and calls `passed` after each step, by which the parts of an admission are measured (figure 1).
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn offer_in_steps(
        &mut self,
        work: Span,
        key: Key,
        mut passed: impl FnMut(Step),
    ) -> Result<(), Span> {
        let (work, deadline) = (work.as_nanos().cast_signed(), ns(key.deadline));
        let before = self.search.before(&self.slots, deadline);
        passed(Step::Find);
        let begins = self.end(before);
        let room = self.room_behind(before, deadline, begins);
        passed(Step::Idle);
        if work > room {
            return Err(span(room));
        }
        let slot = Slot { deadline, work, end: 0, number: key.number, next: NONE, previous: NONE };
        let place = self.slots.link(before, slot);
        self.search.added(&self.slots, place);
        passed(Step::Insert);
        self.laxities.added(&mut self.slots, place, begins + work);
        passed(Step::Update);
        Ok(())
    }

    /// When a slot ends, or now.
    fn end(&self, place: u32) -> i64 {
        if place == NONE { self.now } else { self.laxities.end(&self.slots, place) }
    }

    fn room_behind(&self, before: u32, deadline: i64, begins: i64) -> i64 {
        let least = self.laxities.least_behind(&self.slots, before, deadline);
        least.min(deadline - begins).max(0)
    }

    fn find(&self, key: Key) -> Option<u32> {
        let deadline = ns(key.deadline);
        let mut place = self.search.before(&self.slots, deadline);
        while place != NONE && self.slots.at(place).deadline == deadline {
            if self.slots.at(place).number == key.number {
                return Some(place);
            }
            place = self.slots.at(place).previous;
        }
        None
    }
}

impl<F: Search, L: Laxities> Structure for SlotList<F, L> {
    const NAME: &'static str = F::NAMES[if L::POINTERS { 1 } else { 0 }];

    fn new(now: Instant) -> Self {
        SlotList { slots: Slots::new(), search: F::new(), laxities: L::new(), now: ns(now) }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.cast_unsigned())
    }

    fn len(&self) -> usize {
        self.slots.len
    }

    fn room(&self, deadline: Instant) -> Span {
        let deadline = ns(deadline);
        let before = self.search.before(&self.slots, deadline);
        span(self.room_behind(before, deadline, self.end(before)))
    }

    fn room_at_least(&self, deadline: Instant) -> Span {
        match self.laxities.at_least(&self.slots, ns(deadline)) {
            Some(room) => span(room.max(0)),
            None => self.room(deadline),
        }
    }

    fn earliest(&self, work: Span) -> Instant {
        let work = work.as_nanos().cast_signed();
        let earliest = match self.laxities.last_below(&self.slots, work) {
            None => self.now + work,
            Some((deadline, laxity)) => deadline + (work - laxity),
        };
        Instant::from_nanos(earliest.cast_unsigned())
    }

    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span> {
        self.offer_in_steps(work, key, |_| ())
    }

    fn remove(&mut self, key: Key) -> Option<Span> {
        let place = self.find(key)?;
        self.search.removing(&self.slots, place);
        let slot = self.slots.unlink(place);
        self.laxities.removed(&mut self.slots, place, &slot);
        Some(span(slot.work))
    }

    fn contains(&self, key: Key) -> bool {
        self.find(key).is_some()
    }

    fn head(&self) -> Option<(Key, Span)> {
        if self.slots.first == NONE {
            return None;
        }
        let slot = self.slots.at(self.slots.first);
        let deadline = Instant::from_nanos(slot.deadline.cast_unsigned());
        Some((Key { deadline, number: slot.number }, span(slot.work)))
    }

    fn advance(&mut self, to: Instant) -> usize {
        let (mut passes, before) = (ns(to) - self.now, self.slots.len);
        while self.slots.first != NONE && self.slots.at(self.slots.first).work <= passes {
            let place = self.slots.first;
            self.search.removing(&self.slots, place);
            passes -= self.slots.unlink(place).work;
            self.laxities.collected(place);
        }
        if self.slots.first != NONE {
            self.slots.at_mut(self.slots.first).work -= passes;
        }
        self.now = ns(to);
        let collected = before - self.slots.len;
        if collected > 0 {
            self.search.collected(&self.slots);
        }
        collected
    }

    fn bytes(&self) -> usize {
        self.slots.bytes() + self.search.bytes() + self.laxities.bytes()
    }
}

impl<F: Search> Supplied for SlotList<F, Walk> {
    fn serve(&mut self, work: Span, to: Instant) -> usize {
        let work = work.as_nanos().cast_signed();
        let (by, mut place) = (ns(to) - self.now - work, self.slots.first);
        while place != NONE {
            let slot = self.slots.at_mut(place);
            slot.end += by;
            place = slot.next;
        }
        self.now = ns(to);
        let first = self.slots.first;
        if first == NONE {
            return 0;
        }
        self.slots.at_mut(first).work -= work;
        // No time passes; it collects what is used up.
        self.advance(to)
    }

    fn late(&self) -> Option<Key> {
        let mut place = self.slots.first;
        while place != NONE {
            let slot = self.slots.at(place);
            if slot.end > slot.deadline {
                let deadline = Instant::from_nanos(slot.deadline.cast_unsigned());
                return Some(Key { deadline, number: slot.number });
            }
            place = slot.next;
        }
        None
    }
}
