//! A bounded ring of records, with one writer and one reader, each in batches (PORTS 1994, section 4).
//!
//! Invariants: `read` <= `written` <= `read` + capacity. The writer changes records from `written` on, the reader reads those before it; so no record is read
//! while it is written, and neither waits for the other. A batch becomes visible, or free, in one step.

use crate::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// One count on a cache line of its own: only one side writes it.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Count(AtomicU64);

#[derive(Debug)]
struct Ring<const WORDS: usize> {
    records: Box<[[AtomicU64; WORDS]]>,
    written: Count,
    read: Count,
}

impl<const WORDS: usize> Ring<WORDS> {
    /// Where this record lies.
    #[inline]
    fn place(&self, number: u64) -> usize {
        // It is below the capacity, which is a `usize`.
        usize::try_from(number % self.records.len() as u64).unwrap_or(0)
    }

    /// Where so many records lie from this one on: up to the end of the ring, and from its beginning. One division finds them all.
    #[inline]
    fn places(&self, number: u64, count: usize) -> [&[[AtomicU64; WORDS]]; 2] {
        let (before, after) = self.records.split_at(self.place(number));
        let here = count.min(after.len());
        [&after[..here], &before[..count - here]]
    }
}

/// A ring for so many records of `WORDS` words; at least one.
///
/// ```
/// let (mut writer, mut reader) = windfall_exchange::ring::<2>(3);
/// assert_eq!(writer.write(&[[1, 10], [2, 20], [3, 30], [4, 40]]), 3); // full
/// let mut records = [[0; 2]; 2];
/// assert_eq!((reader.read(&mut records), records), (2, [[1, 10], [2, 20]]));
/// assert_eq!(writer.write(&[[4, 40]]), 1);
/// ```
#[must_use]
pub fn ring<const WORDS: usize>(capacity: u32) -> (Writer<WORDS>, Reader<WORDS>) {
    let empty = |_| std::array::from_fn(|_| AtomicU64::new(0));
    let records = (0..capacity.max(1)).map(empty).collect();
    let ring = Arc::new(Ring { records, written: Count::default(), read: Count::default() });
    (Writer { ring: ring.clone(), written: 0, read: 0 }, Reader { ring, written: 0, read: 0 })
}

/// The only one who writes to a ring.
#[derive(Debug)]
pub struct Writer<const WORDS: usize> {
    ring: Arc<Ring<WORDS>>,
    written: u64,
    /// As it was seen last; it may be further by now.
    read: u64,
}

impl<const WORDS: usize> Writer<WORDS> {
    /// Writes as many of the records as there is room for, in order; how many. It never waits.
    #[inline]
    pub fn write(&mut self, records: &[[u64; WORDS]]) -> usize {
        let capacity = self.ring.records.len() as u64;
        if capacity - (self.written - self.read) < records.len() as u64 {
            self.read = self.ring.read.0.load(Ordering::Acquire);
        }
        let count = at_most(records.len(), capacity - (self.written - self.read));
        match &records[..count] {
            [] => return 0,
            [one] => store(&self.ring.records[self.ring.place(self.written)], one),
            many => {
                let [first, rest] = self.ring.places(self.written, count);
                let (to_first, to_rest) = many.split_at(first.len());
                first.iter().zip(to_first).for_each(|(place, record)| store(place, record));
                rest.iter().zip(to_rest).for_each(|(place, record)| store(place, record));
            }
        }
        self.written += count as u64;
        self.ring.written.0.store(self.written, Ordering::Release);
        count
    }
}

/// The only one who reads from a ring.
#[derive(Debug)]
pub struct Reader<const WORDS: usize> {
    ring: Arc<Ring<WORDS>>,
    /// As it was seen last; it may be further by now.
    written: u64,
    read: u64,
}

impl<const WORDS: usize> Reader<WORDS> {
    /// Reads as many records as there are and fit, the oldest first; how many. It never waits.
    #[inline]
    pub fn read(&mut self, into: &mut [[u64; WORDS]]) -> usize {
        if self.written - self.read < into.len() as u64 {
            self.written = self.ring.written.0.load(Ordering::Acquire);
        }
        let count = at_most(into.len(), self.written - self.read);
        match &mut into[..count] {
            [] => return 0,
            [one] => load(&self.ring.records[self.ring.place(self.read)], one),
            many => {
                let [first, rest] = self.ring.places(self.read, count);
                let (from_first, from_rest) = many.split_at_mut(first.len());
                first.iter().zip(from_first).for_each(|(place, record)| load(place, record));
                rest.iter().zip(from_rest).for_each(|(place, record)| load(place, record));
            }
        }
        self.read += count as u64;
        self.ring.read.0.store(self.read, Ordering::Release);
        count
    }
}

#[inline]
fn store<const WORDS: usize>(place: &[AtomicU64; WORDS], record: &[u64; WORDS]) {
    for (word, value) in place.iter().zip(record) {
        word.store(*value, Ordering::Relaxed);
    }
}

#[inline]
fn load<const WORDS: usize>(place: &[AtomicU64; WORDS], record: &mut [u64; WORDS]) {
    for (value, word) in record.iter_mut().zip(place) {
        *value = word.load(Ordering::Relaxed);
    }
}

/// The smaller of a length and a distance between the counts.
fn at_most(length: usize, distance: u64) -> usize {
    usize::try_from(distance.min(length as u64)).unwrap_or(0)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn law_records_come_in_order_whatever_the_batches() {
        for capacity in 0..9 {
            let (mut writer, mut reader) = ring::<2>(capacity);
            let (mut next, mut expected) = (0, 0);
            for step in 0..2_000_u64 {
                let batch: Vec<[u64; 2]> = (next..next + step % 7).map(|n| [n, !n]).collect();
                next += writer.write(&batch) as u64;
                let mut into = [[0; 2]; 5];
                let count = reader.read(&mut into[..(step % 6) as usize]);
                for record in &into[..count] {
                    assert_eq!(*record, [expected, !expected]);
                    expected += 1;
                }
                assert!(next - expected <= u64::from(capacity.max(1)));
            }
            assert!(expected > 1_000, "{capacity}: {expected}");
        }
    }
}
