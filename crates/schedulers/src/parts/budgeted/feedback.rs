//! The feedback loop of Rez-FB: how much to reserve so that the requested amount is received.
//!
//! HLS 11.5.3: `C_t = C_{t-1} + G (R - P_{t-1})` at the start of each period, where R was requested, C is reserved,
//! and P was received. This module stores `C - R`, which is never negative: a child that requested R gets R
//! whatever was measured.
//!
//! A child could have received what it did not use of C. So P is the greater of the time received and C less the
//! stolen time: a child that blocks early makes nothing grow; only stolen time does.
//!
//! Invariant: since G is at most 1, one step never goes beyond the C that would have been right for the last
//! period. It is rounded away from zero, so that a steady loss is compensated to the nanosecond.

use windfall_time::Span;

/// The loop of one child.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Control {
    /// The amount reserved in this period beyond the requested one: `C - R`.
    pub(crate) extra: Span,
    /// The time that the child received in this period.
    pub(crate) received: Span,
    /// The time stolen from the child in this period.
    stolen: Span,
}

impl Control {
    /// A loop whose period begins with this extra amount.
    pub(crate) fn new(extra: Span) -> Control {
        Control { extra, ..Control::default() }
    }

    /// Counts a time in which the child held the processor, and the part of it that was stolen.
    pub(crate) fn count(&mut self, had: Span, stolen: Span) {
        self.received = self.received.saturating_add(had.saturating_sub(stolen));
        self.stolen = self.stolen.saturating_add(stolen);
    }

    /// Whether the child has run in this period.
    pub(crate) fn ran(&self) -> bool {
        !(self.received.is_zero() && self.stolen.is_zero())
    }

    /// The extra amount for the next period.
    pub(crate) fn next(&self, requested: Span, gain: u16) -> Span {
        let reserved = requested.saturating_add(self.extra);
        let received = self.received.max(reserved.saturating_sub(self.stolen));
        let step = |error: Span| {
            let step = (u128::from(error.as_nanos()) * u128::from(gain)).div_ceil(1000);
            Span::saturating_from_nanos(step)
        };
        match requested.checked_sub(received) {
            Some(missing) => self.extra.saturating_add(step(missing)),
            None => self.extra.saturating_sub(step(received.saturating_sub(requested))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: u64 = 4_000_000;

    fn ns(ns: u64) -> Span {
        Span::from_nanos(ns)
    }

    /// `C - R` after a period in which the child had all of C, less the stolen time.
    fn busy(extra: u64, stolen: u64, gain: u16) -> u64 {
        let mut control = Control::new(ns(extra));
        control.count(ns(R + extra), ns(stolen));
        control.next(ns(R), gain).as_nanos()
    }

    #[test]
    fn paper_hls_11_5_3_half_of_what_is_missing_is_added() {
        // C = 4 ms, 0.8 ms stolen, P = 3.2 ms: C becomes 4 + (4 - 3.2) / 2.
        assert_eq!(busy(0, 800_000, 500), 400_000);
        // C = 5 ms, nothing stolen, P = 5 ms: C becomes 5 + (4 - 5) / 2.
        assert_eq!(busy(1_000_000, 0, 500), 500_000);
        // C = 5 ms, 1 ms stolen, P = 4 ms = R.
        assert_eq!(busy(1_000_000, 1_000_000, 500), 1_000_000);
    }

    #[test]
    fn law_a_steady_loss_is_made_good_exactly_and_never_overshot() {
        for gain in [1, 250, 500, 999, 1000] {
            let (mut extra, lost) = (0, 876_543);
            for _ in 0..40_000 {
                let next = busy(extra, lost, gain);
                assert!((extra..=lost).contains(&next));
                extra = next;
            }
            assert_eq!(extra, lost, "gain {gain}");
            for _ in 0..40_000 {
                let next = busy(extra, 0, gain);
                assert!(next <= extra);
                extra = next;
            }
            assert_eq!(extra, 0, "gain {gain}");
        }
    }

    #[test]
    fn law_a_child_that_blocks_early_makes_nothing_grow() {
        let mut control = Control::new(ns(600_000));
        control.count(ns(10), Span::ZERO);
        assert_eq!(control.next(ns(R), 500), ns(300_000));
        assert_eq!(Control::new(Span::ZERO).next(ns(R), 1000), Span::ZERO);
        // Time was stolen and then the child blocked: as much as was stolen, no more.
        let mut control = Control::new(Span::ZERO);
        control.count(ns(300), ns(200));
        assert_eq!(control.next(ns(R), 1000), ns(200));
    }
}
