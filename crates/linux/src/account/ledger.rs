//! Which schedulers processor time is put down to.
//!
//! A processor comes to a thread along a chain of schedulers; what the thread receives while it is
//! granted goes to the account of each. What it receives beyond that has leaked, and is nobody's.

use crate::supervise::supervisor::Supervisor;
use windfall_hierarchy::{Hierarchy, NodeId, Processor};
use windfall_scenario::outcome::{Accounts, NodeOutcome, Use};
use windfall_time::{Instant, Span};

/// Accounts by scheduler.
#[derive(Default)]
pub(crate) struct Ledger {
    accounts: Accounts,
    /// By processor: the accounts along its chain, and what is to be put there.
    paths: Vec<(Vec<usize>, Span)>,
}

impl Ledger {
    /// Opens an account for every scheduler, and nobody has received anything.
    pub(crate) fn begin(&mut self, hierarchy: &Hierarchy) {
        *self = Ledger::default();
        self.paths.resize(usize::from(hierarchy.processors()), (Vec::new(), Span::ZERO));
        self.learn(hierarchy);
    }

    /// Opens an account for every scheduler that has none.
    pub(crate) fn learn(&mut self, hierarchy: &Hierarchy) {
        self.accounts.learn(hierarchy);
    }

    fn close(&mut self, cpu: usize) {
        let Some((path, span)) = self.paths.get_mut(cpu) else { return };
        let span = std::mem::take(span);
        if span.is_zero() {
            return;
        }
        for at in path.iter() {
            self.accounts.put(*at, span);
        }
    }

    /// A processor has been given along another chain.
    fn open(&mut self, cpu: usize, hierarchy: &Hierarchy) {
        self.close(cpu);
        let Some((path, _)) = self.paths.get_mut(cpu) else { return };
        let mut path = std::mem::take(path);
        path.clear();
        let processor = Processor::at(cpu);
        path.extend(hierarchy.path(processor).filter_map(|node| self.accounts.place(node)));
        self.paths[cpu].0 = path;
    }

    /// What each scheduler has received, destroyed ones included, in order of creation.
    pub(crate) fn read(
        &mut self,
        at: Instant,
        hierarchy: &Hierarchy,
    ) -> Vec<(NodeId, NodeOutcome)> {
        (0..self.paths.len()).for_each(|cpu| self.close(cpu));
        self.accounts.read(at, hierarchy).collect()
    }
}

impl Supervisor {
    /// Processors that are about to follow the hierarchy have come along other chains.
    pub(crate) fn open_paths(&mut self) {
        for cpu in 0..self.cpus.len() {
            if self.cpus[cpu].dirty {
                let (told, now) = (self.told(), self.time());
                self.account(cpu, now);
                let desired =
                    self.desired(cpu).filter(|_| self.desired(cpu) != self.cpus[cpu].actual);
                self.books.judging.decided(desired, (told, now));
                self.books.ledger.open(cpu, &self.hierarchy);
            }
        }
    }

    /// Time has passed on a processor; `received` is who had it, if a thread had, and `stolen` what was taken from them.
    /// What neither explains we have taken ourselves.
    pub(crate) fn put_down(
        &mut self,
        cpu: usize,
        from: Instant,
        to: Instant,
        (received, stolen): (Option<(u32, Span)>, Span),
    ) {
        let owner = self.cpus[cpu].actual;
        let own = received.filter(|(number, _)| owner == Some(*number));
        let span = own.map_or(Span::ZERO, |(_, span)| span);
        if let Some((_, along)) = self.books.ledger.paths.get_mut(cpu) {
            *along += span;
        }
        // When exactly something was stolen in between does not matter so much.
        let overhead_from = (from + span).min(to);
        let stolen_from =
            (Instant::ZERO + (to - Instant::ZERO).saturating_sub(stolen)).max(overhead_from);
        self.books.judging.passed(cpu, owner, (from, overhead_from), Use::Own);
        self.books.judging.passed(cpu, owner, (overhead_from, stolen_from), Use::Overhead);
        self.books.judging.passed(cpu, owner, (stolen_from, to), Use::Stolen);
    }
}
