//! Where the time of processors goes.
//!
//! Invariant: what is accounted of a processor is the time since the beginning.

use crate::host::Host;
use crate::machine::{Machine, Passed};
use windfall_hierarchy::Processor;
use windfall_scenario::outcome::{CpuOutcome, Use};
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// What each processor's time has gone to.
pub(crate) struct Accounts(Vec<CpuOutcome>);

impl Accounts {
    pub(crate) fn new(processors: usize) -> Accounts {
        Accounts(vec![CpuOutcome::default(); processors])
    }

    /// Time that threads had of a processor.
    pub(crate) fn received(&self, cpu: usize) -> Span {
        self.0[cpu].received
    }

    #[inline]
    fn put(&mut self, cpu: usize, passed: &Passed) {
        let account = &mut self.0[cpu];
        let part = match passed.taken {
            None if passed.thread.is_some() => &mut account.received,
            None => &mut account.idle,
            Some(OverheadKind::Scheduling) => &mut account.scheduling,
            Some(OverheadKind::Switching) => &mut account.switching,
            Some(_) => &mut account.stolen,
        };
        *part += passed.span;
    }

    /// All of them.
    ///
    /// # Panics
    /// When a processor's time does not add up, which would be a defect of a machine.
    pub(crate) fn close(self, now: Instant) -> Vec<CpuOutcome> {
        for (cpu, account) in self.0.iter().enumerate() {
            let CpuOutcome { received, idle, switching, scheduling, stolen } = *account;
            let sum = received + idle + switching + scheduling + stolen;
            assert_eq!(sum, now - Instant::ZERO, "time of processor {cpu} is not conserved");
        }
        self.0
    }
}

/// Whose time it was. What scheduling costs itself is not told to schedulers as stolen (decision 0006).
const fn by(taken: Option<OverheadKind>) -> Use {
    match taken {
        None => Use::Own,
        Some(OverheadKind::Interrupt | OverheadKind::Softirq | OverheadKind::Steal) => Use::Stolen,
        Some(OverheadKind::Scheduling | OverheadKind::Switching) => Use::Overhead,
    }
}

impl<M: Machine> Host<M> {
    /// Brings a processor's accounts, and its thread's, up to now.
    #[inline]
    pub(crate) fn account(&mut self, cpu: usize) {
        let passed = self.machine.account(cpu);
        self.accounts.put(cpu, &passed);
        let by = by(passed.taken);
        self.promises_passed(cpu, &passed, by);
        self.report_taken(cpu, passed.span, by);
        if let (Some(number), Use::Own) = (passed.thread, by) {
            self.threads.list[number as usize].outcome.received += passed.span;
        }
    }

    /// Says to the hierarchy what was taken of a processor, and how; that costs nothing.
    fn report_taken(&mut self, cpu: usize, span: Span, by: Use) {
        let processor = Processor::at(cpu);
        let reported = match by {
            Use::Own => return,
            Use::Stolen => {
                self.promises_stolen();
                self.hierarchy.report_stolen(processor, span)
            }
            Use::Overhead => self.hierarchy.report_overhead(processor, span),
        };
        debug_assert!(reported.is_ok(), "the hierarchy has not as many processors as the machine");
    }

    /// Brings the accounts of processors from which time is being taken up to now, so that the
    /// hierarchy knows of it before it hears anything else.
    pub(crate) fn account_taken(&mut self) {
        if self.machine.takes_time() {
            for cpu in 0..self.step.on.len() {
                if self.machine.is_taken(cpu) {
                    self.account(cpu);
                }
            }
        }
    }
}
