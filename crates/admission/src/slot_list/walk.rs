//! The original laxities: looked through and updated slot by slot.

use super::laxities::{FAR, Laxities};
use super::slots::{NONE, Slot, Slots};

/// Every slot has its own end, and each admission moves those of all later slots (section 2.2).
#[derive(Clone, Debug)]
pub struct Walk;

fn delay(slots: &mut Slots, mut place: u32, by: i64) {
    while place != NONE {
        let slot = slots.at_mut(place);
        slot.end += by;
        place = slot.next;
    }
}

impl Laxities for Walk {
    const POINTERS: bool = false;

    fn new() -> Walk {
        Walk
    }

    fn end(&self, slots: &Slots, place: u32) -> i64 {
        slots.at(place).end
    }

    fn least_behind(&self, slots: &Slots, place: u32, _: i64) -> i64 {
        let (mut place, mut least) = (slots.after(place), FAR);
        while place != NONE {
            let slot = slots.at(place);
            least = least.min(slot.deadline - slot.end);
            place = slot.next;
        }
        least
    }

    fn last_below(&self, slots: &Slots, laxity: i64) -> Option<(i64, i64)> {
        let mut place = slots.last;
        while place != NONE {
            let slot = slots.at(place);
            if slot.deadline - slot.end < laxity {
                return Some((slot.deadline, slot.deadline - slot.end));
            }
            place = slot.previous;
        }
        None
    }

    fn added(&mut self, slots: &mut Slots, place: u32, end: i64) {
        let slot = slots.at_mut(place);
        slot.end = end;
        let (next, work) = (slot.next, slot.work);
        delay(slots, next, work);
    }

    fn removed(&mut self, slots: &mut Slots, _: u32, slot: &Slot) {
        delay(slots, slot.next, -slot.work);
    }
}
