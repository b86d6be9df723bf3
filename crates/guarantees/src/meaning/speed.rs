//! `RESU r`: r times the time between each two consecutive deadlines that were told (HLS 5.2.2.3).
//!
//! Consecutive in time, whatever the order in which they were told. Both must lie in one stretch. The
//! interval that a stretch's end cuts off promises what the rest of it could not have made good.

use super::{FINEST, Window, unscaled};
use alloc::collections::BTreeSet;
use windfall_time::Ratio;

#[derive(Clone, Debug)]
pub(super) struct Speed {
    rate: Ratio,
    now: i128,
    service: i128,
    runnable: bool,
    /// The last deadline that passed in this stretch, and the service until then.
    last: Option<(i128, i128)>,
    /// Those to come.
    ahead: BTreeSet<i128>,
    worst: Option<(Ratio, Window)>,
    pub(super) tested: u64,
}

impl Speed {
    pub(super) fn new(rate: Ratio) -> Option<Speed> {
        let fine = rate.denominator() <= FINEST && rate > Ratio::ZERO && rate <= Ratio::ONE;
        fine.then_some(Speed {
            rate,
            now: 0,
            service: 0,
            runnable: false,
            last: None,
            ahead: BTreeSet::new(),
            worst: None,
            tested: 0,
        })
    }

    pub(super) fn begin(&mut self, at: i128) {
        (self.now, self.service, self.runnable, self.last) = (at, 0, true, None);
        while let Some(passed) = self.ahead.first().copied().filter(|first| *first <= at) {
            self.ahead.pop_first();
            if passed == at {
                self.last = Some((at, 0));
            }
        }
    }

    pub(super) fn told(&mut self, deadline: i128, now: i128) {
        if deadline > now {
            self.ahead.insert(deadline);
        } else if deadline == now && self.runnable && self.now == now && self.last.is_none() {
            self.last = Some((now, self.service));
        }
    }

    pub(super) fn pass(&mut self, span: i128, served: bool) {
        let slope = i128::from(served);
        let end = self.now + span;
        while let Some(deadline) = self.ahead.first().copied().filter(|first| *first <= end) {
            self.ahead.pop_first();
            self.service += (deadline - self.now) * slope;
            self.now = deadline;
            self.close(deadline);
            self.last = Some((deadline, self.service));
        }
        self.service += (end - self.now) * slope;
        self.now = end;
    }

    pub(super) fn end(&mut self) {
        if let Some(next) = self.ahead.first().copied() {
            self.close(next);
        }
        (self.runnable, self.last) = (false, None);
    }

    /// The interval from the last deadline to `deadline` is over, or cut off now.
    fn close(&mut self, deadline: i128) {
        let Some((from, before)) = self.last else { return };
        let whole = Ratio::new(deadline - from, 1).and_then(|span| self.rate.checked_mul(span));
        let open = Ratio::new(deadline - self.now, 1).unwrap_or(Ratio::ZERO);
        let Some(due) = whole.and_then(|whole| whole.checked_sub(open)) else { return };
        if due <= Ratio::ZERO {
            return;
        }
        self.tested = self.tested.saturating_add(1);
        let received = self.service - before;
        let behind = Ratio::new(received, 1).and_then(|received| due.checked_sub(received));
        let Some(behind) = behind else { return };
        if self.worst.is_none_or(|(worst, _)| behind > worst) {
            let window = Window {
                from: unscaled(from, 1),
                to: unscaled(self.now, 1),
                promised: super::length(due),
                received: unscaled(received, 1),
            };
            self.worst = Some((behind, window));
        }
    }

    pub(super) const fn worst(&self) -> Option<(Ratio, Window)> {
        self.worst
    }
}
