//! One processor under supervision, and where its time goes, to the nanosecond.

use crate::account::unavailable::Unavailable;
use std::sync::Arc;
use windfall_observe::rings::Taken;
use windfall_os::futex::Gate;
use windfall_scenario::outcome::CpuOutcome;
use windfall_time::{Instant, Span};

/// A processor that stood still for longer counts as away meanwhile.
const STANDSTILL: Span = Span::from_nanos(100_000);

/// Who has a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Running {
    /// A supervised thread.
    Member(u32),
    /// A fence, the event loop, or another thread of ours that serves the run.
    Supervisor,
    /// The rest of the system, or nobody.
    Other,
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
    /// Since when the hierarchy has chosen somebody.
    pub(crate) granted: Option<Instant>,
    pub(crate) occupant: Running,
    /// A thread that is on its way into the freezer, and for how long that counts as our doing.
    pub(crate) freezing: Option<(u32, Instant)>,
    since: Instant,
    /// What was taken since the kernel was first listened to, as far as it is told.
    stolen: Taken,
    /// Of that, for how long it stood still before the run began.
    steal_before: Span,
    accounts: CpuOutcome,
    /// Time of supervised threads while they were not granted.
    pub(crate) leaked: Span,
    /// When it was not ours.
    pub(crate) away: Unavailable,
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
            granted: None,
            occupant: Running::Other,
            freezing: None,
            since: Instant::ZERO,
            stolen: Taken::default(),
            steal_before: none,
            accounts: CpuOutcome {
                received: none,
                idle: none,
                switching: none,
                scheduling: none,
                stolen: none,
            },
            leaked: none,
            away: Unavailable::default(),
        }
    }

    /// The clock starts anew, and all accounts with it.
    pub(crate) fn restart(&mut self, stolen: Taken) {
        let (fence, fenced) = (self.fence.clone(), self.fenced);
        let steal_before = stolen.steal;
        *self = Cpu { fence, fenced, stolen, steal_before, ..Cpu::new(self.number) };
    }

    /// Puts what has passed to somebody's account. `total` is what was taken until `now` since the
    /// kernel was first listened to.
    pub(crate) fn account(&mut self, now: Instant, total: Taken) -> Passed {
        let from = self.since;
        let passed = now.saturating_since(from);
        self.since = from.max(now);
        // It is told at the end of a standstill at the latest: what does not fit lies in time that is accounted for.
        let before = total.steal.saturating_sub(self.stolen.steal).saturating_sub(passed);
        self.stolen.steal += before;
        self.stolen.all += before;
        // What is told late counts later.
        let all = total.all.saturating_sub(self.stolen.all).min(passed);
        let steal = total.steal.saturating_sub(self.stolen.steal).min(all);
        let soft = total.soft.saturating_sub(self.stolen.soft).min(all - steal);
        self.stolen.all += all;
        // What is owed of a part is at most what is owed of the whole.
        let owed = total.all.saturating_sub(self.stolen.all);
        let told = |before: Span, part, of: Span| (before + part).max(of.saturating_sub(owed));
        self.stolen.steal = told(self.stolen.steal, steal, total.steal);
        self.stolen.soft = told(self.stolen.soft, soft, total.soft);
        self.accounts.stolen += all;
        if steal > STANDSTILL {
            self.away.add(now - steal, now);
        }
        let taken = Taken { all, soft, steal };
        let span = passed - all;
        let account = match self.occupant {
            Running::Member(_) => &mut self.accounts.received,
            Running::Supervisor => &mut self.accounts.scheduling,
            Running::Other => &mut self.accounts.idle,
        };
        *account += span;
        match self.occupant {
            Running::Member(number) => {
                if self.actual != Some(number) {
                    self.leaked += span;
                }
                Passed { received: Some((number, span)), stolen: all, taken }
            }
            // Whoever outranks a granted thread takes its time, too.
            Running::Other if self.actual.is_some() => {
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
        self.occupant = Running::Other;
        self.freezing = None;
    }

    /// It has stood still from then until now, of which we hear when it is over; `total` is what was taken until now. What
    /// of that lies in time that is accounted for, or before the run, nobody pays for who runs later.
    pub(crate) fn stood_still(&mut self, since: Instant, now: Instant, total: Taken) {
        self.away.add(since, now);
        let room = |from: Instant| now.saturating_since(from.max(self.since));
        let (all, steal) = (room(self.since), room(since));
        self.stolen.all = self.stolen.all.max(total.all.saturating_sub(all));
        self.stolen.steal = self.stolen.steal.max(total.steal.saturating_sub(steal));
    }

    /// For how long it stood still in all, as far as that is told.
    pub(crate) fn steal(&self) -> Span {
        self.stolen.steal.saturating_sub(self.steal_before)
    }

    pub(crate) const fn outcome(&self) -> CpuOutcome {
        self.accounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(micros: u64) -> Span {
        Span::from_nanos(1_000 * micros)
    }

    fn at(micros: u64) -> Instant {
        Instant::ZERO + us(micros)
    }

    #[test]
    fn law_what_was_taken_is_divided_and_what_is_told_late_counts_later() {
        let taken = |all, soft, steal| Taken { all: us(all), soft: us(soft), steal: us(steal) };
        let mut cpu = Cpu::new(0);
        cpu.restart(taken(100, 40, 7));
        let mut told = Taken::default();
        let stretches = [
            (at(10), taken(103, 41, 7), taken(3, 1, 0)),
            (at(20), taken(119, 46, 13), taken(10, 4, 6)), // more than has passed
            (at(40), taken(119, 46, 13), taken(6, 1, 0)),
        ];
        for (now, total, expected) in stretches {
            let passed = cpu.account(now, total);
            assert_eq!(passed.taken, expected);
            told.all += passed.taken.all;
            told.soft += passed.taken.soft;
            told.steal += passed.taken.steal;
        }
        assert_eq!(told, taken(19, 6, 6));
        assert_eq!(cpu.steal(), us(6));
        assert_eq!(cpu.outcome().stolen, told.all);
        assert_eq!(cpu.outcome().idle, us(40) - told.all);
    }

    #[test]
    fn law_whoever_runs_after_a_standstill_does_not_pay_for_it() {
        let mut cpu = Cpu::new(0);
        cpu.restart(Taken::default());
        // In the middle of it, another processor has the accounts brought up to its own time.
        assert_eq!(cpu.account(at(2_000), Taken::default()).taken, Taken::default());
        let told = Taken { all: us(4_000), steal: us(4_000), ..Taken::default() };
        cpu.stood_still(at(0), at(4_000), told);
        assert_eq!(cpu.account(at(4_000), told).taken.steal, us(2_000));
        assert_eq!(cpu.account(at(9_000), told).taken, Taken::default());
        assert_eq!(cpu.steal(), us(4_000));
    }

    #[test]
    fn law_a_standstill_that_is_told_when_its_thread_leaves_is_paid_by_nobody_else() {
        let mut cpu = Cpu::new(0);
        cpu.restart(Taken::default());
        assert_eq!(cpu.account(at(2_000), Taken::default()).taken, Taken::default());
        let told = Taken { all: us(3_000), steal: us(3_000), ..Taken::default() };
        assert_eq!(cpu.account(at(4_000), told).taken.steal, us(2_000), "1 ms lies before");
        assert_eq!(cpu.away.between(at(0), at(4_000)), us(2_000));
        assert_eq!(cpu.account(at(9_000), told).taken, Taken::default());
    }

    #[test]
    fn law_a_standstill_inside_a_softirq_leaves_no_debt() {
        let mut cpu = Cpu::new(0);
        cpu.restart(Taken::default());
        let during = Taken { all: us(4_000), soft: us(4_000), ..Taken::default() };
        assert_eq!(cpu.account(at(4_000), during).taken, during);
        let until = Taken { steal: us(3_000), ..during };
        cpu.stood_still(at(1_000), at(4_000), until);
        assert_eq!(cpu.account(at(4_000), until).taken, Taken::default());
        let told = Taken { all: us(5_000), soft: us(5_000), steal: us(3_000) };
        let after = cpu.account(at(5_000), told).taken;
        assert_eq!(after, Taken { all: us(1_000), soft: us(1_000), ..Taken::default() });
        let later = Taken { all: us(5_100), ..told };
        let after = cpu.account(at(6_000), later).taken;
        assert_eq!(after, Taken { all: us(100), ..Taken::default() });
        assert_eq!(cpu.steal(), us(3_000));
    }
}
