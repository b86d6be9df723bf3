//! The traffic controller's table of events (Multics memo): which process means to wait for which event.
//!
//! Invariant: a process is entered for an event at most once; processes are woken in the order of their entries.

use super::{EventId, ProcessError, ProcessHandle};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Traffic {
    entries: BTreeMap<EventId, Vec<ProcessHandle>>,
    count: usize,
}

impl Traffic {
    /// The largest number of entries at a time.
    pub(super) const MOST: usize = 1 << 16;

    pub(super) fn add(&mut self, id: EventId, process: ProcessHandle) -> Result<(), ProcessError> {
        if self.is_entered(id, process) {
            return Err(ProcessError::AlreadyAdded { id });
        }
        if self.count >= Traffic::MOST {
            return Err(ProcessError::TableFull { most: Traffic::MOST });
        }
        self.count += 1;
        self.entries.entry(id).or_default().push(process);
        Ok(())
    }

    /// Whether a process is entered for an event.
    pub(super) fn is_entered(&self, id: EventId, process: ProcessHandle) -> bool {
        self.entries.get(&id).is_some_and(|entered| entered.contains(&process))
    }

    /// Removes an entry. Returns whether there was one.
    pub(super) fn remove(&mut self, id: EventId, process: ProcessHandle) -> bool {
        let Some(entered) = self.entries.get_mut(&id) else { return false };
        let before = entered.len();
        entered.retain(|other| *other != process);
        let removed = before - entered.len();
        if entered.is_empty() {
            self.entries.remove(&id);
        }
        self.count -= removed;
        removed > 0
    }

    /// Removes all entries for an event, and returns their processes.
    pub(super) fn notify(&mut self, id: EventId) -> Vec<ProcessHandle> {
        let entered = self.entries.remove(&id).unwrap_or_default();
        self.count -= entered.len();
        entered
    }

    pub(super) fn entered(&self, id: EventId) -> &[ProcessHandle] {
        self.entries.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Removes all entries of a process that has exited.
    pub(super) fn bereave(&mut self, process: ProcessHandle) {
        let ids: Vec<EventId> = self.entries.keys().copied().collect();
        for id in ids {
            self.remove(id, process);
        }
    }
}
