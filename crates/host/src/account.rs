//! Where the time of processors goes.
//!
//! Invariant: what is accounted of a processor is the time since the beginning.

use crate::host::Host;
use crate::machine::{Column, Machine, Passed};
use windfall_hierarchy::Processor;
use windfall_scenario::outcome::{CpuOutcome, Use};
use windfall_time::{Instant, Span};

/// What each processor's time has gone to, and how much of what threads received there was not granted to them.
pub struct Accounts(Vec<(CpuOutcome, Span)>);

impl Accounts {
    pub(crate) fn new(processors: usize) -> Accounts {
        Accounts(vec![(CpuOutcome::default(), Span::ZERO); processors])
    }

    /// Time that threads had of a processor that was granted to them.
    pub(crate) fn granted(&self, cpu: usize) -> Span {
        let (account, leaked) = &self.0[cpu];
        account.received - *leaked
    }

    #[inline]
    fn put(&mut self, cpu: usize, passed: &Passed) {
        let (account, leaked) = &mut self.0[cpu];
        let part = match passed.column {
            Column::Received => &mut account.received,
            Column::Idle => &mut account.idle,
            Column::Scheduling => &mut account.scheduling,
            Column::Switching => &mut account.switching,
            Column::Stolen => &mut account.stolen,
            Column::Leaked => {
                *leaked += passed.span;
                &mut account.received
            }
        };
        *part += passed.span;
    }

    /// All of them, and what has leaked on each.
    #[must_use]
    pub fn read(&self) -> &[(CpuOutcome, Span)] {
        &self.0
    }

    /// All of them.
    ///
    /// # Panics
    /// When a processor's time does not add up, which would be a defect of a machine.
    pub(crate) fn close(&self, now: Instant) -> Vec<CpuOutcome> {
        let checked = self.0.iter().enumerate().map(|(cpu, (account, _))| {
            let CpuOutcome { received, idle, switching, scheduling, stolen } = *account;
            let sum = received + idle + switching + scheduling + stolen;
            assert_eq!(sum, now - Instant::ZERO, "time of processor {cpu} is not conserved");
            *account
        });
        checked.collect()
    }
}

impl<M: Machine> Host<M> {
    /// Brings a processor's accounts, and its thread's, up to now.
    #[inline]
    pub fn account(&mut self, cpu: usize) {
        self.machine.account(cpu);
        self.book(cpu);
    }

    /// As [`account`](Self::account), up to an instant that has passed.
    pub(crate) fn account_until(&mut self, cpu: usize, at: Instant) {
        self.machine.account_until(cpu, at);
        self.book(cpu);
    }

    /// Books what a processor has accounted for.
    #[inline]
    fn book(&mut self, cpu: usize) {
        while let Some(passed) = self.machine.next_passed(cpu) {
            self.accounts.put(cpu, &passed);
            self.promises_passed(cpu, &passed);
            self.report_taken(cpu, &passed);
            if let (Some(number), Column::Received | Column::Leaked) =
                (passed.thread, passed.column)
            {
                self.threads.list[number as usize].outcome.received += passed.span;
            }
        }
    }

    /// Brings all accounts up to now.
    pub fn account_all(&mut self) {
        (0..self.step.on.len()).for_each(|cpu| self.account(cpu));
    }

    /// Says to the hierarchy what was taken of a processor, and how; that costs nothing.
    fn report_taken(&mut self, cpu: usize, passed: &Passed) {
        let processor = Processor::at(cpu);
        let reported = match passed.by {
            _ if passed.column == Column::Leaked => return,
            Use::Own => return,
            Use::Stolen => {
                self.promises_stolen();
                self.hierarchy.report_stolen(processor, passed.span)
            }
            Use::Overhead => self.hierarchy.report_overhead(processor, passed.span),
        };
        debug_assert!(reported.is_ok(), "the hierarchy has not as many processors as the machine");
    }

    /// Brings the accounts of processors from which time is being taken up to now, so that the
    /// hierarchy knows of it before it hears anything else.
    pub(crate) fn account_taken(&mut self) {
        if self.machine.takes_time() {
            for cpu in 0..self.step.on.len() {
                if M::LIVE {
                    self.book(cpu); // it has accounted for that by itself
                } else if self.machine.is_taken(cpu) {
                    self.account(cpu);
                }
            }
        }
    }
}
