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
    fn record(&self, number: u64) -> &[AtomicU64; WORDS] {
        let capacity = self.records.len();
        // It is below the capacity, which is a `usize`.
        &self.records[usize::try_from(number % capacity as u64).unwrap_or(0)]
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
    pub fn write(&mut self, records: &[[u64; WORDS]]) -> usize {
        let capacity = self.ring.records.len() as u64;
        if capacity - (self.written - self.read) < records.len() as u64 {
            self.read = self.ring.read.0.load(Ordering::Acquire);
        }
        let count = at_most(records.len(), capacity - (self.written - self.read));
        for record in &records[..count] {
            for (place, word) in self.ring.record(self.written).iter().zip(record) {
                place.store(*word, Ordering::Relaxed);
            }
            self.written += 1;
        }
        if count > 0 {
            self.ring.written.0.store(self.written, Ordering::Release);
        }
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
    pub fn read(&mut self, into: &mut [[u64; WORDS]]) -> usize {
        if self.written - self.read < into.len() as u64 {
            self.written = self.ring.written.0.load(Ordering::Acquire);
        }
        let count = at_most(into.len(), self.written - self.read);
        for record in &mut into[..count] {
            for (word, place) in record.iter_mut().zip(self.ring.record(self.read)) {
                *word = place.load(Ordering::Relaxed);
            }
            self.read += 1;
        }
        if count > 0 {
            self.ring.read.0.store(self.read, Ordering::Release);
        }
        count
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
