//! One processor under supervision, and where its time goes, to the nanosecond.

use crate::rings::Taken;
use crate::sys::futex::Gate;
use std::sync::Arc;
use windfall_scenario::outcome::CpuOutcome;
use windfall_time::{Instant, Span};

/// Who has a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Occupant {
    /// A supervised thread.
    Member(u32),
    /// A fence, the ear, or another thread of ours that serves the run.
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
    pub(crate) interrupted: Taken,
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
    stolen: Taken,
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
            stolen: Taken::default(),
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
    pub(crate) fn restart(&mut self, stolen: Taken) {
        let (fence, fenced) = (self.fence.clone(), self.fenced);
        *self = Cpu { fence, fenced, stolen, ..Cpu::new(self.number) };
    }

    /// Puts what has passed to somebody's account. `total` is what interrupts have taken until `now` since the
    /// kernel was first listened to.
    pub(crate) fn account(&mut self, now: Instant, total: Taken) -> Passed {
        let passed = now.saturating_since(self.since);
        self.since = self.since.max(now);
        // What is told late counts later.
        let all = total.all.saturating_sub(self.stolen.all).min(passed);
        let soft = total.soft.saturating_sub(self.stolen.soft).min(all);
        self.stolen.all += all;
        self.stolen.soft += soft;
        self.accounts.stolen += all;
        let interrupted = Taken { all, soft };
        let span = passed - all;
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
                Passed { received: Some((number, span)), stolen: all, interrupted }
            }
            // Whoever outranks a granted thread takes its time, too.
            Occupant::Rest if self.actual.is_some() => {
                Passed { received: None, stolen: passed, interrupted }
            }
            _ => Passed { received: None, stolen: all, interrupted },
        }
    }

    /// Up to when its time has been put to accounts.
    pub(crate) const fn since(&self) -> Instant {
        self.since
    }

    /// Whether interrupts have taken more than is told.
    pub(crate) fn misses(&self, total: Taken) -> bool {
        total.all > self.stolen.all
    }

    /// What is known is known no longer: events were lost.
    pub(crate) const fn forget(&mut self) {
        self.occupant = Occupant::Rest;
    }

    pub(crate) const fn outcome(&self) -> CpuOutcome {
        self.accounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_interrupts_took_is_divided_and_what_is_told_late_counts_later() {
        let us = |micros: u64| Span::from_nanos(1_000 * micros);
        let taken = |all, soft| Taken { all: us(all), soft: us(soft) };
        let mut cpu = Cpu::new(0);
        cpu.restart(taken(100, 40));
        let at = |micros| Instant::ZERO + us(micros);
        let mut told = Taken::default();
        let stretches = [
            (at(10), taken(103, 41), taken(3, 1)),
            (at(20), taken(119, 46), taken(10, 5)), // more than has passed
            (at(40), taken(119, 46), taken(6, 0)),
        ];
        for (now, total, expected) in stretches {
            let passed = cpu.account(now, total);
            assert_eq!(passed.interrupted, expected);
            told.all += passed.interrupted.all;
            told.soft += passed.interrupted.soft;
        }
        assert_eq!(told, taken(19, 6));
        assert_eq!(cpu.outcome().stolen, told.all);
        assert_eq!(cpu.outcome().idle, us(40) - told.all);
    }
}
