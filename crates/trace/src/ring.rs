//! The last records, in memory that is reserved beforehand, for a host that must not wait while it records.
//!
//! Invariant: a record that leaves the ring leaves behind what is needed to understand those after
//! it (`standing.rs`), so that what the ring holds can be read from its first record on. The ring says how
//! many records a reader has missed; it never skips one silently.
//!
//! Records are as they came: roughly in order of time. [`Reorder`](crate::reorder::Reorder) puts them in order.

use crate::snapshot::Snapshot;
use crate::{Cpu, Event, Record, Sink};
use windfall_time::Instant;

/// Keeps the last records.
#[derive(Clone, Debug)]
pub struct Ring {
    slots: Vec<Record>,
    /// Where the next record goes.
    next: usize,
    /// How many records there have been.
    count: u64,
    before: Snapshot,
}

impl Ring {
    /// Room for so many records, at least one; all memory is taken and touched at once.
    #[must_use]
    pub fn new(capacity: usize) -> Ring {
        let nothing = Record { at: Instant::ZERO, event: Event::OverheadEnd { cpu: Cpu(0) } };
        let slots = vec![nothing; capacity.max(1)];
        Ring { slots, next: 0, count: 0, before: Snapshot::default() }
    }

    /// The memory that it has reserved, so that a host can place it on large pages.
    #[must_use]
    pub fn memory(&self) -> &[Record] {
        &self.slots
    }

    /// The number of the oldest record that is still there, counted from 0.
    #[must_use]
    pub fn oldest(&self) -> u64 {
        self.count.saturating_sub(self.slots.len() as u64)
    }

    /// Copies up to `most` records to `into`, from number `from` on; the number of the next one. Where records
    /// have gone since, an [`Event::Lost`] that counts them comes first, and then how things stood.
    pub fn read(&self, from: u64, most: usize, into: &mut impl Extend<Record>) -> u64 {
        let mut from = from.min(self.count);
        let lost = self.oldest().saturating_sub(from);
        if lost > 0 {
            from += lost;
            let event = Event::Lost { cpu: None, count: Some(lost) };
            into.extend([Record { at: self.at(from), event }]);
            self.standing(into);
        }
        let until = self.count.min(from.saturating_add(most as u64));
        into.extend((from..until).map(|number| self.slots[self.place(number)].clone()));
        until
    }

    /// Copies how things stood before the oldest record, which is what its readers have to know.
    pub fn standing(&self, into: &mut impl Extend<Record>) {
        let at = self.at(self.oldest());
        into.extend(self.before.events().map(|event| Record { at, event }));
    }

    fn at(&self, number: u64) -> Instant {
        self.slots[self.place(number)].at
    }

    fn place(&self, number: u64) -> usize {
        usize::try_from(number % self.slots.len() as u64).expect("below a length")
    }
}

impl Sink for Ring {
    #[inline]
    fn record(&mut self, at: Instant, event: &Event) {
        let record = Record { at, event: event.clone() };
        let gone = std::mem::replace(&mut self.slots[self.next], record);
        if self.count >= self.slots.len() as u64 {
            self.before.take(gone.event);
        }
        self.count += 1;
        self.next += 1;
        if self.next == self.slots.len() {
            self.next = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Memory, OverheadKind, Reorder, Stop, ThreadId, Timeline};

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// Two threads in turn on one processor, each for a millisecond, an interrupt in every other turn; a third
    /// waits all the while, and a fourth ends in the fifth millisecond.
    fn happen(sink: &mut impl Sink, until: u64) {
        let cpu = Cpu(0);
        for n in 0..4 {
            let (thread, name) = (ThreadId(n), format!("t{n}"));
            sink.record(at(0), &Event::Thread { thread, tid: 0, pid: 0, name, node: None });
            if n != 2 {
                sink.record(at(0), &Event::Wake { thread, by: None });
            }
        }
        let mut runs = None;
        for ms in 0..until {
            let next = ThreadId(if ms == 4 { 3 } else { u32::try_from(ms % 2).unwrap() });
            let stop = if ms == 5 { Stop::Exited } else { Stop::Preempted };
            let prev = runs.replace(next).map(|thread| (thread, stop));
            if ms == 5 {
                sink.record(at(ms), &Event::Exit { thread: ThreadId(3) });
            }
            sink.record(at(ms), &Event::Switch { cpu, prev, next: Some(next) });
            if ms % 2 == 0 {
                let kind = OverheadKind::Interrupt;
                sink.record(at(ms), &Event::OverheadBegin { cpu, kind, number: 1 });
                sink.record(at(ms + 1), &Event::OverheadEnd { cpu });
            }
        }
    }

    /// The records read in pieces, from the oldest on, after the state before it.
    fn window(ring: &Ring) -> Vec<Record> {
        let mut read = Reorder::default();
        ring.standing(&mut read);
        let mut next = ring.oldest();
        loop {
            let until = ring.read(next, 7, &mut read);
            if until == next {
                return read.rest().collect();
            }
            next = until;
        }
    }

    /// The part of a timeline from `from` on.
    fn since(mut whole: Timeline, from: Instant) -> Timeline {
        whole.from = from;
        for line in &mut whole.threads {
            line.stretches.retain(|stretch| stretch.to > from);
            line.stretches.iter_mut().for_each(|stretch| stretch.from = stretch.from.max(from));
        }
        for line in &mut whole.cpus {
            line.slices.retain(|slice| slice.to > from);
            line.slices.iter_mut().for_each(|slice| slice.from = slice.from.max(from));
        }
        whole
    }

    #[test]
    fn law_what_fits_is_read_as_it_was_written() {
        let (mut ring, mut whole) = (Ring::new(1_000), Memory::default());
        happen(&mut ring, 50);
        happen(&mut whole, 50);
        let mut read = Vec::new();
        assert_eq!(ring.read(0, 1_000, &mut read), whole.records.len() as u64);
        assert_eq!(read, whole.records);
    }

    #[test]
    fn law_the_last_records_have_the_timeline_of_all_from_there_on() {
        let mut whole = Memory::default();
        happen(&mut whole, 100);
        let whole_line = Timeline::build(whole.records.iter().cloned());
        assert_eq!(whole_line.conflicts, 0);
        for capacity in 1..whole.records.len() {
            let mut ring = Ring::new(capacity);
            whole.records.iter().for_each(|record| ring.record(record.at, &record.event));
            let window = Timeline::build(window(&ring).into_iter());
            let mut expected = since(whole_line.clone(), window.from);
            expected.threads.retain(|line| window.thread(line.id).is_some());
            let gone = whole_line.threads.len() - expected.threads.len();
            assert!(gone <= 1, "only the one that has ended is forgotten");
            assert_eq!(window, expected, "{capacity} records");
        }
    }

    #[test]
    fn law_a_reader_is_told_of_every_record_that_it_missed() {
        let mut ring = Ring::new(10);
        happen(&mut ring, 50);
        let all = ring.oldest() + 10;
        let mut read = Vec::new();
        assert_eq!(ring.read(3, 4, &mut read), ring.oldest() + 4);
        assert_eq!(read[0].event, Event::Lost { cpu: None, count: Some(all - 10 - 3) });
        let timeline = Timeline::build(read.into_iter());
        assert_eq!((timeline.lost.gaps, timeline.lost.events), (1, all - 13));
        assert_eq!(timeline.conflicts, 0, "who is who is known all the same");
        assert_eq!(ring.read(all, 4, &mut Vec::new()), all, "there is no more");
    }
}
