//! `RESU r`: by each deadline that was told in time, r times the time that its owner was runnable.
//!
//! HLS 5.2.2.3 promises the share between any two consecutive deadlines; but who has run ahead before
//! the first of them cannot be given as much again (errata), so what counts is the sum from the
//! beginning. A deadline is told in time when the one before has not passed, or when its owner wakes;
//! and in order when it is no earlier than the one before. From the first that is not, nothing is
//! judged any longer: nobody can hurry after the event.

use super::{Window, unscaled};
use alloc::collections::BTreeSet;
use windfall_time::Ratio;

#[derive(Clone, Debug)]
pub(super) struct Speed {
    rate: Ratio,
    now: i128,
    /// When its owner first woke, and when it woke last.
    woke: Option<(i128, i128)>,
    asleep: bool,
    /// How long it was runnable, and served.
    wanted: i128,
    served: i128,
    /// The last deadline told; whether all were told in time and in order.
    told: Option<i128>,
    orderly: bool,
    /// Those to come.
    ahead: BTreeSet<i128>,
    worst: Option<(Ratio, Window)>,
    pub(super) tested: u64,
}

impl Speed {
    pub(super) fn new(rate: Ratio) -> Option<Speed> {
        let fine = rate.denominator() <= super::FINEST && rate > Ratio::ZERO && rate <= Ratio::ONE;
        fine.then_some(Speed {
            rate,
            now: 0,
            woke: None,
            asleep: true,
            wanted: 0,
            served: 0,
            told: None,
            orderly: true,
            ahead: BTreeSet::new(),
            worst: None,
            tested: 0,
        })
    }

    pub(super) fn begin(&mut self, at: i128) {
        (self.now, self.asleep) = (at, false);
        self.woke = Some((self.woke.map_or(at, |(first, _)| first), at));
        self.ahead.retain(|deadline| *deadline > at);
    }

    pub(super) fn told(&mut self, deadline: i128, now: i128) {
        let passed = self.told.is_none_or(|told| told < now);
        let wakes = self.asleep || self.woke.is_some_and(|(_, woke)| woke == now);
        let in_time = !passed || wakes;
        let in_order = self.told.is_none_or(|told| told <= deadline);
        self.orderly &= in_time && in_order;
        self.told = Some(deadline);
        if deadline > now {
            self.ahead.insert(deadline);
        }
    }

    pub(super) fn pass(&mut self, span: i128, served: bool) {
        let slope = i128::from(served);
        let end = self.now + span;
        while let Some(deadline) = self.ahead.first().copied().filter(|first| *first <= end) {
            self.ahead.pop_first();
            self.wanted += deadline - self.now;
            self.served += (deadline - self.now) * slope;
            self.now = deadline;
            self.close();
        }
        self.wanted += end - self.now;
        self.served += (end - self.now) * slope;
        self.now = end;
    }

    pub(super) fn end(&mut self) {
        self.asleep = true;
    }

    /// A deadline has come.
    fn close(&mut self) {
        let due = Ratio::new(self.wanted, 1).and_then(|wanted| self.rate.checked_mul(wanted));
        let (Some(due), Some((from, _)), true) = (due, self.woke, self.orderly) else { return };
        let received = Ratio::new(self.served, 1).and_then(|received| due.checked_sub(received));
        let Some(behind) = received else { return };
        self.tested = self.tested.saturating_add(1);
        if self.worst.is_none_or(|(worst, _)| behind > worst) {
            let window = Window {
                from: unscaled(from, 1),
                to: unscaled(self.now, 1),
                promised: super::length(due),
                received: unscaled(self.served, 1),
            };
            self.worst = Some((behind, window));
        }
    }

    pub(super) const fn worst(&self) -> Option<(Ratio, Window)> {
        self.worst
    }
}
