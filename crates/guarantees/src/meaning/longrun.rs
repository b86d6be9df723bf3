//! `PS s`: the verdict of a finite run on a share in the long run (HLS 5.2.2.4).

use super::lag::promised;
use super::{FINEST, Verdict, Window, length, unscaled};
use crate::allowance::Allowance;
use crate::length::Length;
use windfall_time::Ratio;

#[derive(Clone, Debug)]
pub(super) struct LongRun {
    share: Ratio,
    behind: Allowance,
    /// Received in earlier stretches.
    earlier: i128,
    start: i128,
    now: i128,
    service: i128,
    /// Received less promised, plus the allowance; the stretch; the allowance.
    worst: Option<(Ratio, Window, Length)>,
    tested: u64,
}

impl LongRun {
    pub(super) fn new(share: Ratio, behind: Allowance) -> Option<LongRun> {
        let fine = share.denominator() <= FINEST && share > Ratio::ZERO;
        fine.then_some(LongRun {
            share,
            behind,
            earlier: 0,
            start: 0,
            now: 0,
            service: 0,
            worst: None,
            tested: 0,
        })
    }

    pub(super) fn begin(&mut self, at: i128) {
        (self.start, self.now, self.service) = (at, at, 0);
    }

    pub(super) fn pass(&mut self, span: i128, served: bool) {
        self.now += span;
        self.service += span * i128::from(served);
    }

    pub(super) fn end(&mut self) {
        let span = self.now - self.start;
        let earlier = self.earlier;
        self.earlier += self.service;
        let ns = |ns: i128| u64::try_from(ns).ok();
        let parts = ns(span).zip(ns(self.start)).zip(ns(earlier));
        // Where it does not fit, everything is allowed.
        let allowance =
            parts.and_then(|((span, start), earlier)| self.behind.of(span, start, earlier));
        let Some(allowance) = allowance else { return };
        let due = promised(self.share, allowance, span);
        if due.is_zero() {
            return;
        }
        self.tested = self.tested.saturating_add(1);
        let received = unscaled(self.service, 1);
        let Some(margin) = received.as_nanos().checked_sub(due.as_nanos()) else { return };
        if self.worst.is_none_or(|(worst, ..)| margin < worst) {
            let window = Window {
                from: unscaled(self.start, 1),
                to: unscaled(self.now, 1),
                promised: promised(self.share, Length::ZERO, span),
                received,
            };
            self.worst = Some((margin, window, allowance));
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let tested = self.tested;
        match self.worst {
            None => Verdict::NeverTested,
            Some((margin, worst, _)) if margin < Ratio::ZERO => {
                Verdict::Broken { short: super::negated(margin), worst, tested }
            }
            Some((margin, worst, allowance)) => {
                Verdict::NotRefuted { margin: length(margin), worst, allowance, tested }
            }
        }
    }
}
