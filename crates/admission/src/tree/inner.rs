//! An inner node: up to `I` children, in arrays of their own.

use super::numbers::{FAR, add, add_within, is_later, least, sub, up_to, up_to_and_least};

/// Of child k: where its slots begin in the order (not used of child 0), the work of the node's slots before it, and the least of its slots' deadlines minus the
/// work of the node's slots up to them.
///
/// Of the first child of all, the last may be too small: slots that were collected may count in it. It is never read by a query about later slots.
#[derive(Clone, Debug)]
pub(super) struct Inner<const I: usize> {
    pub(super) deadlines: [i64; I],
    pub(super) before: [i64; I],
    pub(super) least: [i64; I],
    pub(super) numbers: [u32; I],
    pub(super) children: [u32; I],
    pub(super) len: u32,
}

impl<const I: usize> Inner<I> {
    /// A node with one child.
    pub(super) fn new(child: u32, smallest: i64) -> Self {
        let mut inner = Inner {
            deadlines: [i64::MAX; I],
            before: [0; I],
            least: [FAR; I],
            numbers: [0; I],
            children: [0; I],
            len: 1,
        };
        (inner.deadlines[0], inner.children[0], inner.least[0]) = (i64::MIN, child, smallest);
        inner
    }

    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// The child in which a slot of this deadline is put.
    #[inline]
    pub(super) fn route(&self, deadline: i64) -> usize {
        up_to(&self.deadlines, deadline).wrapping_sub(1)
    }

    /// The same, and the least of the children behind it.
    #[inline]
    pub(super) fn route_and_least(&self, deadline: i64) -> (usize, i64) {
        let (up_to, least) = up_to_and_least(&self.deadlines, &self.least, deadline);
        (up_to.wrapping_sub(1), least)
    }

    /// The child that has a slot.
    pub(super) fn route_to(&self, deadline: i64, number: u32) -> usize {
        let mut child = self.route(deadline);
        while child > 0
            && self.deadlines[child] == deadline
            && is_later(self.numbers[child], number)
        {
            child -= 1;
        }
        child
    }

    #[inline]
    pub(super) fn least_from(&self, child: usize) -> i64 {
        least(&self.least[child..])
    }

    /// So much work was put into a child.
    #[inline]
    pub(super) fn put(&mut self, child: usize, work: i64) {
        let end = self.len();
        add_within(&mut self.before, child + 1, end, work);
        add_within(&mut self.least, child + 1, end, -work);
    }

    pub(super) fn insert_child(
        &mut self,
        place: usize,
        pair: (i64, u32),
        before: i64,
        smallest: i64,
        child: u32,
    ) {
        let end = self.len();
        self.deadlines.copy_within(place..end, place + 1);
        self.before.copy_within(place..end, place + 1);
        self.least.copy_within(place..end, place + 1);
        self.numbers.copy_within(place..end, place + 1);
        self.children.copy_within(place..end, place + 1);
        (self.deadlines[place], self.numbers[place]) = pair;
        (self.before[place], self.least[place], self.children[place]) = (before, smallest, child);
        self.len += 1;
    }

    pub(super) fn remove_child(&mut self, place: usize) {
        let end = self.len();
        self.deadlines.copy_within(place + 1..end, place);
        self.before.copy_within(place + 1..end, place);
        self.least.copy_within(place + 1..end, place);
        self.numbers.copy_within(place + 1..end, place);
        self.children.copy_within(place + 1..end, place);
        (self.deadlines[end - 1], self.least[end - 1]) = (i64::MAX, FAR);
        self.len -= 1;
        if self.len > 0 {
            self.deadlines[0] = i64::MIN;
        }
    }

    /// Takes out the children from a place on. Returns them, where they begin in the order, and the work before them.
    pub(super) fn split(&mut self, place: usize) -> (Self, (i64, u32), i64) {
        let (end, before) = (self.len(), self.before[place]);
        let pair = (self.deadlines[place], self.numbers[place]);
        let mut right = Inner::new(0, FAR);
        let to = ..end - place;
        right.deadlines[to].copy_from_slice(&self.deadlines[place..end]);
        right.before[to].copy_from_slice(&self.before[place..end]);
        right.least[to].copy_from_slice(&self.least[place..end]);
        right.numbers[to].copy_from_slice(&self.numbers[place..end]);
        right.children[to].copy_from_slice(&self.children[place..end]);
        right.deadlines[0] = i64::MIN;
        sub(&mut right.before[to], before);
        add(&mut right.least[to], before);
        right.len = u32::try_from(end - place).unwrap_or(0);
        self.deadlines[place..].fill(i64::MAX);
        self.least[place..].fill(FAR);
        self.len -= right.len;
        (right, pair, before)
    }

    /// Appends the children of the next node, which begins here in the order, and after this much work.
    pub(super) fn append(&mut self, right: &Self, pair: (i64, u32), work: i64) {
        let (end, moved) = (self.len(), ..right.len());
        let to = end..end + right.len();
        self.deadlines[to.clone()].copy_from_slice(&right.deadlines[moved]);
        self.before[to.clone()].copy_from_slice(&right.before[moved]);
        self.least[to.clone()].copy_from_slice(&right.least[moved]);
        self.numbers[to.clone()].copy_from_slice(&right.numbers[moved]);
        self.children[to.clone()].copy_from_slice(&right.children[moved]);
        (self.deadlines[end], self.numbers[end]) = pair;
        add(&mut self.before[to.clone()], work);
        sub(&mut self.least[to], work);
        self.len += right.len;
    }
}
