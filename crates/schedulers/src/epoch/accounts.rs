//! The debts of an epoch to its processes: needs, slices, and the start of the critical scheduling period (Chrysalis 2.4,
//! 3.2, 3.3).
//!
//! For each process the epoch owes what is left of its need or, if the process is in a normal queue and holds a
//! longer slice, that slice. The critical scheduling period (CSP) begins before the epoch's end by the sum of these
//! amounts; the time before it is uncommitted. Section 3.3 moves the start of the CSP by several rules: it is put
//! off by the time a process uses and by what is left of the time lent to it, and brought forward by what is lent
//! to a slice and by time used beyond slice and need. All these rules follow from this sum.
//!
//! Invariant: as long as only processes of normal queues run, each within its slice, the sum falls as fast as time
//! passes, and lending is limited by the uncommitted time. So if an epoch owes at most its length at its beginning,
//! it never owes more than the time left, and owes nothing at its end.

use windfall_hierarchy::{Answer, AnswerError, Count};
use windfall_time::{Instant, Ratio, Span};

/// The current epoch and the sums over all processes.
// Fields: the scheduling period's settings and the sums that one invariant joins (`check` of the scheduler).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accounts {
    pub(crate) length: Span,
    /// A slice, or the rest of one, below this length is of no use ("a few hundred microseconds").
    pub(crate) useful: Span,
    /// Whether needs may add up to more than the epoch.
    pub(crate) overcommit: bool,
    pub(crate) number: u64,
    pub(crate) end: Instant,
    /// Sum of what is left of the needs.
    pub(crate) owed: Span,
    /// Sum of what slices hold beyond what is left of the needs.
    pub(crate) lent: Span,
    /// Only slices count that were allotted since this number last changed.
    pub(crate) revision: u64,
    /// Sum of the needs from the next epoch on.
    pub(crate) declared: Span,
    /// Sum of the needs of this epoch, used or not.
    pub(crate) promised: Span,
    /// The part of `promised` that has been used.
    pub(crate) used: Span,
    /// Sums over all epochs that have ended.
    pub(crate) past: Parts,
}

/// The parts into which section 2.4 divides an epoch. They add up to its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Promised time that its owners used.
    pub(crate) committed: Span,
    /// Time that was promised to nobody.
    pub(crate) uncommitted: Span,
    /// Promised time that its owners did not use.
    pub(crate) windfall: Span,
}

impl Accounts {
    /// The first epoch, without needs.
    pub(crate) fn new((length, useful): (Span, Span), overcommit: bool) -> Accounts {
        Accounts {
            length,
            useful,
            overcommit,
            number: 0,
            end: Instant::ZERO.saturating_add(length),
            owed: Span::ZERO,
            lent: Span::ZERO,
            revision: 0,
            declared: Span::ZERO,
            promised: Span::ZERO,
            used: Span::ZERO,
            past: Parts::default(),
        }
    }

    /// The start of the critical scheduling period, as far as it is known. In the past if it has begun and some
    /// process received time that was promised to others.
    pub(crate) fn critical(&self) -> Instant {
        let owed = self.owed.saturating_add(self.lent);
        self.end.checked_sub(owed).unwrap_or(Instant::ZERO)
    }

    /// The time that can be lent at `at`.
    pub(crate) fn uncommitted(&self, at: Instant) -> Span {
        let owed = self.owed.saturating_add(self.lent);
        self.end.saturating_since(at).saturating_sub(owed)
    }

    /// Ends this epoch, and `idle` further ones in which nothing was used (the "Epoch Scheduler" of Chrysalis).
    pub(crate) fn close(&mut self, idle: u64) {
        self.close_one(1);
        (self.promised, self.used) = (self.declared, Span::ZERO);
        self.close_one(idle);
        (self.owed, self.lent) = (self.declared, Span::ZERO);
        self.number += idle + 1;
        self.revision += 1;
        let ahead = self.length.saturating_mul(idle + 1);
        self.end = self.end.saturating_add(ahead);
    }

    fn close_one(&mut self, times: u64) {
        let promised = self.promised.min(self.length); // an overcommitted epoch promises at most its length
        let add = |sum: &mut Span, part: Span| {
            *sum = sum.saturating_add(part.saturating_mul(times));
        };
        add(&mut self.past.committed, self.used);
        add(&mut self.past.windfall, promised.saturating_sub(self.used));
        add(&mut self.past.uncommitted, self.length.saturating_sub(promised));
    }

    /// Reports the settings, the needs declared, the parts of all epochs that have ended, and the start of this epoch's CSP.
    pub(crate) fn stats(&self, report: &mut dyn FnMut(&'static str, Count)) {
        report("epoch", Count::Time(self.length));
        report("useful", Count::Time(self.useful));
        report("declared", Count::Time(self.declared));
        report("epochs", Count::Times(self.number));
        report("committed", Count::Time(self.past.committed));
        report("uncommitted", Count::Time(self.past.uncommitted));
        report("windfall", Count::Time(self.past.windfall));
        report("critical-from", Count::At(self.critical()));
    }

    /// Number of epochs that have ended by `now`; `None` if this one has not.
    pub(crate) fn overdue(&self, now: Instant) -> Option<u64> {
        Some(now.since(self.end)?.checked_div(self.length).unwrap_or(0) + 1)
    }

    /// Checks whether a process whose present need is `before` may declare `need` for each `period`.
    ///
    /// # Errors
    /// When the period is not the epoch, or the other needs leave less.
    pub(crate) fn admit(&self, need: Span, period: Span, before: Span) -> Answer {
        if period != self.length {
            let allowed = "the epoch of the scheduler, in which each child has its need";
            return Err(AnswerError::OutOfRange { what: "period", allowed });
        }
        if need.is_zero() || need > period {
            let allowed = "above zero, at most the epoch";
            return Err(AnswerError::OutOfRange { what: "need", allowed });
        }
        let left = period.saturating_sub(self.declared.saturating_sub(before));
        if need > left && !self.overcommit {
            let part = |span: Span| span.over(period).unwrap_or(Ratio::ZERO);
            return Err(AnswerError::NoRoom { requested: part(need), left: part(left) });
        }
        Ok(())
    }
}
