//! `PS s`: what a finite run says about a share in the long run (HLS 5.2.2.4).

use super::lag::promised;
use super::{FINEST, Verdict, Window, length, unscaled};
use crate::length::Length;
use windfall_time::{Ratio, Span};

#[derive(Clone, Debug)]
pub(super) struct LongRun {
    share: Ratio,
    grain: u128,
    start: i128,
    now: i128,
    service: i128,
    /// Received less promised, plus the allowance; the stretch; the allowance.
    worst: Option<(Ratio, Window, Length)>,
    tested: u64,
}

impl LongRun {
    pub(super) fn new(share: Ratio, grain: Span) -> Option<LongRun> {
        let fine = share.denominator() <= FINEST && share > Ratio::ZERO && share <= Ratio::ONE;
        fine.then_some(LongRun {
            share,
            grain: grain.as_nanos().into(),
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
        // 3 sqrt(L grain), rounded up; where that does not fit, everything is allowed.
        let square = u128::try_from(span).ok().and_then(|span| span.checked_mul(self.grain));
        let Some(square) = square.and_then(|square| square.checked_mul(9)) else { return };
        let root = square.isqrt();
        let root = root + u128::from(root * root < square);
        let allowance = unscaled(i128::try_from(root).unwrap_or(i128::MAX), 1);
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
