//! One supervised processor, and the accounts of its time, to the nanosecond.

use crate::account::unavailable::Unavailable;
use std::collections::VecDeque;
use windfall_host::{Column, Passed};
use windfall_observe::rings::Taken;
use windfall_scenario::outcome::Use;
use windfall_time::{Instant, Span};

/// A standstill longer than this counts as time in which the processor was unavailable.
const STANDSTILL: Span = Span::from_nanos(100_000);

/// The occupant of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Running {
    /// A supervised thread.
    Member(u32),
    /// A fence, the event loop, or another thread of ours that serves the run.
    Supervisor,
    /// Another thread of the system, or none.
    Other,
}

/// One supervised processor.
// Fields: the thread chosen for it, its occupant, and its accounts up to an instant; booking a stretch needs all three.
pub(crate) struct Cpu {
    /// Its number in the machine.
    pub(crate) number: u16,
    /// The thread that the hierarchy has chosen, and the thread that has been raised here.
    pub(crate) desired: Option<u32>,
    pub(crate) actual: Option<u32>,
    /// Whether the hierarchy has decided again since the last switch.
    pub(crate) dirty: bool,
    /// Since when the hierarchy has granted it to a thread without a break.
    pub(crate) granted: Option<Instant>,
    pub(crate) occupant: Running,
    /// A thread that is on its way into the freezer, and until when its time counts as ours.
    pub(crate) freezing: Option<(u32, Instant)>,
    since: Instant,
    /// Time taken since kernel events were first read, as far as it has been accounted for.
    stolen: Taken,
    /// The part of `stolen` in which it stood still before the run began.
    steal_before: Span,
    /// Stretches that were accounted for, and not yet booked by the host.
    pub(crate) pieces: VecDeque<Passed>,
    /// When it was unavailable to us.
    pub(crate) away: Unavailable,
}

impl Cpu {
    pub(crate) fn new(number: u16) -> Cpu {
        Cpu {
            number,
            desired: None,
            actual: None,
            dirty: false,
            granted: None,
            occupant: Running::Other,
            freezing: None,
            since: Instant::ZERO,
            stolen: Taken::default(),
            steal_before: Span::ZERO,
            pieces: VecDeque::with_capacity(64),
            away: Unavailable::default(),
        }
    }

    /// Starts all accounts anew, with the clock.
    pub(crate) fn restart(&mut self, stolen: Taken) {
        let steal_before = stolen.steal;
        *self = Cpu { stolen, steal_before, ..Cpu::new(self.number) };
    }

    /// Accounts for the time up to `now`, and returns what was taken of it. `total` is what was taken until `now` since kernel
    /// events were first read.
    pub(crate) fn account(&mut self, now: Instant, total: Taken) -> Taken {
        let from = self.since;
        let passed = now.saturating_since(from);
        self.since = from.max(now);
        // A standstill is reported at its end at the latest. What exceeds this stretch lies in time that is accounted for already.
        let before = total.steal.saturating_sub(self.stolen.steal).saturating_sub(passed);
        self.stolen.steal += before;
        self.stolen.all += before;
        // What is reported late counts later.
        let all = total.all.saturating_sub(self.stolen.all).min(passed);
        let steal = total.steal.saturating_sub(self.stolen.steal).min(all);
        let soft = total.soft.saturating_sub(self.stolen.soft).min(all - steal);
        self.stolen.all += all;
        // The part that is still to be charged is at most the whole that is.
        let owed = total.all.saturating_sub(self.stolen.all);
        let seen = |before: Span, part, of: Span| (before + part).max(of.saturating_sub(owed));
        self.stolen.steal = seen(self.stolen.steal, steal, total.steal);
        self.stolen.soft = seen(self.stolen.soft, soft, total.soft);
        if steal > STANDSTILL {
            self.away.add(now - steal, now);
        }
        self.put_down(from, (passed - all, all));
        Taken { all, soft, steal }
    }

    /// Books a stretch of `span` from an instant on, followed by `stolen`.
    fn put_down(&mut self, from: Instant, (span, stolen): (Span, Span)) {
        let (owner, until) = (self.actual, from + span);
        let none = (None, None, Use::Own);
        match self.occupant {
            Running::Member(number) if owner == Some(number) => {
                self.put((from, span), (owner, owner, Use::Own), Column::Received);
            }
            Running::Member(number) => {
                self.put((from, span), (Some(number), owner, Use::Overhead), Column::Leaked);
            }
            // A thread that outranks a granted one takes its time, too.
            Running::Other if owner.is_some() => {
                self.away.add(from, self.since);
                self.put((from, span), (None, owner, Use::Stolen), Column::Idle);
            }
            occupant => {
                let column = match occupant {
                    Running::Supervisor => Column::Scheduling,
                    _ => Column::Idle,
                };
                // A thread is granted the processor and does not run yet: the supervisor decides, or is about to switch.
                let since = self.granted.map_or(until, |granted| granted.clamp(from, until));
                self.put((from, since - from), none, column);
                self.put((since, until - since), (None, owner, Use::Overhead), column);
            }
        }
        // Where within the stretch the time was stolen is not known, and matters little.
        self.put((until, stolen), (None, owner, Use::Stolen), Column::Stolen);
    }

    fn put(
        &mut self,
        (from, span): (Instant, Span),
        (thread, owner, by): (Option<u32>, Option<u32>, Use),
        column: Column,
    ) {
        let passed = Passed { from, span, thread, owner, by, column };
        match self.pieces.back_mut() {
            _ if span.is_zero() => {}
            Some(last) if last.is_followed_by(&passed) => last.span += span,
            _ => self.pieces.push_back(passed),
        }
    }

    /// The instant up to which its time has been accounted for.
    pub(crate) const fn since(&self) -> Instant {
        self.since
    }

    /// Whether more was taken than has been accounted for.
    pub(crate) fn misses(&self, total: Taken) -> bool {
        total.all > self.stolen.all
    }

    /// Discards the occupant, which is unknown because events were lost.
    pub(crate) const fn forget(&mut self) {
        self.occupant = Running::Other;
        self.freezing = None;
    }

    /// Notes that it stood still from `since` to `now`, which is reported at the end; `total` is what was taken until `now`. The part
    /// that lies before the run, or in time that is accounted for, is charged to no later thread.
    pub(crate) fn stood_still(&mut self, since: Instant, now: Instant, total: Taken) {
        self.away.add(since, now);
        let room = |from: Instant| now.saturating_since(from.max(self.since));
        let (all, steal) = (room(self.since), room(since));
        self.stolen.all = self.stolen.all.max(total.all.saturating_sub(all));
        self.stolen.steal = self.stolen.steal.max(total.steal.saturating_sub(steal));
    }

    /// For how long it stood still in all, as far as reported.
    pub(crate) fn steal(&self) -> Span {
        self.stolen.steal.saturating_sub(self.steal_before)
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
            assert_eq!(passed, expected);
            told.all += passed.all;
            told.soft += passed.soft;
            told.steal += passed.steal;
        }
        assert_eq!(told, taken(19, 6, 6));
        assert_eq!(cpu.steal(), us(6));
        let sum = |column| {
            let its = cpu.pieces.iter().filter(|passed| passed.column == column);
            its.fold(Span::ZERO, |sum, passed| sum + passed.span)
        };
        assert_eq!(sum(Column::Stolen), told.all);
        assert_eq!(sum(Column::Idle), us(40) - told.all);
    }

    #[test]
    fn law_whoever_runs_after_a_standstill_does_not_pay_for_it() {
        let mut cpu = Cpu::new(0);
        cpu.restart(Taken::default());
        // During the standstill, another processor has the accounts brought up to its own time.
        assert_eq!(cpu.account(at(2_000), Taken::default()), Taken::default());
        let told = Taken { all: us(4_000), steal: us(4_000), ..Taken::default() };
        cpu.stood_still(at(0), at(4_000), told);
        assert_eq!(cpu.account(at(4_000), told).steal, us(2_000));
        assert_eq!(cpu.account(at(9_000), told), Taken::default());
        assert_eq!(cpu.steal(), us(4_000));
    }

    #[test]
    fn law_a_standstill_that_is_told_when_its_thread_leaves_is_paid_by_nobody_else() {
        let mut cpu = Cpu::new(0);
        cpu.restart(Taken::default());
        assert_eq!(cpu.account(at(2_000), Taken::default()), Taken::default());
        let told = Taken { all: us(3_000), steal: us(3_000), ..Taken::default() };
        assert_eq!(cpu.account(at(4_000), told).steal, us(2_000), "1 ms lies before");
        assert_eq!(cpu.away.between(at(0), at(4_000)), us(2_000));
        assert_eq!(cpu.account(at(9_000), told), Taken::default());
    }

    #[test]
    fn law_a_standstill_inside_a_softirq_leaves_no_debt() {
        let mut cpu = Cpu::new(0);
        cpu.restart(Taken::default());
        let during = Taken { all: us(4_000), soft: us(4_000), ..Taken::default() };
        assert_eq!(cpu.account(at(4_000), during), during);
        let until = Taken { steal: us(3_000), ..during };
        cpu.stood_still(at(1_000), at(4_000), until);
        assert_eq!(cpu.account(at(4_000), until), Taken::default());
        let told = Taken { all: us(5_000), soft: us(5_000), steal: us(3_000) };
        let after = cpu.account(at(5_000), told);
        assert_eq!(after, Taken { all: us(1_000), soft: us(1_000), ..Taken::default() });
        let later = Taken { all: us(5_100), ..told };
        let after = cpu.account(at(6_000), later);
        assert_eq!(after, Taken { all: us(100), ..Taken::default() });
        assert_eq!(cpu.steal(), us(3_000));
    }
}
