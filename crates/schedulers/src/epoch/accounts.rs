//! What an epoch owes and to whom: needs, slices, and when the critical scheduling period begins
//! (Chrysalis 2.4, 3.2, 3.3).
//!
//! What an epoch owes is the sum, over all processes, of the need that is left or, where a process of a normal
//! queue holds a slice that is longer, of that slice. The critical scheduling period (CSP) begins so long
//! before the epoch's end; what lies before that is uncommitted. Section 3.3 moves that beginning by
//! several rules: it is put off by what a process uses and by what is left of what was lent to it, and brought
//! forward by what is lent to a slice and by what is used beyond slice and need. All of them follow from this sum.
//!
//! Invariant: as long as only processes of normal queues run, each within its slice, what is owed sinks as
//! fast as time passes, and whoever lends looks first. So if the epoch owed no more than its length at its
//! beginning, it never owes more than is left of it, and owes nothing at its end.

use windfall_hierarchy::{Answer, AnswerError, Count};
use windfall_time::{Instant, Ratio, Span};

/// One epoch after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    pub(crate) length: Span,
    /// A slice, or what is left of one, that is shorter is of no use ("a few hundred microseconds").
    pub(crate) useful: Span,
    /// Whether more may be declared than there is.
    pub(crate) overcommit: bool,
    pub(crate) number: u64,
    pub(crate) end: Instant,
    /// The sum of the needs that are left.
    pub(crate) owed: Span,
    /// The sum of what slices hold beyond the needs that are left.
    pub(crate) lent: Span,
    /// Which slices count: those that were allotted since it last changed.
    pub(crate) revision: u64,
    /// The sum of the needs from the next epoch on.
    pub(crate) declared: Span,
    /// The sum of the needs of this epoch, used or not.
    pub(crate) promised: Span,
    /// How much of that is used.
    pub(crate) used: Span,
    /// Over all epochs that have ended.
    pub(crate) past: Parts,
}

/// What time was, as section 2.4 divides it. The parts of an epoch add up to its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Promised, and used by those to whom it was promised.
    pub(crate) committed: Span,
    /// Promised to nobody.
    pub(crate) uncommitted: Span,
    /// Promised, and not used by those to whom it was promised.
    pub(crate) windfall: Span,
}

impl Epoch {
    /// The first one, without any need.
    pub(crate) fn new((length, useful): (Span, Span), overcommit: bool) -> Epoch {
        Epoch {
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

    /// When the critical scheduling period begins, as far as is known; in the past, once it has begun and
    /// somebody had time that was promised to others.
    pub(crate) fn critical(&self) -> Instant {
        let owed = self.owed.saturating_add(self.lent);
        self.end.checked_sub(owed).unwrap_or(Instant::ZERO)
    }

    /// What can be lent at that time.
    pub(crate) fn uncommitted(&self, at: Instant) -> Span {
        let owed = self.owed.saturating_add(self.lent);
        self.end.saturating_since(at).saturating_sub(owed)
    }

    /// The Epoch Scheduler: this epoch has ended, and so many more of which nobody used anything.
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
        let promised = self.promised.min(self.length); // where it is overcommitted, no more than there is
        let add = |sum: &mut Span, part: Span| {
            *sum = sum.saturating_add(part.saturating_mul(times));
        };
        add(&mut self.past.committed, self.used);
        add(&mut self.past.windfall, promised.saturating_sub(self.used));
        add(&mut self.past.uncommitted, self.length.saturating_sub(promised));
    }

    /// Says how it stands: what was in all epochs that have ended, and when the CSP of this one begins.
    pub(crate) fn stats(&self, tell: &mut dyn FnMut(&'static str, Count)) {
        tell("epochs", Count::Times(self.number));
        tell("committed", Count::Time(self.past.committed));
        tell("uncommitted", Count::Time(self.past.uncommitted));
        tell("windfall", Count::Time(self.past.windfall));
        tell("critical-from", Count::At(self.critical()));
    }

    /// How many epochs have ended when `now` has come.
    pub(crate) fn overdue(&self, now: Instant) -> Option<u64> {
        Some(now.since(self.end)?.checked_div(self.length).unwrap_or(0) + 1)
    }

    /// Whether a need of so much in each `period` can be declared by somebody who has declared `before`.
    ///
    /// # Errors
    /// When it is not for each epoch, or more than others leave.
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
            return Err(AnswerError::NoRoom { asked: part(need), left: part(left) });
        }
        Ok(())
    }
}
