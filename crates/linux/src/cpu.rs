//! One processor under supervision, and where its time goes, to the nanosecond.

use crate::sys::futex::Gate;
use std::sync::Arc;
use windfall_scenario::outcome::CpuOutcome;
use windfall_time::{Instant, Span};

/// Who has a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Occupant {
    /// A supervised thread.
    Member(u32),
    /// A fence or the ear.
    Agent,
    /// The rest of the system, or nobody.
    Rest,
}

/// Where a stretch of a processor's time went.
pub(crate) struct Passed {
    /// What a supervised thread got.
    pub(crate) received: Option<(u32, Span)>,
    /// What was taken from whoever is granted the processor.
    pub(crate) stolen: Span,
    /// What interrupts have taken of it.
    pub(crate) interrupted: Span,
}

/// One processor.
pub(crate) struct Cpu {
    /// Its number in the machine.
    pub(crate) number: u16,
    /// Where its fence sleeps while nothing is granted, and whether it does not.
    pub(crate) fence: Arc<Gate>,
    pub(crate) fenced: bool,
    /// The thread that has been raised here.
    pub(crate) actual: Option<u32>,
    /// Whether the hierarchy has chosen anew since.
    pub(crate) dirty: bool,
    pub(crate) occupant: Occupant,
    since: Instant,
    /// What interrupts have taken since the kernel was first listened to, as far as it is told.
    stolen: Span,
    accounts: CpuOutcome,
    /// Time of supervised threads while they were not granted.
    pub(crate) leaked: Span,
}

impl Cpu {
    pub(crate) fn new(number: u16) -> Cpu {
        let none = Span::ZERO;
        Cpu {
            number,
            fence: Arc::default(),
            fenced: false,
            actual: None,
            dirty: false,
            occupant: Occupant::Rest,
            since: Instant::ZERO,
            stolen: none,
            accounts: CpuOutcome {
                received: none,
                idle: none,
                switching: none,
                scheduling: none,
                stolen: none,
            },
            leaked: none,
        }
    }

    /// The clock starts anew, and all accounts with it.
    pub(crate) fn restart(&mut self, stolen: Span) {
        let (fence, fenced) = (self.fence.clone(), self.fenced);
        *self = Cpu { fence, fenced, stolen, ..Cpu::new(self.number) };
    }

    /// Puts what has passed to somebody's account. `total` is what interrupts have taken until `now` since the
    /// kernel was first listened to.
    pub(crate) fn account(&mut self, now: Instant, total: Span) -> Passed {
        let passed = now.saturating_since(self.since);
        self.since = self.since.max(now);
        // What is told late counts later.
        let interrupted = total.saturating_sub(self.stolen).min(passed);
        self.stolen += interrupted;
        self.accounts.stolen += interrupted;
        let span = passed - interrupted;
        let account = match self.occupant {
            Occupant::Member(_) => &mut self.accounts.received,
            Occupant::Agent => &mut self.accounts.scheduling,
            Occupant::Rest => &mut self.accounts.idle,
        };
        *account += span;
        match self.occupant {
            Occupant::Member(number) => {
                if self.actual != Some(number) {
                    self.leaked += span;
                }
                Passed { received: Some((number, span)), stolen: interrupted, interrupted }
            }
            // Whoever outranks a granted thread takes its time, too.
            Occupant::Rest if self.actual.is_some() => {
                Passed { received: None, stolen: passed, interrupted }
            }
            _ => Passed { received: None, stolen: interrupted, interrupted },
        }
    }

    /// Up to when its time has been put to accounts.
    pub(crate) const fn since(&self) -> Instant {
        self.since
    }

    /// Whether interrupts have taken more than is told.
    pub(crate) fn misses(&self, total: Span) -> bool {
        total > self.stolen
    }

    /// What is known is known no longer: events were lost.
    pub(crate) const fn forget(&mut self) {
        self.occupant = Occupant::Rest;
    }

    pub(crate) const fn outcome(&self) -> CpuOutcome {
        self.accounts
    }
}
