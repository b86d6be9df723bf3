//! Books processor time to schedulers.
//!
//! A thread gets a processor through a chain of schedulers, and its time is booked to each of them. If every scheduler has one
//! parent and nothing leaks, the thread's place determines the chain, and time is booked only when the thread is about to move
//! or to end. If a scheduler has several parents (a join), or threads receive time outside a grant, the chain is looked up
//! whenever a processor changes hands.

use windfall_hierarchy::{Hierarchy, NodeId};
use windfall_scenario::outcome::Accounts;
use windfall_time::Span;

/// Accounts by scheduler.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(super) accounts: Accounts,
    /// Whether chains are looked up at each change of a processor.
    pub(super) by_path: bool,
    /// By processor: the chain that it was granted along, and what its threads had received by then.
    pub(super) paths: Vec<(Vec<NodeId>, Span)>,
}

impl Ledger {
    /// Opens an account for every scheduler that has none.
    pub(crate) fn learn(&mut self, hierarchy: &Hierarchy, leaks: bool) {
        self.paths.resize(usize::from(hierarchy.processors()), (Vec::new(), Span::ZERO));
        self.accounts.learn(hierarchy);
        // Once it is so it stays so: what threads got meanwhile is not known by their places.
        self.by_path |= leaks || self.accounts.joined();
    }

    pub(super) fn put(&mut self, node: NodeId, span: Span) {
        if let Some(place) = self.accounts.place(node) {
            self.accounts.put(place, span);
        }
    }
}
