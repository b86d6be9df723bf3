//! Puts records in order of time that come roughly so.
//!
//! Invariant: what is given out is in order. A record that comes after later ones have been given out,
//! or that is older than the last loss, counts as of then.

use crate::{Event, Record};
use windfall_time::Instant;

/// Records that wait for earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Reorder {
    waiting: Vec<Record>,
    /// Nothing is earlier than this.
    floor: Instant,
}

impl Reorder {
    /// Gives out what is earlier than `until`, records of one instant as they came.
    pub fn before(&mut self, until: Instant) -> impl Iterator<Item = Record> {
        self.waiting.sort_by_key(|record| record.at);
        let count = self.waiting.partition_point(|record| record.at < until);
        if let Some(last) = count.checked_sub(1).and_then(|last| self.waiting.get(last)) {
            self.floor = self.floor.max(last.at);
        }
        self.waiting.drain(..count)
    }

    /// Gives out all that is left.
    pub fn rest(self) -> impl Iterator<Item = Record> {
        let mut waiting = self.waiting;
        waiting.sort_by_key(|record| record.at);
        waiting.into_iter()
    }
}

impl Extend<Record> for Reorder {
    fn extend<T: IntoIterator<Item = Record>>(&mut self, records: T) {
        for mut record in records {
            record.at = record.at.max(self.floor);
            if matches!(record.event, Event::Lost { .. }) {
                self.floor = record.at;
            }
            self.waiting.push(record);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(ms: u64, text: &str) -> Record {
        let at = Instant::from_nanos(ms * 1_000_000);
        Record { at, event: Event::Mark { thread: None, text: text.to_owned() } }
    }

    #[test]
    fn law_records_come_in_order_and_those_of_an_instant_as_they_came() {
        let mut orderly = Reorder::default();
        orderly.extend([mark(3, "c"), mark(1, "a"), mark(3, "d"), mark(2, "b"), mark(9, "e")]);
        let first: Vec<Record> = orderly.before(Instant::from_nanos(4_000_000)).collect();
        assert_eq!(first, [mark(1, "a"), mark(2, "b"), mark(3, "c"), mark(3, "d")]);
        orderly.extend([mark(2, "late")]);
        assert_eq!(orderly.rest().collect::<Vec<_>>(), [mark(3, "late"), mark(9, "e")]);
    }

    #[test]
    fn law_nothing_is_earlier_than_what_was_lost_before_it() {
        let lost = Event::Lost { cpu: None, count: Some(4) };
        let lost = Record { at: Instant::from_nanos(5_000_000), event: lost };
        let mut orderly = Reorder::default();
        orderly.extend([lost.clone(), mark(4, "a")]);
        assert_eq!(orderly.rest().collect::<Vec<_>>(), [lost, mark(5, "a")]);
    }
}
