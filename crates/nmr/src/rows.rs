//! The rows of a voter: what has come for the iterations that it works on.
//!
//! Invariants: rows are kept for the iterations after `low` up to `top`, at most as many as the queue has; each has a place of its own in a ring. A value is there if its replica is in `present`; what else lies
//! there is of another iteration, or of a replica that has left.

use crate::{Iteration, ReplicaNumber, Replicas};

/// The state of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) iteration: Iteration,
    pub(crate) is_open: bool,
    pub(crate) present: Replicas,
    /// Those whose values are waited for, and those that are there.
    pub(crate) expected: Replicas,
    /// The weight of those that are there, and of those that are expected.
    pub(crate) weight: u64,
    pub(crate) total: u64,
    pub(crate) voted: Option<ReplicaNumber>,
    /// Those that agreed with what was voted, and those that are right.
    pub(crate) agreed: Replicas,
    pub(crate) right: Replicas,
    /// Those that have left since it was opened: what they send when they are back does not count here.
    pub(crate) left: Replicas,
}

impl Slot {
    /// Whether this is the row of an iteration, and waits for values.
    pub(crate) fn is_open_for(&self, iteration: Iteration) -> bool {
        self.iteration == iteration && self.is_open
    }

    /// Whether no value is waited for.
    pub(crate) const fn is_complete(&self) -> bool {
        self.expected.but(self.present).is_empty()
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rows<V> {
    pub(crate) slots: Box<[Slot]>,
    values: Box<[Option<V>]>,
    /// Values of a row.
    places: usize,
    queue: u64,
    pub(crate) low: Iteration,
    pub(crate) top: Iteration,
}

impl<V> Rows<V> {
    pub(crate) fn new(queue: u32, places: usize) -> Rows<V> {
        let rows = queue.next_power_of_two() as usize;
        Rows {
            slots: vec![Slot::default(); rows].into(),
            values: (0..rows * places).map(|_| None).collect(),
            places,
            queue: queue.into(),
            low: Iteration::default(),
            top: Iteration::default(),
        }
    }

    /// Where the row of an iteration lies, if it is kept.
    pub(crate) const fn place(&self, iteration: Iteration) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "masked to the number of places")]
        let place = iteration.0 as usize & (self.slots.len() - 1);
        place
    }

    /// Rows are kept after this one, once they go on to an iteration.
    pub(crate) fn low_with(&self, iteration: Iteration) -> Iteration {
        Iteration(iteration.0.saturating_sub(self.queue)).max(self.low)
    }

    /// Whether this row was opened, and waits for nothing.
    #[inline(always)]
    pub(crate) fn is_closed(&self, iteration: Iteration) -> bool {
        let slot = &self.slots[self.place(iteration)];
        slot.iteration == iteration && !slot.is_open
    }

    /// Without any row: the first is that after this one.
    pub(crate) const fn begin_after(&mut self, begun: Iteration) {
        self.low = begun;
        self.top = begun;
    }

    /// A value lies there, whether it counts or not.
    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, from: ReplicaNumber, value: V) {
        self.values[place * self.places + from.index()] = Some(value);
    }

    /// The same, for a value of each of these.
    #[inline(always)]
    pub(crate) fn set_all<const N: usize>(
        &mut self,
        place: usize,
        from: [ReplicaNumber; N],
        row: [V; N],
    ) {
        let values = &mut self.values[place * self.places..][..self.places];
        for (from, value) in from.into_iter().zip(row) {
            values[from.index()] = Some(value);
        }
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, place: usize, from: ReplicaNumber, weight: u64, value: V) {
        self.set(place, from, value);
        let slot = &mut self.slots[place];
        slot.weight += weight;
        slot.present = slot.present.with(from);
        if !slot.expected.has(from) {
            slot.expected = slot.expected.with(from);
            slot.total += weight;
        }
    }

    /// This one is not waited for, and its value does not count.
    pub(crate) fn leave_out(&mut self, place: usize, replica: ReplicaNumber, weight: u64) {
        let slot = &mut self.slots[place];
        slot.left = slot.left.with(replica);
        if slot.expected.has(replica) {
            slot.expected = slot.expected.without(replica);
            slot.total -= weight;
        }
        if slot.present.has(replica) {
            slot.present = slot.present.without(replica);
            slot.right = slot.right.without(replica);
            slot.weight -= weight;
        }
    }

    /// By replica.
    #[inline(always)]
    pub(crate) fn values(&self, place: usize) -> &[Option<V>] {
        &self.values[place * self.places..][..self.places]
    }

    #[inline(always)]
    pub(crate) fn value(&self, place: usize, of: ReplicaNumber) -> Option<&V> {
        self.values(place).get(of.index())?.as_ref()
    }
}
