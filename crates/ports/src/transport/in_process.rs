//! Members in one process: a ring from each to each other (`windfall_exchange::ring`), read in batches.

use super::{Record, Transport};
use core::ops::Range;
use windfall_exchange::{Reader, Writer, ring};
use windfall_time::Instant;

const WORDS: usize = 8;
/// So many records are taken from a ring at once.
const BATCH: usize = 16;

/// One member's ends of all rings.
#[derive(Debug)]
pub struct InProcess {
    /// To each other member; none to itself.
    writers: Vec<Option<Writer<WORDS>>>,
    readers: Vec<Option<Reader<WORDS>>>,
    /// The records that were taken from a ring at once.
    batch: [Record; BATCH],
    /// Which of those have not been received yet.
    left: Range<usize>,
    /// From which ring, which is the one to look into next.
    at: usize,
}

/// So many members, and rings for so many records from each to each other.
#[must_use]
pub fn in_process(members: usize, capacity: u32) -> Vec<InProcess> {
    let (batch, left) = ([Record::default(); BATCH], 0..0);
    let empty =
        || InProcess { writers: Vec::new(), readers: Vec::new(), batch, left: left.clone(), at: 0 };
    let mut all: Vec<InProcess> = (0..members).map(|_| empty()).collect();
    for from in 0..members {
        for to in 0..members {
            let (writer, reader) =
                if from == to { (None, None) } else { some(ring::<WORDS>(capacity)) };
            all[from].writers.push(writer);
            all[to].readers.push(reader);
        }
    }
    all
}

fn some<A, B>((a, b): (A, B)) -> (Option<A>, Option<B>) {
    (Some(a), Some(b))
}

impl Transport for InProcess {
    fn send(&mut self, _: Instant, to: usize, record: Record) -> bool {
        let writer = self.writers.get_mut(to).and_then(Option::as_mut);
        writer.is_some_and(|writer| writer.write(&[record]) == 1)
    }

    fn receive(&mut self, _: Instant) -> Option<(usize, Record)> {
        for _ in 0..=self.readers.len() {
            if let Some(next) = self.left.next() {
                return Some((self.at, self.batch[next]));
            }
            self.at = (self.at + 1) % self.readers.len();
            if let Some(reader) = self.readers.get_mut(self.at).and_then(Option::as_mut) {
                self.left = 0..reader.read(&mut self.batch);
            }
        }
        self.left.next().map(|next| (self.at, self.batch[next]))
    }
}
