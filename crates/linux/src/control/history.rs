//! Keeps the accounts of the last second, to show what was received in it.

use super::view::Counts;
use std::collections::VecDeque;
use windfall_time::{Instant, Span};

/// The period that a listing shows.
const SECOND: Span = Span::from_secs(1);
/// Time between two entries of the history.
pub(super) const EVERY: Span = Span::from_millis(250);

/// Accounts of the last second, and one set that is older.
#[derive(Default)]
pub(super) struct History(VecDeque<Counts>);

impl History {
    /// Adds accounts. Of accounts older than a second only the latest are kept.
    pub(super) fn keep(&mut self, counts: Counts) {
        let old = |counts: &Counts, now: Instant| now.saturating_since(counts.at) >= SECOND;
        while self.0.get(1).is_some_and(|second| old(second, counts.at)) {
            self.0.pop_front();
        }
        self.0.push_back(counts);
    }

    /// The accounts of a second ago, or the oldest there are.
    pub(super) fn before(&self, now: Instant) -> Option<&Counts> {
        let old = self.0.iter().rev().find(|counts| now.saturating_since(counts.at) >= SECOND);
        old.or_else(|| self.0.front())
    }
}
