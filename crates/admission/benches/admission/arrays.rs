//! Peer: three sorted arrays with an offset of the first; the ends are searched and updated by vector instructions.

use crate::{Peer, ns, span};
use windfall_admission::{Key, Structure};
use windfall_time::{Instant, Span};

#[derive(Clone)]
pub(crate) struct Arrays {
    deadlines: Vec<i64>,
    laxities: Vec<i64>,
    numbers: Vec<u32>,
    start: usize,
    now: i64,
}

impl Arrays {
    fn find(&self, key: Key) -> Option<usize> {
        let deadline = ns(key.deadline);
        let from = self.start + self.deadlines[self.start..].partition_point(|one| *one < deadline);
        let mut equal =
            (from..self.deadlines.len()).take_while(|at| self.deadlines[*at] == deadline);
        equal.find(|at| self.numbers[*at] == key.number)
    }

    fn end_before(&self, place: usize) -> i64 {
        if place == self.start {
            self.now
        } else {
            self.deadlines[place - 1] - self.laxities[place - 1]
        }
    }

    fn place(&self, deadline: i64) -> (usize, i64) {
        let place =
            self.start + self.deadlines[self.start..].partition_point(|one| *one <= deadline);
        let least = self.laxities[place..].iter().fold(i64::MAX, |least, one| least.min(*one));
        (place, least.min(deadline - self.end_before(place)).max(0))
    }
}

impl Structure for Arrays {
    const NAME: &'static str = "arrays";

    fn new(now: Instant) -> Self {
        let (deadlines, laxities, numbers) = (Vec::new(), Vec::new(), Vec::new());
        Arrays { deadlines, laxities, numbers, start: 0, now: ns(now) }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.cast_unsigned())
    }

    fn len(&self) -> usize {
        self.deadlines.len() - self.start
    }

    fn room(&self, deadline: Instant) -> Span {
        span(self.place(ns(deadline)).1)
    }

    fn earliest(&self, work: Span) -> Instant {
        let work = work.as_nanos().cast_signed();
        let tight = self.laxities[self.start..].iter().rposition(|laxity| *laxity < work);
        let earliest = match tight {
            None => self.now + work,
            Some(at) => self.deadlines[self.start + at] + work - self.laxities[self.start + at],
        };
        Instant::from_nanos(earliest.cast_unsigned())
    }

    fn offer(&mut self, work: Span, key: Key) -> Result<(), Span> {
        let (work, deadline) = (work.as_nanos().cast_signed(), ns(key.deadline));
        let (place, room) = self.place(deadline);
        if work > room {
            return Err(span(room));
        }
        let laxity = deadline - self.end_before(place) - work;
        for later in &mut self.laxities[place..] {
            *later = later.wrapping_sub(work);
        }
        self.deadlines.insert(place, deadline);
        self.laxities.insert(place, laxity);
        self.numbers.insert(place, key.number);
        Ok(())
    }

    fn remove(&mut self, key: Key) -> Option<Span> {
        let place = self.find(key)?;
        let work = self.deadlines[place] - self.laxities[place] - self.end_before(place);
        self.deadlines.remove(place);
        self.laxities.remove(place);
        self.numbers.remove(place);
        for later in &mut self.laxities[place..] {
            *later = later.wrapping_add(work);
        }
        Some(span(work))
    }

    fn contains(&self, key: Key) -> bool {
        self.find(key).is_some()
    }

    fn head(&self) -> Option<(Key, Span)> {
        let deadline = *self.deadlines.get(self.start)?;
        let key = Key {
            deadline: Instant::from_nanos(deadline.cast_unsigned()),
            number: self.numbers[self.start],
        };
        Some((key, span(deadline - self.laxities[self.start] - self.now)))
    }

    fn advance(&mut self, to: Instant) -> usize {
        let before = self.start;
        self.now = ns(to);
        while self.start < self.deadlines.len() && self.end_before(self.start + 1) <= self.now {
            self.start += 1;
        }
        let collected = self.start - before;
        if self.start > 64 && self.start * 2 > self.deadlines.len() {
            self.deadlines.drain(..self.start);
            self.laxities.drain(..self.start);
            self.numbers.drain(..self.start);
            self.start = 0;
        }
        collected
    }

    fn bytes(&self) -> usize {
        self.deadlines.capacity() * 16 + self.numbers.capacity() * 4
    }
}

impl Peer for Arrays {
    fn restore(now: Instant, slots: &[(Key, Span)]) -> Self {
        let mut arrays = Arrays::new(now);
        let mut end = ns(now);
        for (key, work) in slots {
            end += work.as_nanos().cast_signed();
            arrays.deadlines.push(ns(key.deadline));
            arrays.laxities.push(ns(key.deadline) - end);
            arrays.numbers.push(key.number);
        }
        arrays
    }
}
