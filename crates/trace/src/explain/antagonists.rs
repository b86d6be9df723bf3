//! The threads that had the processor for which a thread waited, most time first.
//!
//! Threads of one name under one scheduler are one antagonist: for short-lived processes the
//! program matters, not the single process.

use super::{Account, Explanation, Part};
use crate::{NodeId, ThreadId};
use std::collections::BTreeMap;
use windfall_time::Span;

/// Threads that ran while another waited.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Antagonist {
    /// Their name.
    pub name: String,
    /// The scheduler that they are under, if known.
    pub scheduler: Option<NodeId>,
    /// Which they are.
    pub threads: Vec<ThreadId>,
    /// How long they ran, together.
    pub span: Span,
}

impl Explanation {
    /// The threads behind which an account's thread waited, most time first.
    #[must_use]
    pub fn antagonists(&self, account: &Account) -> Vec<Antagonist> {
        let mut groups: BTreeMap<(String, Option<NodeId>), Antagonist> = BTreeMap::new();
        for (part, span) in &account.parts {
            let Part::Behind(thread) = part else { continue };
            let (name, scheduler) = match self.people.get(thread) {
                Some(person) => (person.name.clone(), person.node),
                None => (format!("thread {}", thread.0), None),
            };
            let group = groups.entry((name.clone(), scheduler)).or_insert_with(|| Antagonist {
                name,
                scheduler,
                threads: Vec::new(),
                span: Span::ZERO,
            });
            group.threads.push(*thread);
            group.span = group.span.saturating_add(*span);
        }
        let mut list: Vec<Antagonist> = groups.into_values().collect();
        list.sort_by_key(|antagonist| std::cmp::Reverse(antagonist.span));
        list
    }
}
