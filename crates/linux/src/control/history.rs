//! What was counted a second ago, so that it can be said what was received lately.

use super::view::Counts;
use std::collections::VecDeque;
use windfall_time::{Instant, Span};

/// How far back.
const SECOND: Span = Span::from_secs(1);
/// How often it is looked.
pub(super) const EVERY: Span = Span::from_millis(250);

/// Counts of the last second and a bit.
#[derive(Default)]
pub(super) struct History(VecDeque<Counts>);

impl History {
    /// Keeps what was counted, and forgets what is older than a second but for the last of it.
    pub(super) fn keep(&mut self, counts: Counts) {
        let old = |counts: &Counts, now: Instant| now.saturating_since(counts.at) >= SECOND;
        while self.0.get(1).is_some_and(|second| old(second, counts.at)) {
            self.0.pop_front();
        }
        self.0.push_back(counts);
    }

    /// What was counted a second ago, or as long ago as is known.
    pub(super) fn before(&self, now: Instant) -> Option<&Counts> {
        let old = self.0.iter().rev().find(|counts| now.saturating_since(counts.at) >= SECOND);
        old.or_else(|| self.0.front())
    }
}
