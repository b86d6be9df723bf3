//! The epoch scheduler's data about a child: its need, its slice, its queue, and the time it has received
//! (Chrysalis 2.4, 3.2, 3.3).
//!
//! A child is updated only when it is next looked at. Need and queue are stored as of the epoch in which it was
//! last seen. Their current values follow from that: at the end of each epoch every need is renewed, and every
//! child returns to its normal queue. Invariant: any change here to what is left of a need, or to what a slice
//! holds beyond it, also changes the sums of `Accounts`.

use crate::epoch::accounts::Accounts;
use windfall_hierarchy::Count;
use windfall_time::{Instant, Span};

/// A child and its account in the epoch.
// Fields: one row of the table of processes, copied as a whole to foresee how it goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    /// From 0 to 3.
    pub(crate) priority: u8,
    /// Whether it was moved to its low queue in the epoch in which it was last seen.
    low: bool,
    /// Its need in each epoch from the next one on.
    pub(crate) declared: Span,
    /// The rest of its need in the epoch in which it was last seen.
    left: Span,
    /// The length of its slices, if it has set one.
    pub(crate) slice: Option<Span>,
    /// TEOCS, the time to the end of its current slice.
    pub(crate) rest: Span,
    /// Number of the epoch in which it was last seen.
    seen: u64,
    /// The epoch's revision when its slice was allotted.
    revision: u64,
    /// Processor time that it has received.
    pub(crate) ran: Span,
    /// Number of times that it was scheduled to run.
    pub(crate) scheduled: u64,
    /// Need that it left unused in earlier epochs.
    given: Span,
    /// Time that it ran from a low queue.
    pub(crate) taken: Span,
}

/// A child without parameters: an ordinary process without a need.
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
    /// Whether it is in its low queue. At the end of each epoch all processes leave their low queues.
    pub(crate) const fn is_low(&self, epoch: &Accounts) -> bool {
        self.low && self.seen == epoch.number
    }

    /// The rest of its need in this epoch.
    pub(crate) const fn left(&self, epoch: &Accounts) -> Span {
        if self.seen == epoch.number { self.left } else { self.declared }
    }

    /// Need that it left unused in all epochs that have ended. It is not carried over.
    pub(crate) fn given(&self, epoch: &Accounts) -> Span {
        match epoch.number.saturating_sub(self.seen) {
            0 => self.given,
            missed => {
                let whole = self.declared.saturating_mul(missed - 1);
                self.given.saturating_add(self.left).saturating_add(whole)
            }
        }
    }

    /// The part of its slice beyond what is left of its need.
    pub(crate) fn lent(&self, epoch: &Accounts) -> Span {
        match self.revision == epoch.revision && !self.is_low(epoch) {
            true => self.rest.saturating_sub(self.left),
            false => Span::ZERO,
        }
    }

    /// Whether its slice was allotted in this epoch and is still as long as it may be.
    pub(crate) const fn is_allotted(&self, epoch: &Accounts) -> bool {
        !self.rest.is_zero() && self.is_current(epoch)
    }

    /// Whether its stored slice belongs to this epoch's revision.
    const fn is_current(&self, epoch: &Accounts) -> bool {
        self.revision == epoch.revision || self.is_low(epoch)
    }

    /// Ends its slice if less than a useful time is left of it. Returns whether it ended.
    pub(crate) fn ends_slice(&mut self, epoch: &mut Accounts) -> bool {
        let ends = self.is_current(epoch) && self.rest < epoch.useful;
        if ends {
            self.give_back(epoch);
        }
        ends
    }

    /// Reports its parameters, the time that it received, in all and from a low queue, and the need that it left unused. `slice` is the scheduler's.
    pub(crate) fn stats(
        &self,
        epoch: &Accounts,
        slice: Span,
        report: &mut dyn FnMut(&'static str, Count),
    ) {
        report("need", Count::Time(self.declared));
        report("slice", Count::Time(self.slice.unwrap_or(slice)));
        report("priority", Count::Times(self.priority.into()));
        report("ran", Count::Time(self.ran));
        report("scheduled", Count::Times(self.scheduled));
        report("windfall-given", Count::Time(self.given(epoch)));
        report("windfall-taken", Count::Time(self.taken));
    }

    /// Renews the need if an epoch has begun since, and moves the process to its normal queue. Returns whether one
    /// has begun.
    pub(crate) fn renew(&mut self, epoch: &Accounts) -> bool {
        if self.seen == epoch.number {
            return false;
        }
        self.given = self.given(epoch);
        (self.left, self.low, self.seen) = (self.declared, false, epoch.number);
        true
    }

    /// Charges `time`, in which it ran.
    pub(crate) fn charge(&mut self, time: Span, epoch: &mut Accounts) {
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

    /// Gives back the uncommitted time that was lent to its slice.
    pub(crate) fn give_back(&mut self, epoch: &mut Accounts) {
        epoch.lent = epoch.lent.saturating_sub(self.lent(epoch));
        self.rest = Span::ZERO;
    }

    /// Allots a slice, or the rest of one that began in the last epoch, as far as its need and the uncommitted time
    /// allow. If its need is satisfied and the uncommitted time is too short to be useful, the process gets a full
    /// slice in its low queue. Returns whether it moved there.
    pub(crate) fn allot(&mut self, slice: Span, at: Instant, epoch: &mut Accounts) -> bool {
        let wanted = if self.rest < epoch.useful { slice } else { self.rest };
        self.give_back(epoch);
        self.revision = epoch.revision;
        if self.is_low(epoch) {
            self.rest = slice;
            return false;
        }
        let rest = wanted.min(self.left.saturating_add(epoch.uncommitted(at)));
        if self.left.is_zero() && rest < epoch.useful {
            (self.low, self.rest) = (true, slice);
            return true;
        }
        self.rest = rest;
        epoch.lent = epoch.lent.saturating_add(self.lent(epoch));
        false
    }

    /// Declares a need for each epoch from the next one on. In this epoch the need only shrinks to that amount. A
    /// process without a need in this epoch gets the new need less the time that has passed of the epoch, so that a
    /// process whose need begins waits no longer for its time than one whose need existed before. Slices that hold
    /// too much for this stop counting.
    pub(crate) fn declare(&mut self, need: Span, now: Instant, epoch: &mut Accounts) {
        self.renew(epoch);
        let begins = self.declared.is_zero() && self.left.is_zero();
        if need < self.left {
            // The difference may be promised to others from now on.
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

    /// Ends the process. The rest of its need is promised to nobody any longer.
    pub(crate) fn leave(&mut self, epoch: &mut Accounts) {
        self.renew(epoch);
        self.give_back(epoch);
        epoch.declared = epoch.declared.saturating_sub(self.declared);
        epoch.owed = epoch.owed.saturating_sub(self.left);
        epoch.promised = epoch.promised.saturating_sub(self.left);
        *self = UNKNOWN;
    }
}
