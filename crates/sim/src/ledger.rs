//! Which schedulers a thread's processor time is put down to.
//!
//! Time is put to the account of every scheduler above the thread, each once, whenever the thread
//! is about to move or to end, and at the end of the run. Not asked on the way, so it costs nothing
//! while threads stay where they are.

use crate::outcome::NodeOutcome;
use crate::run::Sim;
use windfall_hierarchy::{Hierarchy, NodeId};
use windfall_time::Span;

/// Accounts by scheduler.
#[derive(Default)]
pub(crate) struct Ledger {
    accounts: Vec<(NodeId, NodeOutcome)>,
}

impl Ledger {
    /// Opens an account for every scheduler that has none.
    pub(crate) fn learn(&mut self, hierarchy: &Hierarchy) {
        for id in hierarchy.nodes() {
            let Some(view) = hierarchy.node(id) else { continue };
            if self.accounts.iter().any(|(known, _)| *known == id) {
                continue;
            }
            let mut parents: Vec<String> = Vec::new();
            for (parent, _) in &view.owns {
                let name = parent.and_then(|id| hierarchy.node(id)).map(|view| view.name);
                if let Some(name) = name.filter(|name| !parents.iter().any(|p| p == name)) {
                    parents.push(name.to_owned());
                }
            }
            let outcome = NodeOutcome {
                name: view.name.to_owned(),
                kind: view.kind.to_owned(),
                parents,
                received: Span::ZERO,
                alive: true,
            };
            self.accounts.push((id, outcome));
        }
    }

    fn put(&mut self, node: NodeId, span: Span) {
        if let Some((_, account)) = self.accounts.iter_mut().find(|(id, _)| *id == node) {
            account.received += span;
        }
    }
}

impl Sim<'_> {
    /// Puts a thread's time down to the schedulers above it.
    pub(crate) fn attribute(&mut self, number: usize) {
        if let Some(cpu) = self.threads[number].cpu {
            self.account(usize::from(cpu));
        }
        let thread = &mut self.threads[number];
        let span = thread.stats.received - thread.attributed;
        thread.attributed = thread.stats.received;
        let Some(parent) = thread.id.and_then(|id| self.hierarchy.parent_of(id).ok()) else {
            return;
        };
        let mut above = vec![parent];
        let mut next = 0;
        while let Some(node) = above.get(next).copied() {
            next += 1;
            self.ledger.put(node, span);
            let Some(view) = self.hierarchy.node(node) else { continue };
            for parent in view.owns.iter().filter_map(|(parent, _)| *parent) {
                if !above.contains(&parent) {
                    above.push(parent);
                }
            }
        }
    }

    /// As [`attribute`](Self::attribute), for every thread.
    pub(crate) fn attribute_all(&mut self) {
        (0..self.threads.len()).for_each(|number| self.attribute(number));
    }

    /// All accounts.
    pub(crate) fn nodes(&self) -> Vec<NodeOutcome> {
        let closed = self.ledger.accounts.iter().map(|(id, account)| NodeOutcome {
            alive: self.hierarchy.node(*id).is_some(),
            ..account.clone()
        });
        closed.collect()
    }
}
