//! One processor under supervision, and where its time goes, to the nanosecond.

use crate::away::Away;
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
    /// What interrupts and a hypervisor have taken of it.
    pub(crate) taken: Taken,
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
    /// What was taken since the kernel was first listened to, as far as it is told.
    stolen: Taken,
    still: Span,
    accounts: CpuOutcome,
    /// Time of supervised threads while they were not granted.
    pub(crate) leaked: Span,
    /// When it was not ours.
    pub(crate) away: Away,
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
            still: none,
            accounts: CpuOutcome {
                received: none,
                idle: none,
                switching: none,
                scheduling: none,
                stolen: none,
            },
            leaked: none,
            away: Away::default(),
        }
    }

    /// The clock starts anew, and all accounts with it.
    pub(crate) fn restart(&mut self, stolen: Taken) {
        let (fence, fenced) = (self.fence.clone(), self.fenced);
        *self = Cpu { fence, fenced, stolen, ..Cpu::new(self.number) };
    }

    /// Puts what has passed to somebody's account. `total` is what was taken until `now` since the
    /// kernel was first listened to.
    pub(crate) fn account(&mut self, now: Instant, total: Taken) -> Passed {
        let from = self.since;
        let passed = now.saturating_since(from);
        self.since = from.max(now);
        // What is told late counts later.
        let all = total.all.saturating_sub(self.stolen.all).min(passed);
        let soft = total.soft.saturating_sub(self.stolen.soft).min(all);
        let steal = total.steal.saturating_sub(self.stolen.steal).min(all - soft);
        self.stolen.all += all;
        self.stolen.soft += soft;
        self.stolen.steal += steal;
        self.still += steal;
        self.accounts.stolen += all;
        let taken = Taken { all, soft, steal };
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
                Passed { received: Some((number, span)), stolen: all, taken }
            }
            // Whoever outranks a granted thread takes its time, too.
            Occupant::Rest if self.actual.is_some() => {
                self.away.add(from, self.since);
                Passed { received: None, stolen: passed, taken }
            }
            _ => Passed { received: None, stolen: all, taken },
        }
    }

    /// Up to when its time has been put to accounts.
    pub(crate) const fn since(&self) -> Instant {
        self.since
    }

    /// Whether more was taken than is told.
    pub(crate) fn misses(&self, total: Taken) -> bool {
        total.all > self.stolen.all
    }

    /// What is known is known no longer: events were lost.
    pub(crate) const fn forget(&mut self) {
        self.occupant = Occupant::Rest;
    }

    /// For how long it stood still in all.
    pub(crate) const fn stood_still(&self) -> Span {
        self.still
    }

    pub(crate) const fn outcome(&self) -> CpuOutcome {
        self.accounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_was_taken_is_divided_and_what_is_told_late_counts_later() {
        let us = |micros: u64| Span::from_nanos(1_000 * micros);
        let taken = |all, soft, steal| Taken { all: us(all), soft: us(soft), steal: us(steal) };
        let mut cpu = Cpu::new(0);
        cpu.restart(taken(100, 40, 7));
        let at = |micros| Instant::ZERO + us(micros);
        let mut told = Taken::default();
        let stretches = [
            (at(10), taken(103, 41, 7), taken(3, 1, 0)),
            (at(20), taken(119, 46, 17), taken(10, 5, 5)), // more than has passed
            (at(40), taken(119, 46, 17), taken(6, 0, 5)),
        ];
        for (now, total, expected) in stretches {
            let passed = cpu.account(now, total);
            assert_eq!(passed.taken, expected);
            told.all += passed.taken.all;
            told.soft += passed.taken.soft;
            told.steal += passed.taken.steal;
        }
        assert_eq!(told, taken(19, 6, 10));
        assert_eq!(cpu.outcome().stolen, told.all);
        assert_eq!(cpu.outcome().idle, us(40) - told.all);
    }
}
