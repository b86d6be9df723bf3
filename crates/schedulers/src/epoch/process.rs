//! What a child is to the epoch: its need, its slice, its queue, and what it has had (Chrysalis 2.4, 3.2, 3.3).
//!
//! A child is looked at only when something is to be done about it. Need and queue are of the epoch in which
//! it has last been looked at, and what has become of them since follows from that: at the end of each epoch
//! every need is renewed, and every child returns to its normal queue.
//! Invariant: whatever changes here about what is left of a need, or about what a slice holds beyond it,
//! changes in the epoch's sums as well.

use crate::epoch::accounts::Epoch;
use windfall_hierarchy::Count;
use windfall_time::{Instant, Span};

/// What a child is to the epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    /// 0 to 3.
    pub(crate) priority: u8,
    /// Whether it was moved to its low queue in the epoch that it has last been seen in.
    low: bool,
    /// What it needs in each epoch from the next one on.
    pub(crate) declared: Span,
    /// How much of its need is left in the epoch that it has last been seen in.
    left: Span,
    /// Its time slice, if it has one of its own.
    pub(crate) slice: Option<Span>,
    /// TEOCS, the time to the end of its current slice.
    pub(crate) rest: Span,
    /// In which epoch it has last been seen.
    seen: u64,
    /// At which revision its slice was allotted.
    revision: u64,
    /// Processor time that it had.
    pub(crate) ran: Span,
    /// How often it was scheduled to run.
    pub(crate) scheduled: u64,
    /// Need that it left unused in the epochs before.
    given: Span,
    /// Time that it ran from a low queue.
    pub(crate) taken: Span,
}

/// One that has told nothing: an ordinary process without a need.
pub(crate) const UNKNOWN: Process = Process {
    priority: 1,
    low: false,
    declared: Span::ZERO,
    left: Span::ZERO,
    slice: None,
    rest: Span::ZERO,
    seen: 0,
    revision: 0,
    ran: Span::ZERO,
    scheduled: 0,
    given: Span::ZERO,
    taken: Span::ZERO,
};

impl Process {
    /// Whether it is on its low queue: at the end of each epoch all return.
    pub(crate) const fn is_low(&self, epoch: &Epoch) -> bool {
        self.low && self.seen == epoch.number
    }

    /// The need that is left in this epoch.
    pub(crate) const fn left(&self, epoch: &Epoch) -> Span {
        if self.seen == epoch.number { self.left } else { self.declared }
    }

    /// Need that it left unused in all epochs that have ended. What is past is lost.
    pub(crate) fn given(&self, epoch: &Epoch) -> Span {
        match epoch.number.saturating_sub(self.seen) {
            0 => self.given,
            missed => {
                let whole = self.declared.saturating_mul(missed - 1);
                self.given.saturating_add(self.left).saturating_add(whole)
            }
        }
    }

    /// What its slice holds beyond the need that is left.
    pub(crate) fn lent(&self, epoch: &Epoch) -> Span {
        match self.revision == epoch.revision && !self.is_low(epoch) {
            true => self.rest.saturating_sub(self.left),
            false => Span::ZERO,
        }
    }

    /// Whether it has a slice that is of this epoch, and as long as it may be.
    pub(crate) const fn is_allotted(&self, epoch: &Epoch) -> bool {
        !self.rest.is_zero() && self.is_current(epoch)
    }

    /// Whether what is said of its slice is of this epoch.
    const fn is_current(&self, epoch: &Epoch) -> bool {
        self.revision == epoch.revision || self.is_low(epoch)
    }

    /// Its slice ends, if it has used it up, or all but a rest that is of no use. Whether it has.
    pub(crate) fn ends_slice(&mut self, epoch: &mut Epoch) -> bool {
        let ends = self.is_current(epoch) && self.rest < epoch.useful;
        if ends {
            self.give_back(epoch);
        }
        ends
    }

    /// Says what it has had: in all, and beside its need.
    pub(crate) fn stats(&self, epoch: &Epoch, tell: &mut dyn FnMut(&'static str, Count)) {
        tell("ran", Count::Time(self.ran));
        tell("scheduled", Count::Times(self.scheduled));
        tell("windfall-given", Count::Time(self.given(epoch)));
        tell("windfall-taken", Count::Time(self.taken));
    }

    /// The need is renewed where an epoch has begun, and the process is on its normal queue.
    /// Whether one has.
    pub(crate) fn renew(&mut self, epoch: &Epoch) -> bool {
        if self.seen == epoch.number {
            return false;
        }
        self.given = self.given(epoch);
        (self.left, self.low, self.seen) = (self.declared, false, epoch.number);
        true
    }

    /// It has run so long since it was last charged.
    pub(crate) fn charge(&mut self, time: Span, epoch: &mut Epoch) {
        self.ran = self.ran.saturating_add(time);
        if self.is_low(epoch) {
            self.taken = self.taken.saturating_add(time);
            self.rest = self.rest.saturating_sub(time);
            return;
        }
        let lent = self.lent(epoch);
        let needed = time.min(self.left);
        self.left = self.left.saturating_sub(needed);
        self.rest = self.rest.saturating_sub(time);
        epoch.owed = epoch.owed.saturating_sub(needed);
        epoch.used = epoch.used.saturating_add(needed);
        epoch.lent = epoch.lent.saturating_sub(lent).saturating_add(self.lent(epoch));
    }

    /// Gives back what was lent to its slice.
    pub(crate) fn give_back(&mut self, epoch: &mut Epoch) {
        epoch.lent = epoch.lent.saturating_sub(self.lent(epoch));
        self.rest = Span::ZERO;
    }

    /// Allots a slice, or what is left of one that began in the last epoch, as far as its need and what is
    /// uncommitted allow. It goes to its low queue, with a full slice, when its need is satisfied and too
    /// little is uncommitted to be useful. Whether it goes there.
    pub(crate) fn allot(&mut self, slice: Span, at: Instant, epoch: &mut Epoch) -> bool {
        let wish = if self.rest < epoch.useful { slice } else { self.rest };
        self.give_back(epoch);
        self.revision = epoch.revision;
        if self.is_low(epoch) {
            self.rest = slice;
            return false;
        }
        let rest = wish.min(self.left.saturating_add(epoch.uncommitted(at)));
        if self.left.is_zero() && rest < epoch.useful {
            (self.low, self.rest) = (true, slice);
            return true;
        }
        self.rest = rest;
        epoch.lent = epoch.lent.saturating_add(self.lent(epoch));
        false
    }

    /// It needs so much in each epoch from the next one on, and no more than that in this one; where it needed
    /// nothing in this one, what is left of the need when the time that has passed is taken off. A need that begins so
    /// leaves it no longer without time than one that was there before. Slices that hold too much for that count
    /// no longer.
    pub(crate) fn declare(&mut self, need: Span, now: Instant, epoch: &mut Epoch) {
        self.renew(epoch);
        let begins = self.declared.is_zero() && self.left.is_zero();
        if need < self.left {
            // Others may be promised the difference from now on.
            self.give_back(epoch);
            let less = self.left.saturating_sub(need);
            self.left = need;
            epoch.owed = epoch.owed.saturating_sub(less);
            epoch.promised = epoch.promised.saturating_sub(less);
        }
        epoch.declared = epoch.declared.saturating_sub(self.declared).saturating_add(need);
        self.declared = need;
        if !begins {
            return;
        }
        let rest = epoch.end.saturating_since(now);
        let passed = epoch.length.saturating_sub(rest);
        let free = if epoch.overcommit { need } else { rest.saturating_sub(epoch.owed) };
        let part = need.saturating_sub(passed).min(free);
        if part.is_zero() {
            return;
        }
        self.give_back(epoch);
        (self.left, self.low) = (part, false);
        epoch.owed = epoch.owed.saturating_add(part);
        epoch.promised = epoch.promised.saturating_add(part);
        if epoch.owed.saturating_add(epoch.lent) > rest {
            epoch.revision += 1;
            epoch.lent = Span::ZERO;
        }
    }

    /// It goes, and with it its need: what is left of that is promised to nobody any longer.
    pub(crate) fn leave(&mut self, epoch: &mut Epoch) {
        self.renew(epoch);
        self.give_back(epoch);
        epoch.declared = epoch.declared.saturating_sub(self.declared);
        epoch.owed = epoch.owed.saturating_sub(self.left);
        epoch.promised = epoch.promised.saturating_sub(self.left);
        *self = UNKNOWN;
    }
}
