//! Which schedulers processor time is put down to.
//!
//! A processor comes to a thread through a chain of schedulers, and its time is put to the account
//! of each of them. Where every scheduler has one parent, the chain is known from the thread's
//! place, and time is put down only when the thread is about to move or to end. Where one has
//! several (a join), the chain is looked up whenever a processor is given to somebody.

use crate::run::Sim;
use windfall_hierarchy::{Hierarchy, NodeId, Processor};
use windfall_scenario::outcome::NodeOutcome;
use windfall_time::Span;

/// Accounts by scheduler.
#[derive(Default)]
pub(crate) struct Ledger {
    accounts: Vec<(NodeId, NodeOutcome)>,
    /// By the hierarchy's index: where a living scheduler's account stands.
    places: Vec<Option<usize>>,
    /// Whether some scheduler has several parents.
    joined: bool,
    /// By processor: the chain that it was given along, and what its threads had received then.
    paths: Vec<(Vec<NodeId>, Span)>,
}

impl Ledger {
    /// Opens an account for every scheduler that has none.
    pub(crate) fn learn(&mut self, hierarchy: &Hierarchy) {
        self.paths.resize(usize::from(hierarchy.processors()), (Vec::new(), Span::ZERO));
        for id in hierarchy.nodes() {
            if self.place(id).is_some() {
                continue;
            }
            let Some(view) = hierarchy.node(id) else { continue };
            let mut parents: Vec<String> = Vec::new();
            for name in hierarchy.parents(id).filter_map(|parent| hierarchy.name(parent)) {
                if parents.iter().all(|known| known != name) {
                    parents.push(name.to_owned());
                }
            }
            self.joined |= parents.len() > 1;
            let outcome = NodeOutcome {
                name: view.name.to_owned(),
                kind: view.kind.to_owned(),
                parents,
                received: Span::ZERO,
                alive: true,
            };
            if self.places.len() <= id.index() {
                self.places.resize(id.index() + 1, None);
            }
            self.places[id.index()] = Some(self.accounts.len());
            self.accounts.push((id, outcome));
        }
    }

    fn place(&self, node: NodeId) -> Option<usize> {
        let place = self.places.get(node.index()).copied().flatten();
        place.filter(|place| self.accounts[*place].0 == node)
    }

    fn put(&mut self, node: NodeId, span: Span) {
        if let Some(place) = self.place(node) {
            self.accounts[place].1.received += span;
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
            let processor = Processor(u16::try_from(cpu).unwrap_or(u16::MAX));
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
            self.close_path(Processor(u16::try_from(cpu).unwrap_or(u16::MAX)));
        }
        let closed = self.ledger.accounts.iter().map(|(id, account)| NodeOutcome {
            alive: self.hierarchy.name(*id).is_some(),
            ..account.clone()
        });
        closed.collect()
    }
}
