//! Adaptive hashing (section 2.6): a bucket for each stretch of deadlines, as wide as suits the slots that are there.
//!
//! Invariant: a bucket names the last slot of its stretch, or none; the first and the last bucket have all that is earlier and later. So a search goes
//! back from the last slot of the nearest bucket that has one. The paper goes forward from a slot before; then an empty bucket must name another's slot, and all that
//! name it must be mended when it goes.
//!
//! The width follows the mean difference between deadlines. It is set anew at a collection, as in the paper, when half as many slots came and went as are there; and at an
//! insertion when the list has grown to four times its length.

use super::search::Search;
use super::slots::{NONE, Slots};
use alloc::vec;
use alloc::vec::Vec;

/// Slots a bucket, about.
const SLOTS: i64 = 4;
/// A list of so few slots is one bucket.
const FEW: usize = 32;

/// By buckets of deadlines (section 2.6).
#[derive(Clone, Debug)]
pub struct Hash {
    buckets: Vec<u32>,
    /// Where the first bucket begins.
    origin: i64,
    /// A bucket's width is two to this power.
    width: u32,
    /// How many slots came and went since that was set.
    changes: usize,
}

impl Hash {
    fn bucket(&self, deadline: i64) -> usize {
        let (away, last) = ((deadline - self.origin).max(0) >> self.width, self.buckets.len() - 1);
        usize::try_from(away).map_or(last, |bucket| bucket.min(last))
    }

    /// Whether a slot is there, and in this bucket.
    fn holds(&self, slots: &Slots, place: u32, bucket: usize) -> bool {
        place != NONE && self.bucket(slots.at(place).deadline) == bucket
    }

    fn rehash(&mut self, slots: &Slots) {
        self.changes = 0;
        self.buckets.clear();
        if slots.len < FEW {
            self.buckets.push(NONE);
        } else {
            self.origin = slots.at(slots.first).deadline;
            let all = slots.at(slots.last).deadline - self.origin;
            let mean = all / (slots.len.cast_signed() as i64);
            self.width = (mean * SLOTS).max(1).ilog2();
            // Rounding at most halves the width.
            let most = slots.len / 2 + 1;
            let buckets =
                usize::try_from(all >> self.width).map_or(most, |last| most.min(last + 1));
            self.buckets.resize(buckets, NONE);
        }
        let mut place = slots.first;
        while place != NONE {
            let bucket = self.bucket(slots.at(place).deadline);
            self.buckets[bucket] = place;
            place = slots.at(place).next;
        }
    }
}

impl Search for Hash {
    const NAMES: [&'static str; 2] = ["hash", "hash, pointers"];

    fn new() -> Hash {
        Hash { buckets: vec![NONE], origin: 0, width: 0, changes: 0 }
    }

    fn before(&self, slots: &Slots, deadline: i64) -> u32 {
        let up_to = &self.buckets[..=self.bucket(deadline)];
        let last = up_to.iter().rev().find(|last| **last != NONE).copied();
        slots.back_to(last.unwrap_or(NONE), deadline)
    }

    fn added(&mut self, slots: &Slots, place: u32) {
        let slot = slots.at(place);
        let bucket = self.bucket(slot.deadline);
        if !self.holds(slots, slot.next, bucket) {
            self.buckets[bucket] = place;
        }
        self.changes += 1;
        if self.changes > slots.len / 4 * 3 + FEW {
            self.rehash(slots);
        }
    }

    fn removing(&mut self, slots: &Slots, place: u32) {
        let slot = slots.at(place);
        let bucket = self.bucket(slot.deadline);
        if self.buckets[bucket] == place {
            let before = self.holds(slots, slot.previous, bucket);
            self.buckets[bucket] = if before { slot.previous } else { NONE };
        }
        self.changes += 1;
    }

    fn collected(&mut self, slots: &Slots) {
        if self.changes > slots.len / 2 + FEW {
            self.rehash(slots);
        }
    }

    fn restored(&mut self, slots: &Slots) {
        self.rehash(slots);
    }

    fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<u32>()
    }
}
