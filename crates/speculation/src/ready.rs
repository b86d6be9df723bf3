//! Which process has the event that comes first: a heap whose nodes have four children, of when first events take effect.
//!
//! A process that has another first event gets another entry; the one that it had is dropped when it comes up, or when there are too many. So no process needs to know where its entry is.

use crate::ProcessNumber;
use windfall_time::Instant;

const CHILDREN: usize = 4;
const NEVER: u64 = u64::MAX;

/// When a process's first event takes effect, and which process: in the order of events, since no two processes are equal.
type Entry = u128;

/// When the first events of consecutive processes take effect. Invariants: `times[i]` is that of the i-th of them, or never, and there is an entry with that time; the first entry is one of these.
#[derive(Debug)]
pub(crate) struct Ready {
    base: u32,
    entries: Vec<Entry>,
    times: Vec<u64>,
}

#[inline]
fn entry(at: u64, process: ProcessNumber) -> Entry {
    Entry::from(at) << 32 | Entry::from(process.0)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half of an entry")]
const fn process(entry: Entry) -> ProcessNumber {
    ProcessNumber(entry as u32)
}

impl Ready {
    /// For so many processes from this one on, without events.
    pub(crate) fn new(base: ProcessNumber, count: usize) -> Self {
        Ready { base: base.0, entries: Vec::with_capacity(most(count)), times: vec![NEVER; count] }
    }

    /// The process whose event comes first.
    #[inline]
    pub(crate) fn first(&self) -> Option<ProcessNumber> {
        self.entries.first().map(|first| process(*first))
    }

    /// A process has another first event, or none.
    #[inline]
    pub(crate) fn set(&mut self, process: ProcessNumber, at: Option<Instant>) {
        let at = at.map_or(NEVER, Instant::as_nanos);
        let before = core::mem::replace(&mut self.times[(process.0 - self.base) as usize], at);
        if before == at {
            return;
        }
        if before != NEVER && self.entries.first() == Some(&entry(before, process)) {
            match at {
                NEVER => self.pop(),
                at => self.sink(0, entry(at, process)),
            }
        } else if at != NEVER {
            if self.entries.len() == most(self.times.len()) {
                self.clean();
            }
            self.entries.push(entry(at, process));
            self.rise(self.entries.len() - 1, entry(at, process));
        }
        while self.entries.first().is_some_and(|first| !self.holds(*first)) {
            self.pop();
        }
    }

    /// Whether the process has its first event then.
    #[inline]
    fn holds(&self, of: Entry) -> bool {
        let process = process(of);
        entry(self.times[(process.0 - self.base) as usize], process) == of
    }

    /// Leaves one entry for each process that has an event.
    fn clean(&mut self) {
        let all = (self.base..).map(ProcessNumber).zip(&self.times);
        let all = all.filter(|(_, at)| **at != NEVER).map(|(process, at)| entry(*at, process));
        self.entries.clear();
        self.entries.extend(all);
        // What is in order is a heap.
        self.entries.sort_unstable();
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(last) = self.entries.pop()
            && !self.entries.is_empty()
        {
            self.sink(0, last);
        }
    }

    /// The entry belongs to this place or above it.
    #[inline]
    fn rise(&mut self, mut place: usize, entry: Entry) {
        while place > 0 {
            let parent = (place - 1) / CHILDREN;
            if self.entries[parent] <= entry {
                break;
            }
            self.entries[place] = self.entries[parent];
            place = parent;
        }
        self.entries[place] = entry;
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
            if entry <= first {
                break;
            }
            self.entries[place] = first;
            place = least;
        }
        self.entries[place] = entry;
    }
}

/// The most entries for so many processes: until there are so many, dropping those that do not hold takes longer than to keep them.
const fn most(processes: usize) -> usize {
    2 * processes + 8
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
                prop_assert!(ready.entries.len() <= most(10));
            }
        }
    }
}
