//! The timers of all instances.
//!
//! Each instance has a range of slots. A timer that is set to a time that has already come never reaches the host:
//! it fires as soon as everything under way has been delivered (HLS appendix B.2.1), in the order of setting.

use crate::heap::Heap;
use crate::id::TimerId;
use crate::index::{NodeIndex, Table, TableIndex, TimerIndex};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use windfall_time::Instant;

/// The timers of one instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimerRange {
    first: TimerIndex,
    count: u16,
}

impl TimerRange {
    pub(crate) const fn count(self) -> u16 {
        self.count
    }

    /// The slot of a timer, if the instance has this timer.
    #[inline]
    pub(crate) fn slot(self, timer: TimerId) -> Option<TimerIndex> {
        (timer.0 < self.count).then(|| TimerIndex(self.first.0 + u32::from(timer.0)))
    }

    /// The slots of all timers.
    pub(crate) fn slots(self) -> impl Iterator<Item = TimerIndex> {
        (0..self.count).filter_map(move |number| self.slot(TimerId(number)))
    }
}

/// The owner of a timer slot, and whether it is to fire at once.
#[derive(Clone)]
struct Slot {
    node: NodeIndex,
    timer: TimerId,
    /// Whether the slot is in the queue `immediate`.
    queued: bool,
    /// Whether the timer is still to fire when it is taken from that queue; a later setting may have cancelled it.
    wanted: bool,
}

/// All timers, by slot.
#[derive(Clone)]
pub(crate) struct Timers {
    due: Heap<Instant>,
    slots: Table<TimerIndex, Slot>,
    free: Vec<TimerRange>,
    /// Timers that were set to a time that had already come.
    immediate: VecDeque<TimerIndex>,
}

impl Timers {
    pub(crate) fn new() -> Timers {
        let (due, slots) = (Heap::new(), Table::new());
        Timers { due, slots, free: Vec::new(), immediate: VecDeque::new() }
    }

    /// Adds `count` timers for an instance; allocates.
    pub(crate) fn add(&mut self, node: NodeIndex, count: u16) -> TimerRange {
        let reusable = self.free.iter().position(|range| range.count == count);
        let range = match reusable {
            Some(at) => self.free.swap_remove(at),
            None => {
                let first = TimerIndex::at(self.slots.len());
                for timer in (0..count).map(TimerId) {
                    self.slots.push(Slot { node, timer, queued: false, wanted: false });
                }
                TimerRange { first, count }
            }
        };
        for slot in range.slots() {
            self.slots[slot].node = node;
        }
        self.due.reserve(self.slots.len());
        self.immediate.reserve(self.slots.len().saturating_sub(self.immediate.len()));
        range
    }

    /// Gives an instance `count` timers instead of those in `range`, of which there are fewer or as many. They keep their settings.
    pub(crate) fn enlarge(&mut self, range: TimerRange, node: NodeIndex, count: u16) -> TimerRange {
        if count <= range.count {
            return range;
        }
        let larger = self.add(node, count);
        for (old, new) in range.slots().zip(larger.slots()) {
            if let Some(at) = self.due.key(old.0) {
                self.due.set(new.0, at);
            }
            if self.slots[old].wanted {
                self.expedite(new);
            }
        }
        self.remove(range);
        larger
    }

    /// Stops an instance's timers and frees their slots.
    pub(crate) fn remove(&mut self, range: TimerRange) {
        self.stop_all(range);
        self.free.push(range);
    }

    pub(crate) fn stop_all(&mut self, range: TimerRange) {
        for slot in range.slots() {
            self.stop(slot);
        }
    }

    /// Sets a timer to a future time.
    #[inline]
    pub(crate) fn set(&mut self, slot: TimerIndex, at: Instant) {
        self.slots[slot].wanted = false;
        self.due.set(slot.0, at);
    }

    #[inline]
    pub(crate) fn stop(&mut self, slot: TimerIndex) {
        self.slots[slot].wanted = false;
        self.due.remove(slot.0);
    }

    /// Makes a stopped timer fire at once.
    #[inline]
    pub(crate) fn expedite(&mut self, slot: TimerIndex) {
        let entry = &mut self.slots[slot];
        entry.wanted = true;
        if !core::mem::replace(&mut entry.queued, true) {
            self.immediate.push_back(slot);
        }
    }

    /// Takes the next timer that is to fire at once.
    #[inline]
    pub(crate) fn take_immediate(&mut self) -> Option<(NodeIndex, TimerId)> {
        while let Some(slot) = self.immediate.pop_front() {
            let entry = &mut self.slots[slot];
            entry.queued = false;
            if core::mem::take(&mut entry.wanted) {
                return Some((entry.node, entry.timer));
            }
        }
        None
    }

    /// Whether a timer is queued to fire at once.
    pub(crate) fn has_immediate(&self) -> bool {
        !self.immediate.is_empty()
    }

    /// The time at which the next timer is due.
    #[inline]
    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.peek().map(|(at, _)| at)
    }

    /// The owner of the next timer.
    pub(crate) fn next_node(&self) -> Option<NodeIndex> {
        self.due.peek().map(|(_, slot)| self.slots[TimerIndex(slot)].node)
    }

    /// Takes the next timer if it is due at or before `now`.
    #[inline]
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<(NodeIndex, TimerId)> {
        let (_, slot) = self.due.peek().filter(|(at, _)| *at <= now)?;
        self.due.pop();
        let entry = &self.slots[TimerIndex(slot)];
        Some((entry.node, entry.timer))
    }

    /// Defers the next timer to `until` if it is due earlier.
    pub(crate) fn defer(&mut self, until: Instant) {
        if let Some((_, slot)) = self.due.peek().filter(|(at, _)| *at < until) {
            self.due.set(slot, until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: NodeIndex = NodeIndex(0);
    const B: NodeIndex = NodeIndex(1);

    fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    #[test]
    fn what_is_due_comes_in_order_of_time() {
        let mut timers = Timers::new();
        let (a, b) = (timers.add(A, 2), timers.add(B, 1));
        let slots: Vec<TimerIndex> = a.slots().chain(b.slots()).collect();
        timers.set(slots[0], at(30));
        timers.set(slots[1], at(20));
        timers.set(slots[2], at(10));
        timers.stop(slots[1]);
        assert_eq!((timers.next(), timers.next_node()), (Some(at(10)), Some(B)));
        assert_eq!(timers.take_due(at(9)), None);
        assert_eq!(timers.take_due(at(30)), Some((B, TimerId(0))));
        timers.defer(at(40));
        assert_eq!(timers.take_due(at(39)), None);
        assert_eq!(timers.take_due(at(40)), Some((A, TimerId(0))));
        assert_eq!(timers.next(), None);
    }

    #[test]
    fn a_timer_set_to_a_time_that_has_come_is_called_back_once_unless_it_is_stopped() {
        let mut timers = Timers::new();
        let range = timers.add(A, 3);
        let [first, second, third] = [0, 1, 2].map(|n| range.slot(TimerId(n)).unwrap());
        timers.expedite(second);
        timers.expedite(first);
        timers.expedite(second);
        timers.expedite(third);
        timers.stop(first);
        assert_eq!(timers.take_immediate(), Some((A, TimerId(1))));
        assert_eq!(timers.take_immediate(), Some((A, TimerId(2))));
        assert_eq!(timers.take_immediate(), None);
    }

    #[test]
    fn an_instance_that_is_gone_leaves_its_slots_stopped_to_the_next() {
        let mut timers = Timers::new();
        let range = timers.add(A, 2);
        let slot = range.slot(TimerId(1)).unwrap();
        timers.set(slot, at(5));
        timers.expedite(range.slot(TimerId(0)).unwrap());
        timers.remove(range);
        assert_eq!((timers.next(), timers.take_immediate()), (None, None));
        assert_eq!(timers.add(B, 2), range);
        timers.set(slot, at(7));
        assert_eq!(timers.take_due(at(7)), Some((B, TimerId(1))));
        assert_eq!(range.slot(TimerId(2)), None);
    }
}
