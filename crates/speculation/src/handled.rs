//! In which order events were handled, so that the first that is done and not certain is at hand.

use crate::Key;
use std::collections::VecDeque;

/// Keys of events that were handled, in sorted runs: events are handled in order but for what comes late. An event that was undone since stays here
/// until it comes up, so whoever asks says which are done.
#[derive(Debug)]
pub(crate) struct Handled {
    runs: Vec<VecDeque<Key>>,
    len: usize,
}

impl Handled {
    pub(crate) fn new() -> Self {
        Handled { runs: vec![VecDeque::new()], len: 0 }
    }

    /// An event was handled.
    #[inline]
    pub(crate) fn push(&mut self, key: Key) {
        self.len += 1;
        let fits = |run: &&mut VecDeque<Key>| run.back().is_none_or(|last| *last < key);
        match self.runs.iter_mut().find(fits) {
            Some(run) => run.push_back(key),
            None => self.runs.push(VecDeque::from([key])),
        }
    }

    /// How many keys are here, those of undone events included.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Keeps these, which are done, and nothing else.
    pub(crate) fn keep(&mut self, mut done: Vec<Key>) {
        done.sort_unstable();
        self.len = done.len();
        self.runs = vec![done.into()];
    }

    /// The first that is done; what comes before it is dropped.
    #[inline]
    pub(crate) fn first(&mut self, is_done: impl Fn(Key) -> bool) -> Option<Key> {
        loop {
            let fronts = self.runs.iter().enumerate();
            let fronts = fronts.filter_map(|(run, keys)| Some((*keys.front()?, run)));
            let (first, run) = fronts.min()?;
            if is_done(first) {
                return Some(first);
            }
            self.runs[run].pop_front();
            self.len -= 1;
            if self.runs[run].is_empty() && self.runs.len() > 1 {
                self.runs.swap_remove(run);
            }
        }
    }
}
