//! Accounts for the time of processors.
//!
//! Invariant: a processor's accounts add up to the time since the beginning.

use crate::host::Host;
use crate::machine::{Column, Machine, Passed};
use windfall_hierarchy::Processor;
use windfall_scenario::outcome::{CpuOutcome, Use};
use windfall_time::{Instant, Span};

/// Per processor: how its time was used, and how much of what threads received there leaked (was not granted to them).
pub struct Accounts(Vec<(CpuOutcome, Span)>);

impl Accounts {
    pub(crate) fn new(processors: usize) -> Accounts {
        Accounts(vec![(CpuOutcome::default(), Span::ZERO); processors])
    }

    /// Time on this processor that threads received while it was granted to them.
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
            Column::StationWait => &mut account.station_wait,
            Column::StationService => &mut account.station_service,
            Column::Leaked => {
                *leaked += passed.span;
                &mut account.received
            }
        };
        *part += passed.span;
    }

    /// The accounts of each processor, and what has leaked there.
    #[must_use]
    pub fn read(&self) -> &[(CpuOutcome, Span)] {
        &self.0
    }

    /// The final accounts of each processor.
    ///
    /// # Panics
    /// If a processor's time does not add up, which would be a defect of a machine.
    pub(crate) fn close(&self, now: Instant) -> Vec<CpuOutcome> {
        let checked = self.0.iter().enumerate().map(|(cpu, (account, _))| {
            let CpuOutcome { received, idle, switching, scheduling, stolen, .. } = *account;
            let stations = account.station_wait + account.station_service;
            let sum = received + idle + switching + scheduling + stolen + stations;
            assert_eq!(sum, now - Instant::ZERO, "time of processor {cpu} is not conserved");
            *account
        });
        checked.collect()
    }
}

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
                self.tasks.stolen(cpu, passed.span, &self.threads.list);
                self.hierarchy.report_stolen(processor, passed.span)
            }
            Use::Overhead => self.hierarchy.report_overhead(processor, passed.span),
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
}
