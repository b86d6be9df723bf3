//! Accounts for the time of processors.
//!
//! Invariant: a processor's accounts add up to the time since the beginning.

use crate::machine::{Column, Passed};
use windfall_scenario::outcome::CpuOutcome;
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
    pub(super) fn put(&mut self, cpu: usize, passed: &Passed) {
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
