//! How much of one processor has been promised, and whether more fits.
//!
//! Invariant: at any time the promises, including pending changes, sum up to at most the whole processor, or the
//! part of it that may be promised, exactly, unless that part has shrunk since. A share that was used ahead of time and then given back can be
//! promised to another child at once, but that child's first period begins only when the share is free. The rest
//! may be *lent* for a period at a time; a promise that needs it begins when those periods have ended.

use crate::parts::budgeted::bandwidth::Bandwidth;
use crate::parts::reservation::Reservation;
use windfall_hierarchy::AnswerError;
use windfall_time::{Instant, Ratio, Span};

/// The promises on one processor.
#[derive(Clone)]
pub(crate) struct Admission {
    /// The amount in each period that may be promised of a whole processor.
    most: (Span, Span),
    /// The amount in each period that may be promised of the processor as it is.
    limit: (Span, Span),
    /// Sum of the promises, including pending changes.
    promised: Bandwidth,
    /// Sum of former promises that have been used ahead of time, and until when they count.
    lingering: (Bandwidth, Instant),
    /// Sum of what is lent, and the end of the last period for which something was lent.
    lent: (Bandwidth, Instant),
}

impl Admission {
    /// No promises on a processor of which this many thousandths may be promised.
    pub(crate) fn new(thousandths: u16) -> Admission {
        let most = (Span::from_nanos(thousandths.into()), Span::from_nanos(1000));
        let nothing = (Bandwidth::default(), Instant::ZERO);
        Admission { most, limit: most, promised: nothing.0, lingering: nothing, lent: nothing }
    }

    /// From now on the processor has this speed, an amount in each period, or is a whole one.
    pub(crate) fn slow_down(&mut self, speed: Option<(Span, Span)>) {
        self.limit = speed.map_or(self.most, |speed| slower(speed, self.most));
    }

    /// Promises `amount` in `period` to a child beside all others, or changes its promise. Returns the time from
    /// which it holds.
    pub(crate) fn admit(
        &mut self,
        slots: &[Option<Reservation>],
        index: usize,
        (amount, period): (Span, Span),
        now: Instant,
    ) -> Result<Instant, AnswerError> {
        if amount.is_zero() || amount > period {
            return Err(AnswerError::OutOfRange {
                what: "amount",
                allowed: "above zero, at most the period",
            });
        }
        let before = share_of(slots[index].as_ref());
        let (wanted, wanted_of) = (Bandwidth::of(amount, period), (amount, period));
        let promised = self.promised.minus(before).plus(wanted);
        let fits = promised.fits(self.limit());
        if !fits.unwrap_or_else(|| exactly_fits(self.whole(), slots, index, wanted_of)) {
            return Err(AnswerError::NoRoom {
                requested: amount.over(period).unwrap_or(Ratio::ZERO),
                left: self.left_beside(slots, index),
            });
        }
        self.promised = promised;
        let until = match wanted.fits_within(before) {
            true => now,
            false => self.free_from(now),
        };
        Ok(until)
    }

    /// The time from which all promises have room beside former promises and loans that still count.
    fn free_from(&self, now: Instant) -> Instant {
        let (lingering, until) = self.lingering;
        let lingering = if until > now { lingering } else { Bandwidth::default() };
        let fits = |taken: Bandwidth| self.promised.plus(taken).fits(self.limit()) == Some(true);
        let (lent, ends) = self.lent;
        match (fits(lingering.plus(lent)), fits(lingering), fits(lent)) {
            (true, ..) => now,
            (_, true, _) => ends.max(now),
            (_, _, true) => until.max(now),
            _ => until.max(ends).max(now),
        }
    }

    /// Lends as much of `wanted` in each `period` as is left, for a period that ends at `end`. Returns the amount.
    pub(crate) fn lend(
        &mut self,
        (wanted, period): (Span, Span),
        end: Instant,
        now: Instant,
    ) -> Span {
        let (lingering, until) = self.lingering;
        let lingering = if until > now { lingering } else { Bandwidth::default() };
        let taken = self.promised.plus(lingering).plus(self.lent.0);
        let extra = wanted.min(taken.room(self.limit(), period));
        if !extra.is_zero() {
            self.lent = (self.lent.0.plus(Bandwidth::of(extra, period)), self.lent.1.max(end));
        }
        extra
    }

    /// Takes a loan back at the end of its period.
    pub(crate) fn give_back(&mut self, (extra, period): (Span, Span)) {
        self.lent.0 = self.lent.0.minus(Bandwidth::of(extra, period));
    }

    /// Whether the loans sum up to these.
    pub(crate) fn has_lent(&self, extra: impl Iterator<Item = (Span, Span)>) -> bool {
        let add = |sum: Bandwidth, (extra, period)| sum.plus(Bandwidth::of(extra, period));
        extra.fold(Bandwidth::default(), add) == self.lent.0
    }

    fn limit(&self) -> Bandwidth {
        Bandwidth::of(self.limit.0, self.limit.1)
    }

    fn whole(&self) -> Ratio {
        self.limit.0.over(self.limit.1).unwrap_or(Ratio::ONE)
    }

    /// A promise has become smaller, or has ended; the difference has been used ahead until `until`.
    pub(crate) fn shrink(&mut self, from: Bandwidth, to: Bandwidth, until: Instant, now: Instant) {
        if until <= now || !to.fits_within(from) {
            return;
        }
        if self.lingering.1 <= now {
            self.lingering = (Bandwidth::default(), now);
        }
        let (former, longest) = self.lingering;
        self.lingering = (former.plus(from.minus(to)), longest.max(until));
    }

    /// A promise ends.
    pub(crate) fn end(&mut self, share: Bandwidth) {
        self.promised = self.promised.minus(share);
    }

    /// Whether the promises sum up to these.
    pub(crate) fn is_sum(&self, slots: &[Option<Reservation>]) -> bool {
        let add = |sum: Bandwidth, slot: &Option<Reservation>| sum.plus(share_of(slot.as_ref()));
        slots.iter().fold(Bandwidth::default(), add) == self.promised
    }

    fn left_beside(&self, slots: &[Option<Reservation>], index: usize) -> Ratio {
        let exact = exact_beside(slots, index);
        let left = exact.and_then(|others| self.whole().checked_sub(others));
        let left = left.map(|left| left.max(Ratio::ZERO));
        left.unwrap_or_else(|| {
            self.promised.minus(share_of(slots[index].as_ref())).left(self.limit())
        })
    }
}

/// The slower of two speeds.
pub(crate) fn slower(one: (Span, Span), other: (Span, Span)) -> (Span, Span) {
    let times =
        |amount: Span, period: Span| u128::from(amount.as_nanos()) * u128::from(period.as_nanos());
    if times(one.0, other.1) <= times(other.0, one.1) { one } else { other }
}

/// A child's promise, after a pending change.
pub(crate) fn share_of(slot: Option<&Reservation>) -> Bandwidth {
    let (amount, period) = target(slot);
    Bandwidth::of(amount, period)
}

fn target(slot: Option<&Reservation>) -> (Span, Span) {
    slot.map_or((Span::ZERO, Span::MAX), |slot| match slot.change {
        Some((amount, period, _)) => (amount, period),
        None => (slot.amount, slot.period),
    })
}

/// The exact sum of the promises to all other children; `None` if no fraction of 128 bits holds it. Computed only
/// for refusals, and for sums that are closer to the limit than their bounds.
fn exact_beside(slots: &[Option<Reservation>], index: usize) -> Option<Ratio> {
    let mut sum = Ratio::ZERO;
    for (_, slot) in slots.iter().enumerate().filter(|(n, slot)| *n != index && slot.is_some()) {
        let (amount, period) = target(slot.as_ref());
        sum = sum.checked_add(amount.over(period)?)?;
    }
    Some(sum)
}

fn exactly_fits(
    whole: Ratio,
    slots: &[Option<Reservation>],
    index: usize,
    (amount, period): (Span, Span),
) -> bool {
    let others = exact_beside(slots, index);
    let sum = others.and_then(|others| others.checked_add(amount.over(period)?));
    sum.is_some_and(|sum| sum <= whole)
}
