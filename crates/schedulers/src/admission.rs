//! How much of one processor has been promised, and whether more fits.
//!
//! Invariant: what is promised at any time, changes that are to come included, is at most the whole
//! processor, exactly. A share that was used ahead of time and then given back is promised to
//! another at once, but the other's first period begins only when it is free.

use crate::bandwidth::Bandwidth;
use crate::reservation::Reservation;
use windfall_hierarchy::Refusal;
use windfall_time::{Instant, Ratio, Span};

/// What is promised on one processor.
#[derive(Default)]
pub(crate) struct Admission {
    /// What is promised, changes that are to come included.
    promised: Bandwidth,
    /// What was promised until lately and has been used ahead of time, until when.
    lingering: (Bandwidth, Instant),
}

impl Admission {
    /// Promises `amount` in `period` to one, beside all the others, or changes what it had. From
    /// when on it holds.
    pub(crate) fn admit(
        &mut self,
        slots: &[Option<Reservation>],
        index: usize,
        (amount, period): (Span, Span),
        now: Instant,
    ) -> Result<Instant, Refusal> {
        if amount.is_zero() || amount > period {
            return Err(Refusal::OutOfRange {
                what: "amount",
                allowed: "above zero, at most the period",
            });
        }
        let before = share_of(slots[index].as_ref());
        let wanted = Bandwidth::of(amount, period);
        let promised = self.promised.minus(before).plus(wanted);
        let fits = promised.fits();
        if !fits.unwrap_or_else(|| exactly_fits(slots, index, amount, period)) {
            return Err(Refusal::NoRoom {
                asked: amount.over(period).unwrap_or(Ratio::ZERO),
                left: self.left_beside(slots, index),
            });
        }
        self.promised = promised;
        let (lingering, until) = self.lingering;
        let crowded = until > now && promised.plus(lingering).fits() != Some(true);
        Ok(if crowded && !wanted.fits_within(before) { until } else { now })
    }

    /// A promise has become smaller, or has ended; what is over has been used until `until`.
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

    /// Whether it is the sum of these.
    pub(crate) fn is_sum(&self, slots: &[Option<Reservation>]) -> bool {
        let add = |sum: Bandwidth, slot: &Option<Reservation>| sum.plus(share_of(slot.as_ref()));
        slots.iter().fold(Bandwidth::default(), add) == self.promised
    }

    fn left_beside(&self, slots: &[Option<Reservation>], index: usize) -> Ratio {
        let exact = exact_beside(slots, index);
        let left = exact.and_then(|others| Ratio::ONE.checked_sub(others));
        left.unwrap_or_else(|| self.promised.minus(share_of(slots[index].as_ref())).left())
    }
}

/// What is promised to one, a change that is to come included.
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

/// The exact sum of what is promised to all others; `None` where no fraction of 128 bits holds it.
/// Only for refusals and for sums that lie closer to 1 than their bounds.
fn exact_beside(slots: &[Option<Reservation>], index: usize) -> Option<Ratio> {
    let mut sum = Ratio::ZERO;
    for (_, slot) in slots.iter().enumerate().filter(|(n, slot)| *n != index && slot.is_some()) {
        let (amount, period) = target(slot.as_ref());
        sum = sum.checked_add(amount.over(period)?)?;
    }
    Some(sum)
}

fn exactly_fits(slots: &[Option<Reservation>], index: usize, amount: Span, period: Span) -> bool {
    let others = exact_beside(slots, index);
    let sum = others.and_then(|others| others.checked_add(amount.over(period)?));
    sum.is_some_and(|sum| sum <= Ratio::ONE)
}
