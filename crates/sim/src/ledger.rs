//! Which schedulers processor time is put down to.
//!
//! A processor comes to a thread through a chain of schedulers, and its time is put to the account
//! of each of them. Where every scheduler has one parent, the chain is known from the thread's
//! place, and time is put down only when the thread is about to move or to end. Where one has
//! several (a join), the chain is looked up whenever a processor is given to somebody.

use crate::run::Sim;
use windfall_hierarchy::{Hierarchy, NodeId, Processor};
use windfall_scenario::outcome::{Accounts, NodeOutcome};
use windfall_time::Span;

/// Accounts by scheduler.
#[derive(Default)]
pub(crate) struct Ledger {
    accounts: Accounts,
    /// Whether some scheduler has several parents.
    joined: bool,
    /// By processor: the chain that it was given along, and what its threads had received then.
    paths: Vec<(Vec<NodeId>, Span)>,
}

impl Ledger {
    /// Opens an account for every scheduler that has none.
    pub(crate) fn learn(&mut self, hierarchy: &Hierarchy) {
        self.paths.resize(usize::from(hierarchy.processors()), (Vec::new(), Span::ZERO));
        self.accounts.learn(hierarchy);
        self.joined = self.accounts.joined();
    }

    fn put(&mut self, node: NodeId, span: Span) {
        if let Some(place) = self.accounts.place(node) {
            self.accounts.put(place, span);
        }
    }
}

impl Sim<'_> {
    /// Puts a thread's time down to the schedulers above it, where the place says them all.
    pub(crate) fn attribute(&mut self, number: usize) {
        if self.ledger.joined {
            return;
        }
        if let Some(cpu) = self.threads[number].cpu {
            self.account(usize::from(cpu));
        }
        let thread = &mut self.threads[number];
        let span = thread.stats.received - thread.attributed;
        thread.attributed = thread.stats.received;
        let mut above = thread.id.and_then(|id| self.hierarchy.parent_of(id).ok());
        while let Some(node) = above {
            self.ledger.put(node, span);
            above = self.hierarchy.parents(node).next();
        }
    }

    /// As [`attribute`](Self::attribute), for every thread.
    pub(crate) fn attribute_all(&mut self) {
        (0..self.threads.len()).for_each(|number| self.attribute(number));
    }

    /// Learns of schedulers that are new.
    pub(crate) fn learn_nodes(&mut self) {
        self.attribute_all(); // as long as that is the way
        self.ledger.learn(&self.hierarchy);
        for cpu in 0..self.cpus.len() {
            let processor = Processor::at(cpu);
            self.close_path(processor);
            self.open_path(processor);
        }
    }

    /// A processor may be taken from its chain of schedulers: puts down what came along it.
    pub(crate) fn close_path(&mut self, processor: Processor) {
        if !self.ledger.joined {
            return;
        }
        let cpu = processor.index();
        self.account(cpu);
        let (path, since) = std::mem::take(&mut self.ledger.paths[cpu]);
        let span = self.cpus[cpu].work - since;
        for node in &path {
            self.ledger.put(*node, span);
        }
        self.ledger.paths[cpu] = (path, self.cpus[cpu].work);
    }

    /// A processor has been given along a chain of schedulers.
    pub(crate) fn open_path(&mut self, processor: Processor) {
        if self.ledger.joined {
            let (path, _) = &mut self.ledger.paths[processor.index()];
            path.clear();
            path.extend(self.hierarchy.path(processor));
        }
    }

    /// All accounts, closed.
    pub(crate) fn nodes(&mut self) -> Vec<NodeOutcome> {
        self.attribute_all();
        for cpu in 0..self.cpus.len() {
            self.close_path(Processor::at(cpu));
        }
        self.ledger.accounts.read(self.now, &self.hierarchy).map(|(_, account)| account).collect()
    }
}
