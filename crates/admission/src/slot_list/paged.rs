//! The original list with temporal paging: slots whose work is used up stay in it until they are collected (section 3).
//!
//! Ends are instants, so time passes without a look at any slot: those that end by `now` are used up, and are the first ones of the list. A search passes over
//! them, which is what a late collection costs; they may be out of order of deadline, and nothing else depends on them.

use super::laxities::Laxities;
use super::slots::{NONE, Slot, Slots};
use super::walk::Walk;
use super::{ns, span};
use crate::{Key, Structure};
use windfall_time::{Instant, Span};

/// The original list, in which slots that are used up stay until [`Structure::collect`] (section 3).
///
/// `advance` takes constant time and collects nothing; every slot that stays makes each search longer. [`Collector`](crate::Collector) says when a collection pays.
#[derive(Clone, Debug)]
pub struct PagedList {
    slots: Slots,
    now: i64,
}

impl PagedList {
    fn is_used_up(&self, place: u32) -> bool {
        self.slots.at(place).end <= self.now
    }

    /// Behind which slot a deadline's place is: the last that is used up, or is due by then.
    fn before(&self, deadline: i64) -> u32 {
        let mut place = NONE;
        loop {
            let next = self.slots.after(place);
            if next == NONE || self.slots.at(next).deadline > deadline && !self.is_used_up(next) {
                return place;
            }
            place = next;
        }
    }

    /// When work behind this slot would begin.
    fn begins(&self, before: u32) -> i64 {
        if before == NONE { self.now } else { self.slots.at(before).end.max(self.now) }
    }

    fn room_behind(&self, before: u32, deadline: i64) -> i64 {
        let least = Walk.least_behind(&self.slots, before, deadline);
        least.min(deadline - self.begins(before)).max(0)
    }

    /// The remaining work of a slot that is not used up; `work` is more if it was worked on since it was linked.
    fn left(&self, place: u32) -> i64 {
        let slot = self.slots.at(place);
        slot.work.min(slot.end - self.now)
    }

    fn find(&self, key: Key) -> Option<u32> {
        let deadline = ns(key.deadline);
        let mut place = self.before(deadline);
        while place != NONE && !self.is_used_up(place) {
            let slot = self.slots.at(place);
            if slot.deadline != deadline {
                return None;
            }
            if slot.number == key.number {
                return Some(place);
            }
            place = slot.previous;
        }
        None
    }
}

impl Structure for PagedList {
    const NAME: &'static str = "list, paged";

    fn new(now: Instant) -> Self {
        PagedList { slots: Slots::new(), now: ns(now) }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.cast_unsigned())
    }

    fn len(&self) -> usize {
        self.slots.len
    }

    fn room(&self, deadline: Instant) -> Span {
        let deadline = ns(deadline);
        span(self.room_behind(self.before(deadline), deadline))
    }

    fn earliest(&self, work: Span) -> Instant {
        let work = work.as_nanos().cast_signed();
        let last = Walk.last_below(&self.slots, work);
        // If that one is used up, no other has less laxity.
        let earliest = match last.filter(|(deadline, laxity)| deadline - laxity > self.now) {
            None => self.now + work,
            Some((deadline, laxity)) => deadline + (work - laxity),
        };
        Instant::from_nanos(earliest.cast_unsigned())
    }

    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span> {
        let (work, deadline) = (work.as_nanos().cast_signed(), ns(key.deadline));
        let before = self.before(deadline);
        let room = self.room_behind(before, deadline);
        if work > room {
            return Err(span(room));
        }
        let (begins, next) = (self.begins(before), self.slots.after(before));
        if next != NONE {
            self.slots.at_mut(next).work = self.left(next);
        }
        let slot = Slot { deadline, work, end: 0, number: key.number, next: NONE, previous: NONE };
        let place = self.slots.link(before, slot);
        Walk.added(&mut self.slots, place, begins + work);
        Ok(())
    }

    fn remove(&mut self, key: Key) -> Option<Span> {
        let place = self.find(key)?;
        let work = self.left(place);
        let slot = Slot { work, ..self.slots.unlink(place) };
        Walk.removed(&mut self.slots, place, &slot);
        Some(span(work))
    }

    fn contains(&self, key: Key) -> bool {
        self.find(key).is_some()
    }

    fn head(&self) -> Option<(Key, Span)> {
        let mut place = self.slots.first;
        while place != NONE && self.is_used_up(place) {
            place = self.slots.at(place).next;
        }
        if place == NONE {
            return None;
        }
        let slot = self.slots.at(place);
        let deadline = Instant::from_nanos(slot.deadline.cast_unsigned());
        Some((Key { deadline, number: slot.number }, span(self.left(place))))
    }

    fn advance(&mut self, to: Instant) -> usize {
        self.now = ns(to);
        0
    }

    fn collect(&mut self) -> usize {
        let before = self.slots.len;
        while self.slots.first != NONE && self.is_used_up(self.slots.first) {
            self.slots.unlink(self.slots.first);
        }
        before - self.slots.len
    }

    fn bytes(&self) -> usize {
        self.slots.bytes()
    }
}
