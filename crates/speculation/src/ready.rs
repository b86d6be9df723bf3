//! Which process has the event that comes first: a heap of one entry for each, whose nodes have four children.

use crate::ProcessNumber;
use windfall_time::Instant;

const CHILDREN: usize = 4;
const ABSENT: u32 = u32::MAX;

/// When a process's first event takes effect, and which process: in the order of events, since no two processes are equal.
type Entry = u128;

/// When the first events of consecutive processes take effect. Invariant: `places[i]` is where the entry of the i-th of them is.
#[derive(Debug)]
pub(crate) struct Ready {
    base: u32,
    entries: Vec<Entry>,
    places: Vec<u32>,
}

#[inline]
fn entry(at: Instant, process: ProcessNumber) -> Entry {
    Entry::from(at.as_nanos()) << 32 | Entry::from(process.0)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half of an entry")]
const fn process(entry: Entry) -> ProcessNumber {
    ProcessNumber(entry as u32)
}

impl Ready {
    /// For so many processes from this one on, without events.
    pub(crate) fn new(base: ProcessNumber, count: usize) -> Self {
        Ready { base: base.0, entries: Vec::with_capacity(count), places: vec![ABSENT; count] }
    }

    /// The process whose event comes first.
    #[inline]
    pub(crate) fn first(&self) -> Option<ProcessNumber> {
        self.entries.first().map(|first| process(*first))
    }

    /// A process has another first event, or none.
    #[inline]
    pub(crate) fn set(&mut self, process: ProcessNumber, at: Option<Instant>) {
        let place = self.places[(process.0 - self.base) as usize];
        match (at, place) {
            (None, ABSENT) => {}
            (None, place) => self.remove(process, place as usize),
            (Some(at), ABSENT) => {
                let entry = entry(at, process);
                self.entries.push(entry);
                self.rise(self.entries.len() - 1, entry);
            }
            (Some(at), place) => {
                let entry = entry(at, process);
                if self.entries[place as usize] != entry {
                    self.replace(place as usize, entry);
                }
            }
        }
    }

    fn remove(&mut self, process: ProcessNumber, place: usize) {
        self.places[(process.0 - self.base) as usize] = ABSENT;
        if let Some(last) = self.entries.pop()
            && place < self.entries.len()
        {
            self.replace(place, last);
        }
    }

    #[inline]
    fn replace(&mut self, place: usize, entry: Entry) {
        if place > 0 && entry < self.entries[(place - 1) / CHILDREN] {
            self.rise(place, entry);
        } else {
            self.sink(place, entry);
        }
    }

    #[inline]
    fn put(&mut self, place: usize, entry: Entry) {
        self.entries[place] = entry;
        // No more places than processes, which are numbered by `u32`.
        #[expect(clippy::cast_possible_truncation, reason = "as said above")]
        let at = place as u32;
        self.places[(process(entry).0 - self.base) as usize] = at;
    }

    /// The entry belongs to this place or above it.
    #[inline]
    fn rise(&mut self, mut place: usize, entry: Entry) {
        while place > 0 {
            let parent = (place - 1) / CHILDREN;
            if self.entries[parent] < entry {
                break;
            }
            self.put(place, self.entries[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    /// The entry belongs to this place or below it.
    #[inline]
    fn sink(&mut self, mut place: usize, entry: Entry) {
        let len = self.entries.len();
        loop {
            let child = place * CHILDREN + 1;
            if child >= len {
                break;
            }
            let (mut least, mut first) = (child, self.entries[child]);
            for other in child + 1..(child + CHILDREN).min(len) {
                let entry = self.entries[other];
                (least, first) = if entry < first { (other, entry) } else { (least, first) };
            }
            if entry < first {
                break;
            }
            self.put(place, first);
            place = least;
        }
        self.put(place, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn law_the_process_with_the_first_event_is_first(
            steps in prop::collection::vec((5_u32..15, prop::option::weighted(0.8, 0_u64..50)), 0..300),
        ) {
            let mut ready = Ready::new(ProcessNumber(5), 10);
            let mut all = [None; 10];
            for (process, at) in steps {
                let at = at.map(Instant::from_nanos);
                ready.set(ProcessNumber(process), at);
                all[(process - 5) as usize] = at.map(|at| (at, ProcessNumber(process)));
                let first = all.iter().flatten().min();
                prop_assert_eq!(ready.first(), first.map(|(_, process)| *process));
            }
        }
    }
}
