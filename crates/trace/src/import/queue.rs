//! Lines that wait to be sorted.
//!
//! Invariant: `on` holds the keys of those lines of `lines` that say which thread runs on
//! their processor: an event that a thread wrote there, or a loss.

use super::record::{RawEvent, Waiting};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Time, then position in the source.
type Key = (u64, u64);

/// Lines by time, and by processor.
#[derive(Default)]
pub(super) struct Queue {
    lines: BTreeMap<Key, Waiting>,
    on: HashMap<u16, BTreeSet<Key>>,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn push(&mut self, waiting: Waiting) {
        let key = (waiting.ns, waiting.seq);
        let telling = waiting.claims().is_some() || matches!(waiting.raw, RawEvent::Lost { .. });
        if let Some(cpu) = waiting.cpu
            && telling
        {
            self.on.entry(cpu).or_default().insert(key);
        }
        self.lines.insert(key, waiting);
    }

    /// Takes the earliest line.
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let (key, waiting) = self.lines.pop_first()?;
        if let Some(keys) = waiting.cpu.and_then(|cpu| self.on.get_mut(&cpu)) {
            keys.remove(&key);
        }
        Some(waiting)
    }

    /// The earliest line that says which thread runs on `cpu`.
    pub(super) fn next_on(&self, cpu: u16) -> Option<&Waiting> {
        self.lines.get(self.on.get(&cpu)?.first()?)
    }
}
