//! Which schedulers processor time is put down to.
//!
//! A processor comes to a thread through a chain of schedulers, and its time is put to the account
//! of each of them. Where every scheduler has one parent and nothing leaks, the chain is known from the thread's
//! place, and time is put down only when the thread is about to move or to end. Where one has
//! several (a join), or threads receive time outside of a grant, the chain is looked up whenever a processor is given to somebody.

use crate::host::Host;
use crate::machine::Machine;
use windfall_hierarchy::{Hierarchy, NodeId, Processor};
use windfall_scenario::outcome::{Accounts, NodeOutcome};
use windfall_time::Span;

/// Accounts by scheduler.
#[derive(Default)]
pub(crate) struct Ledger {
    accounts: Accounts,
    /// Whether chains are looked up.
    by_path: bool,
    /// By processor: the chain that it was given along, and what its threads had received then.
    paths: Vec<(Vec<NodeId>, Span)>,
}

impl Ledger {
    /// Opens an account for every scheduler that has none.
    pub(crate) fn learn(&mut self, hierarchy: &Hierarchy, leaks: bool) {
        self.paths.resize(usize::from(hierarchy.processors()), (Vec::new(), Span::ZERO));
        self.accounts.learn(hierarchy);
        self.by_path = leaks || self.accounts.joined();
    }

    fn put(&mut self, node: NodeId, span: Span) {
        if let Some(place) = self.accounts.place(node) {
            self.accounts.put(place, span);
        }
    }
}

impl<M: Machine> Host<M> {
    /// Puts a thread's time down to the schedulers above it, where the place says them all.
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

    /// As [`attribute`](Self::attribute), for every thread.
    pub(crate) fn attribute_all(&mut self) {
        (0..self.threads.list.len()).for_each(|number| self.attribute(number));
    }

    /// Learns of schedulers that are new.
    pub(crate) fn learn_nodes(&mut self) {
        self.attribute_all(); // as long as that is the way
        self.ledger.learn(&self.hierarchy, M::LIVE);
        for cpu in 0..self.step.on.len() {
            self.account(cpu);
            self.close_path(cpu);
            self.open_path(cpu);
        }
    }

    /// A processor, which is accounted for, may be taken from its chain of schedulers: puts down what came along it.
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

    /// A processor has been given along a chain of schedulers.
    pub(crate) fn open_path(&mut self, cpu: usize) {
        if self.ledger.by_path {
            let (path, _) = &mut self.ledger.paths[cpu];
            path.clear();
            path.extend(self.hierarchy.path(Processor::at(cpu)));
        }
    }

    /// What each scheduler has received, destroyed ones included, in order of creation.
    pub fn nodes(&mut self) -> Vec<(NodeId, NodeOutcome)> {
        self.attribute_all();
        for cpu in 0..self.step.on.len() {
            self.account(cpu);
            self.close_path(cpu);
        }
        self.ledger.accounts.read(self.machine.now(), &self.hierarchy).collect()
    }
}
