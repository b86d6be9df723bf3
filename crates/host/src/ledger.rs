//! Books processor time to schedulers.
//!
//! A thread gets a processor through a chain of schedulers, and its time is booked to each of them. If every scheduler has one
//! parent and nothing leaks, the thread's place determines the chain, and time is booked only when the thread is about to move
//! or to end. If a scheduler has several parents (a join), or threads receive time outside a grant, the chain is looked up
//! whenever a processor changes hands.

use crate::host::Host;
use crate::machine::Machine;
use windfall_hierarchy::{Hierarchy, NodeId, Processor};
use windfall_scenario::outcome::{Accounts, NodeOutcome};
use windfall_time::Span;

/// Accounts by scheduler.
#[derive(Default)]
pub(crate) struct Ledger {
    accounts: Accounts,
    /// Whether chains are looked up at each change of a processor.
    by_path: bool,
    /// By processor: the chain that it was granted along, and what its threads had received by then.
    paths: Vec<(Vec<NodeId>, Span)>,
}

impl Ledger {
    /// Opens an account for every scheduler that has none.
    pub(crate) fn learn(&mut self, hierarchy: &Hierarchy, leaks: bool) {
        self.paths.resize(usize::from(hierarchy.processors()), (Vec::new(), Span::ZERO));
        self.accounts.learn(hierarchy);
        // Once it is so it stays so: what threads got meanwhile is not known by their places.
        self.by_path |= leaks || self.accounts.joined();
    }

    fn put(&mut self, node: NodeId, span: Span) {
        if let Some(place) = self.accounts.place(node) {
            self.accounts.put(place, span);
        }
    }
}

impl<M: Machine> Host<M> {
    /// Books a thread's time to the schedulers above it, if its place determines them.
    pub(crate) fn attribute(&mut self, number: usize) {
        if self.ledger.by_path {
            return;
        }
        if let Some(cpu) = self.threads.list[number].cpu {
            self.account(usize::from(cpu));
        }
        let thread = &mut self.threads.list[number];
        let span = thread.outcome.received - thread.attributed;
        thread.attributed = thread.outcome.received;
        let mut above = thread.id.and_then(|id| self.hierarchy.parent_of(id).ok());
        while let Some(node) = above {
            self.ledger.put(node, span);
            above = self.hierarchy.parents(node).next();
        }
    }

    /// Like [`attribute`](Self::attribute), for every thread.
    pub(crate) fn attribute_all(&mut self) {
        (0..self.threads.list.len()).for_each(|number| self.attribute(number));
    }

    /// Opens accounts for new schedulers.
    pub(crate) fn learn_nodes(&mut self) {
        self.attribute_all(); // while threads' places still determine their chains
        self.ledger.learn(&self.hierarchy, M::LIVE);
        for cpu in 0..self.step.on.len() {
            self.account(cpu);
            self.close_path(cpu);
            self.open_path(cpu);
        }
    }

    /// Books what came along a processor's chain of schedulers, which may end here. Its accounts must be up to date.
    pub(crate) fn close_path(&mut self, cpu: usize) {
        if !self.ledger.by_path {
            return;
        }
        let (path, since) = std::mem::take(&mut self.ledger.paths[cpu]);
        let received = self.accounts.granted(cpu);
        for node in &path {
            self.ledger.put(*node, received - since);
        }
        self.ledger.paths[cpu] = (path, received);
    }

    /// Notes the chain of schedulers along which a processor is granted now.
    pub(crate) fn open_path(&mut self, cpu: usize) {
        if self.ledger.by_path {
            let (path, _) = &mut self.ledger.paths[cpu];
            path.clear();
            path.extend(self.hierarchy.path(Processor::at(cpu)));
        }
    }

    /// The account of each scheduler, destroyed ones included, in order of creation.
    pub fn nodes(&mut self) -> Vec<(NodeId, NodeOutcome)> {
        self.attribute_all();
        for cpu in 0..self.step.on.len() {
            self.account(cpu);
            self.close_path(cpu);
        }
        self.ledger.accounts.read(self.machine.now(), &self.hierarchy).collect()
    }
}
