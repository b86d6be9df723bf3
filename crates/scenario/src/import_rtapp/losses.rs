//! The losses of an import, and its limit.

use crate::rtapp::{ConvertedThread, Unconverted};
use std::collections::BTreeSet;

/// The most paths from schedulers to threads with several parents that a scenario may have.
pub(super) const MOST_WAYS: usize = 200_000;

/// The differences between scenario and file; each one once, however many threads it concerns.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) list: Vec<Unconverted>,
    told: BTreeSet<(u32, String, String)>,
}

impl Losses {
    /// About a key of a task, if it is written; otherwise about the task.
    pub(super) fn report(
        &mut self,
        thread: &ConvertedThread,
        key: &str,
        left_out: bool,
        text: String,
    ) {
        let line = thread.scheduling.line(key);
        let event = line.map_or("", |_| key);
        let line = line.unwrap_or(thread.line);
        if self.told.insert((line, event.to_owned(), text.clone())) {
            let (task, event) = (thread.task.clone(), event.to_owned());
            self.list.push(Unconverted { task, event, line, left_out, text });
        }
    }
}
