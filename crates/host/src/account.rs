//! Books time to processors (`account/processors.rs`), to their threads, and to the schedulers above those (`account/ledger.rs`).

mod ledger;
mod processors;

pub(crate) use ledger::Ledger;
pub use processors::Accounts;

use crate::host::Host;
use crate::machine::{Column, Machine, Passed};
use windfall_hierarchy::{NodeId, Processor};
use windfall_scenario::outcome::{NodeOutcome, Use};
use windfall_time::Instant;

impl<M: Machine> Host<M> {
    /// Brings the accounts of a processor and of its thread up to the present.
    #[inline]
    pub fn account(&mut self, cpu: usize) {
        self.machine.account(cpu);
        self.book(cpu);
    }

    /// Like [`account`](Self::account), up to an instant in the past.
    pub(crate) fn account_until(&mut self, cpu: usize, at: Instant) {
        self.machine.account_until(cpu, at);
        self.book(cpu);
    }

    /// Books the stretches that the machine has accounted for on a processor.
    #[inline]
    fn book(&mut self, cpu: usize) {
        while let Some(passed) = self.machine.next_passed(cpu) {
            self.accounts.put(cpu, &passed);
            self.promises_passed(cpu, &passed);
            self.report_taken(cpu, &passed);
            if let Some(number) = passed.thread {
                let outcome = &mut self.threads.list[number as usize].outcome;
                match passed.column {
                    Column::Received | Column::Leaked => outcome.received += passed.span,
                    Column::StationWait => outcome.visits.waited += passed.span,
                    Column::StationService => outcome.visits.served += passed.span,
                    _ => {}
                }
            }
        }
    }

    /// Brings all accounts up to the present.
    pub fn account_all(&mut self) {
        (0..self.step.on.len()).for_each(|cpu| self.account(cpu));
    }

    /// Reports time taken from a processor, and by what, to the hierarchy. No decision cost is charged for that.
    fn report_taken(&mut self, cpu: usize, passed: &Passed) {
        let processor = Processor::at(cpu);
        let reported = match passed.by {
            _ if passed.column == Column::Leaked => return,
            Use::Own => return,
            Use::Stolen => {
                self.promises_stolen();
                self.tasks.taken();
                self.tasks.stolen(cpu, passed.span, &self.threads.list);
                self.hierarchy.report_stolen(processor, passed.span)
            }
            Use::Overhead => {
                self.tasks.taken();
                self.hierarchy.report_overhead(processor, passed.span)
            }
        };
        debug_assert!(reported.is_ok(), "the hierarchy has not as many processors as the machine");
    }

    /// Brings the accounts of processors from which time is being taken up to the present, so that the hierarchy knows of it
    /// before any other notification.
    pub(crate) fn account_taken(&mut self) {
        if self.machine.takes_time() {
            for cpu in 0..self.step.on.len() {
                if M::LIVE {
                    self.book(cpu); // a live machine has accounted for it already
                } else if self.machine.is_taken(cpu) {
                    self.account(cpu);
                }
            }
        }
    }

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
