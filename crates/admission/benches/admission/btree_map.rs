//! Peer: the standard library's map in order of deadline, whose later slots are looked through and updated one by one.

use crate::{Peer, ns, span};
use std::collections::BTreeMap;
use windfall_admission::{Key, Structure};
use windfall_time::{Instant, Span};

/// By deadline and number: end and laxity.
#[derive(Clone)]
pub(crate) struct Map {
    slots: BTreeMap<(i64, u32), (i64, i64)>,
    now: i64,
}

impl Map {
    fn place(&self, deadline: i64) -> (i64, i64) {
        let last = self.slots.range(..=(deadline, u32::MAX)).next_back();
        let end = last.map_or(self.now, |(_, (end, _))| *end);
        let later = self.slots.range((deadline + 1, 0)..).map(|(_, (_, laxity))| *laxity);
        let least = later.fold(i64::MAX, i64::min);
        (end, least.min(deadline - end).max(0))
    }
}

impl Structure for Map {
    const NAME: &'static str = "BTreeMap";

    fn new(now: Instant) -> Self {
        Map { slots: BTreeMap::new(), now: ns(now) }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.cast_unsigned())
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn room(&self, deadline: Instant) -> Span {
        span(self.place(ns(deadline)).1)
    }

    fn earliest(&self, work: Span) -> Instant {
        let work = work.as_nanos().cast_signed();
        let tight = self.slots.iter().rev().find(|(_, (_, laxity))| *laxity < work);
        let earliest = tight.map_or(self.now, |(_, (end, _))| *end) + work;
        let earliest = tight.map_or(earliest, |((deadline, _), _)| earliest.max(*deadline));
        Instant::from_nanos(earliest.cast_unsigned())
    }

    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span> {
        let (work, deadline) = (work.as_nanos().cast_signed(), ns(key.deadline));
        let (end, room) = self.place(deadline);
        if work > room {
            return Err(span(room));
        }
        for (_, (later, laxity)) in self.slots.range_mut((deadline + 1, 0)..) {
            *later += work;
            *laxity -= work;
        }
        self.slots.insert((deadline, key.number), (end + work, deadline - end - work));
        Ok(())
    }

    fn remove(&mut self, key: Key) -> Option<Span> {
        let place = (ns(key.deadline), key.number);
        let (end, _) = self.slots.remove(&place)?;
        let before = self.slots.range(..place).next_back().map_or(self.now, |(_, (end, _))| *end);
        for (_, (later, laxity)) in self.slots.range_mut(place..) {
            *later -= end - before;
            *laxity += end - before;
        }
        Some(span(end - before))
    }

    fn contains(&self, key: Key) -> bool {
        self.slots.contains_key(&(ns(key.deadline), key.number))
    }

    fn head(&self) -> Option<(Key, Span)> {
        let ((deadline, number), (end, _)) = self.slots.first_key_value()?;
        let deadline = Instant::from_nanos(deadline.cast_unsigned());
        Some((Key { deadline, number: *number }, span(end - self.now)))
    }

    fn advance(&mut self, to: Instant) -> usize {
        self.now = ns(to);
        let mut collected = 0;
        while let Some(first) = self.slots.first_entry().filter(|first| first.get().0 <= self.now) {
            first.remove();
            collected += 1;
        }
        collected
    }

    /// Computed, not measured: entries of 32 bytes in nodes that are three quarters full.
    fn bytes(&self) -> usize {
        self.slots.len() * 32 * 4 / 3
    }
}

impl Peer for Map {
    fn restore(now: Instant, slots: &[(Key, Span)]) -> Self {
        let mut end = ns(now);
        let each = slots.iter().map(|(key, work)| {
            end += work.as_nanos().cast_signed();
            ((ns(key.deadline), key.number), (end, ns(key.deadline) - end))
        });
        Map { slots: each.collect(), now: ns(now) }
    }
}
