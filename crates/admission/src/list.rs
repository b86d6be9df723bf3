//! The original list of slots (section 2.2): searched, looked through and updated slot by slot.
//!
//! Each operation takes time linear in the slots. It is the yardstick, and the right choice below some thirty slots.

use crate::{Key, Structure, Supplied};
use alloc::vec::Vec;
use windfall_time::{Instant, Span};

/// No slot.
const NONE: u32 = u32::MAX;

/// One accepted task.
#[derive(Clone, Copy, Debug)]
struct Slot {
    deadline: i64,
    /// What is left of its work.
    work: i64,
    /// Deadline minus end.
    laxity: i64,
    number: u32,
    next: u32,
    previous: u32,
}

/// A doubly linked list of slots in order of deadline, with their laxities (section 2.2).
#[derive(Clone, Debug)]
pub struct List {
    slots: Vec<Slot>,
    first: u32,
    last: u32,
    free: u32,
    len: usize,
    now: i64,
}

impl List {
    /// A list of slots that are in order and end in time, with the work left of each. They lie scattered in memory, as after long use.
    #[must_use]
    pub fn restore(now: Instant, slots: &[(Key, Span)]) -> List {
        let mut list = List::new(now);
        let mut end = list.now;
        // By their numbers, which is how they arrived.
        let mut arrived: Vec<usize> = (0..slots.len()).collect();
        arrived.sort_unstable_by_key(|place| slots[*place].0.number);
        let mut places = alloc::vec![NONE; slots.len()];
        for (place, number) in arrived.into_iter().zip(0..) {
            places[place] = number;
        }
        let empty = Slot { deadline: 0, work: 0, laxity: 0, number: 0, next: NONE, previous: NONE };
        list.slots = alloc::vec![empty; slots.len()];
        let around = |place: Option<usize>| {
            place.and_then(|place| places.get(place)).copied().unwrap_or(NONE)
        };
        for (place, (key, work)) in slots.iter().enumerate() {
            let (work, deadline) =
                (work.as_nanos().cast_signed(), key.deadline.as_nanos().cast_signed());
            end += work;
            let (previous, next) = (around(place.checked_sub(1)), around(Some(place + 1)));
            let slot =
                Slot { deadline, work, laxity: deadline - end, number: key.number, next, previous };
            list.slots[places[place] as usize] = slot;
        }
        (list.first, list.last) = (around(Some(0)), around(slots.len().checked_sub(1)));
        list.len = slots.len();
        list
    }

    fn slot(&self, place: u32) -> &Slot {
        &self.slots[place as usize]
    }

    /// The places from one on, in order.
    fn from(&self, mut place: u32) -> impl Iterator<Item = u32> + '_ {
        core::iter::from_fn(move || {
            let here = place;
            (here != NONE).then(|| {
                place = self.slot(here).next;
                here
            })
        })
    }

    /// The last slot of an equal or earlier deadline, from the first on.
    fn before(&self, deadline: i64) -> u32 {
        self.from(self.first)
            .take_while(|at| self.slot(*at).deadline <= deadline)
            .last()
            .unwrap_or(NONE)
    }

    /// The slot behind, or the first.
    fn after(&self, place: u32) -> u32 {
        if place == NONE { self.first } else { self.slot(place).next }
    }

    fn find(&self, key: Key) -> Option<u32> {
        let deadline = key.deadline.as_nanos().cast_signed();
        let is_it = |slot: &Slot| slot.deadline == deadline && slot.number == key.number;
        let mut up_to = self.from(self.first).take_while(|at| self.slot(*at).deadline <= deadline);
        up_to.find(|at| is_it(self.slot(*at)))
    }

    fn room_after(&self, before: u32, deadline: i64) -> i64 {
        let least = self.from(self.after(before)).map(|at| self.slot(at).laxity).min();
        let end = match before {
            NONE => self.now,
            before => self.slot(before).deadline - self.slot(before).laxity,
        };
        least.unwrap_or(i64::MAX).min(deadline - end).max(0)
    }

    /// Moves the ends of all slots from one on.
    fn delay(&mut self, mut place: u32, by: i64) {
        while place != NONE {
            let slot = &mut self.slots[place as usize];
            slot.laxity -= by;
            place = slot.next;
        }
    }

    fn link(&mut self, before: u32, slot: Slot) {
        let after = self.after(before);
        let slot = Slot { next: after, previous: before, ..slot };
        let place = self.free;
        let place = if place == NONE {
            self.slots.push(slot);
            u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
        } else {
            self.free = self.slot(place).next;
            self.slots[place as usize] = slot;
            place
        };
        match before {
            NONE => self.first = place,
            before => self.slots[before as usize].next = place,
        }
        match after {
            NONE => self.last = place,
            after => self.slots[after as usize].previous = place,
        }
        self.len += 1;
    }

    fn unlink(&mut self, place: u32) -> Slot {
        let slot = *self.slot(place);
        match slot.previous {
            NONE => self.first = slot.next,
            previous => self.slots[previous as usize].next = slot.next,
        }
        match slot.next {
            NONE => self.last = slot.previous,
            next => self.slots[next as usize].previous = slot.previous,
        }
        self.slots[place as usize].next = self.free;
        self.free = place;
        self.len -= 1;
        slot
    }
}

impl Structure for List {
    const NAME: &'static str = "list";

    fn new(now: Instant) -> List {
        let now = now.as_nanos().cast_signed();
        List { slots: Vec::new(), first: NONE, last: NONE, free: NONE, len: 0, now }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.cast_unsigned())
    }

    fn len(&self) -> usize {
        self.len
    }

    fn room(&self, deadline: Instant) -> Span {
        let deadline = deadline.as_nanos().cast_signed();
        Span::from_nanos(self.room_after(self.before(deadline), deadline).cast_unsigned())
    }

    fn earliest(&self, work: Span) -> Instant {
        let work = work.as_nanos().cast_signed();
        let mut at = self.last;
        while at != NONE && self.slot(at).laxity >= work {
            at = self.slot(at).previous;
        }
        let earliest = match at {
            NONE => self.now + work,
            at => self.slot(at).deadline + (work - self.slot(at).laxity).max(0),
        };
        Instant::from_nanos(earliest.cast_unsigned())
    }

    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span> {
        let (work, deadline) =
            (work.as_nanos().cast_signed(), key.deadline.as_nanos().cast_signed());
        let before = self.before(deadline);
        let room = self.room_after(before, deadline);
        if work > room {
            return Err(Span::from_nanos(room.cast_unsigned()));
        }
        let end = match before {
            NONE => self.now,
            before => self.slot(before).deadline - self.slot(before).laxity,
        };
        let laxity = deadline - end - work;
        self.delay(self.after(before), work);
        let number = key.number;
        self.link(before, Slot { deadline, work, laxity, number, next: NONE, previous: NONE });
        Ok(())
    }

    fn remove(&mut self, key: Key) -> Option<Span> {
        let place = self.find(key)?;
        let slot = self.unlink(place);
        self.delay(slot.next, -slot.work);
        Some(Span::from_nanos(slot.work.cast_unsigned()))
    }

    fn contains(&self, key: Key) -> bool {
        self.find(key).is_some()
    }

    fn head(&self) -> Option<(Key, Span)> {
        let slot = self.slots.get(self.first as usize)?;
        let deadline = Instant::from_nanos(slot.deadline.cast_unsigned());
        Some((Key { deadline, number: slot.number }, Span::from_nanos(slot.work.cast_unsigned())))
    }

    fn advance(&mut self, to: Instant) -> usize {
        let to = to.as_nanos().cast_signed();
        let (mut passes, mut collected) = (to - self.now, 0);
        while self.first != NONE && self.slot(self.first).work <= passes {
            passes -= self.slot(self.first).work;
            self.unlink(self.first);
            collected += 1;
        }
        if self.first != NONE {
            self.slots[self.first as usize].work -= passes;
        }
        self.now = to;
        collected
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }
}

impl Supplied for List {
    fn serve(&mut self, work: Span, to: Instant) -> usize {
        let (work, to) = (work.as_nanos().cast_signed(), to.as_nanos().cast_signed());
        self.delay(self.first, to - self.now - work);
        self.now = to;
        match self.slots.get_mut(self.first as usize) {
            None => return 0,
            Some(head) => head.work -= work,
        }
        let collected = self.len;
        while self.first != NONE && self.slot(self.first).work == 0 {
            self.unlink(self.first);
        }
        collected - self.len
    }

    fn late(&self) -> Option<Key> {
        let late = self.from(self.first).find(|at| self.slot(*at).laxity < 0)?;
        let Slot { deadline, number, .. } = *self.slot(late);
        Some(Key { deadline: Instant::from_nanos(deadline.cast_unsigned()), number })
    }
}
