//! Marks that a thread set: lines for the reader of its trace, such as a replica's report of who was
//! outvoted.

use windfall_time::Instant;

/// How many marks are kept. The first ones say since when something is so.
const KEPT: usize = 16;

/// The marks of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Marks {
    /// How many there were.
    pub count: u64,
    /// The first of them.
    pub first: Vec<(Instant, String)>,
}

impl Marks {
    pub(super) fn add(&mut self, at: Instant, text: &str) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push((at, text.to_owned()));
        }
    }

    /// How many are not kept.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.count - self.first.len() as u64
    }
}
