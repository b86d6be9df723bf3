//! A leaf: up to `L` slots, in arrays of their own.

use super::numbers::{FAR, add, add_within, least, sub, up_to, up_to_and_least};

/// Slots in order. Of slot i, its own deadline, and its deadline minus the work of all slots of the leaf up to it.
///
/// Slots before `start` were collected: their deadlines read as the earliest there is, and their work still counts. Those from `end` on are not in use, and
/// their deadlines read as the latest.
#[derive(Clone, Debug)]
pub(super) struct Leaf<const L: usize> {
    pub(super) deadlines: [i64; L],
    pub(super) laxities: [i64; L],
    pub(super) numbers: [u32; L],
    pub(super) start: u32,
    pub(super) end: u32,
}

impl<const L: usize> Leaf<L> {
    pub(super) fn new() -> Self {
        let (deadlines, laxities) = ([i64::MAX; L], [FAR; L]);
        Leaf { deadlines, laxities, numbers: [0; L], start: 0, end: 0 }
    }

    pub(super) fn start(&self) -> usize {
        self.start as usize
    }

    pub(super) fn end(&self) -> usize {
        self.end as usize
    }

    pub(super) fn live(&self) -> usize {
        self.end() - self.start()
    }

    /// How many slots have an equal or earlier deadline, those that were collected included.
    #[inline]
    pub(super) fn up_to(&self, deadline: i64) -> usize {
        up_to(&self.deadlines, deadline)
    }

    /// The same, and the least laxity of the slots behind them.
    #[inline]
    pub(super) fn up_to_and_least(&self, deadline: i64) -> (usize, i64) {
        up_to_and_least(&self.deadlines, &self.laxities, deadline)
    }

    /// The work of the slots up to this one.
    #[inline]
    pub(super) fn sum(&self, place: usize) -> i64 {
        self.deadlines[place].wrapping_sub(self.laxities[place])
    }

    #[inline]
    pub(super) fn least_from(&self, place: usize) -> i64 {
        least(&self.laxities[place..])
    }

    /// Puts a slot behind those that are there.
    #[inline]
    pub(super) fn push(&mut self, deadline: i64, laxity: i64, number: u32) {
        let end = self.end();
        self.deadlines[end] = deadline;
        self.laxities[end] = laxity;
        self.numbers[end] = number;
        self.end += 1;
    }

    /// Puts a slot at a place, in front of those that are there.
    #[inline]
    pub(super) fn insert(
        &mut self,
        place: usize,
        deadline: i64,
        laxity: i64,
        number: u32,
        work: i64,
    ) {
        let end = self.end();
        self.deadlines.copy_within(place..end, place + 1);
        self.numbers.copy_within(place..end, place + 1);
        self.laxities.copy_within(place..end, place + 1);
        add_within(&mut self.laxities, place + 1, end + 1, -work);
        self.deadlines[place] = deadline;
        self.laxities[place] = laxity;
        self.numbers[place] = number;
        self.end += 1;
    }

    pub(super) fn remove(&mut self, place: usize, work: i64) {
        let end = self.end();
        self.deadlines.copy_within(place + 1..end, place);
        self.numbers.copy_within(place + 1..end, place);
        self.laxities.copy_within(place + 1..end, place);
        (self.deadlines[end - 1], self.laxities[end - 1]) = (i64::MAX, FAR);
        self.end -= 1;
        add(&mut self.laxities[place..end - 1], work);
    }

    /// The place of a slot.
    pub(super) fn find(&self, deadline: i64, number: u32) -> Option<usize> {
        let equal = self.deadlines.partition_point(|other| *other < deadline)..self.up_to(deadline);
        equal.into_iter().find(|place| self.numbers[*place] == number)
    }

    /// Where it begins in the order.
    pub(super) fn separator(&self) -> (i64, u32) {
        (self.deadlines[self.start()], self.numbers[self.start()])
    }

    /// Makes room where collected slots are.
    pub(super) fn compact(&mut self) {
        let (start, end) = (self.start(), self.end());
        self.deadlines.copy_within(start..end, 0);
        self.numbers.copy_within(start..end, 0);
        self.laxities.copy_within(start..end, 0);
        self.deadlines[end - start..].fill(i64::MAX);
        self.laxities[end - start..].fill(FAR);
        (self.start, self.end) = (0, self.end - self.start);
    }

    /// Takes out the slots from a place on, and returns them with the work of those before. Nothing must have been collected.
    pub(super) fn split(&mut self, place: usize) -> (Self, i64) {
        let (mut right, end, work) = (Leaf::new(), self.end(), self.sum(place - 1));
        let moved = end - place;
        right.deadlines[..moved].copy_from_slice(&self.deadlines[place..end]);
        right.numbers[..moved].copy_from_slice(&self.numbers[place..end]);
        right.laxities[..moved].copy_from_slice(&self.laxities[place..end]);
        add(&mut right.laxities[..moved], work);
        self.deadlines[place..].fill(i64::MAX);
        self.laxities[place..].fill(FAR);
        right.end = u32::try_from(moved).unwrap_or(0);
        self.end -= right.end;
        (right, work)
    }

    /// Appends the slots of the next leaf, which begins after this much work.
    pub(super) fn append(&mut self, right: &Self, work: i64) {
        self.compact();
        let (end, moved) = (self.end(), right.start()..right.end());
        let to = end..end + moved.len();
        self.deadlines[to.clone()].copy_from_slice(&right.deadlines[moved.clone()]);
        self.numbers[to.clone()].copy_from_slice(&right.numbers[moved.clone()]);
        self.laxities[to.clone()].copy_from_slice(&right.laxities[moved]);
        sub(&mut self.laxities[to], work);
        self.end += right.end - right.start;
    }
}
