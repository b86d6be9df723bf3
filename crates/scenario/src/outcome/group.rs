//! Threads as people want to see them: by entry of the scenario, many that are alike as one.

use super::{Outcome, ThreadOutcome};
use crate::Scenario;

/// More threads of one `count` than this stand in one row.
const ALIKE: usize = 8;

/// The threads of one entry of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The entry's name.
    pub name: &'a str,
    /// Its threads in order.
    pub threads: &'a [ThreadOutcome],
    /// Whether they are so many that people want to see them as one.
    pub together: bool,
}

/// All threads, by entry of the scenario.
#[must_use]
pub fn groups<'a>(scenario: &'a Scenario, outcome: &'a Outcome) -> Vec<Group<'a>> {
    let mut left = outcome.threads.as_slice();
    let groups = scenario.threads.iter().map(|declared| {
        let (threads, others) = left.split_at(declared.names().count().min(left.len()));
        left = others;
        Group { name: &declared.name, threads, together: threads.len() > ALIKE }
    });
    groups.collect()
}
