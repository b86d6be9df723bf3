//! Values by event, in order of events, in room that is taken once.

use crate::Key;
use std::collections::{TryReserveError, VecDeque};

/// The values. One that is put at either end moves no other, and elsewhere at most half of them.
#[derive(Debug)]
pub(super) struct ByEvent<T>(VecDeque<(Key, T)>);

impl<T> ByEvent<T> {
    /// Takes room for so many.
    pub(super) fn new(room: usize) -> Result<Self, TryReserveError> {
        let mut all = VecDeque::new();
        all.try_reserve_exact(room)?;
        Ok(ByEvent(all))
    }

    /// Where an event is, or where it would be.
    fn find(&self, key: Key) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(&key))
    }

    /// Sets the value of an event.
    pub(super) fn insert(&mut self, key: Key, value: T) {
        match self.find(key) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (key, value)),
        }
    }

    /// Takes the value of an event, if it has one.
    pub(super) fn remove(&mut self, key: Key) -> Option<T> {
        let place = self.find(key).ok()?;
        self.0.remove(place).map(|(_, value)| value)
    }

    /// Whether an event has a value.
    pub(super) fn contains(&self, key: Key) -> bool {
        self.find(key).is_ok()
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &(Key, T)> {
        self.0.iter()
    }

    /// Those of this event and later ones, in order.
    pub(super) fn from(&self, key: Key) -> impl Iterator<Item = &(Key, T)> {
        let (Ok(place) | Err(place)) = self.find(key);
        self.0.range(place..)
    }
}
