//! The work of a simulated thread.

use crate::cpu::Units;
use windfall_scenario::model::Cache;
use windfall_time::{Instant, Span};

/// The work of a thread, and the processor where it does it.
pub(crate) struct Work {
    /// The rest of what its program computes; `None` if the program has to act first.
    left: Option<Units>,
    /// The rest of refilling the cache, which is done first.
    refill: Units,
    working_set_kib: u64,
    /// The processor that it has, or had last.
    pub(crate) cpu: usize,
    /// Its last visit of a station: the processor that stands still for it, the station, and when it is over.
    pub(crate) visit: Option<(usize, u16, Instant)>,
}

/// Work without end.
const ENDLESS: Units = u64::MAX;

impl Work {
    pub(crate) const fn new(working_set_kib: u64) -> Work {
        Work { left: None, refill: 0, working_set_kib, cpu: 0, visit: None }
    }

    /// Sets its work: `work` in time of a processor of speed 1, where a nanosecond is `unit`.
    pub(crate) fn set(&mut self, work: Span, unit: Units) {
        let endless = work == Span::MAX;
        self.left = Some(if endless { ENDLESS } else { work.as_nanos().saturating_mul(unit) });
    }

    pub(crate) const fn stop(&mut self) {
        self.left = None;
    }

    pub(crate) const fn is_some(&self) -> bool {
        self.left.is_some()
    }

    /// Starts to refill its cache: another thread had the processor before, or the thread had another processor.
    pub(crate) fn refill(&mut self, cache: &Cache, rate: Units) {
        let refill = cache.refill_of(self.working_set_kib);
        self.refill = refill.as_nanos().saturating_mul(rate);
    }

    /// Takes the work that was done in `received` at `rate` off the rest.
    #[inline]
    pub(crate) fn progress(&mut self, received: Span, rate: Units) {
        let mut done = received.as_nanos().saturating_mul(rate);
        if self.refill > 0 {
            let filled = self.refill.min(done);
            self.refill -= filled;
            done -= filled;
        }
        if let Some(left) = self.left.as_mut().filter(|left| **left != ENDLESS) {
            *left = left.saturating_sub(done);
        }
    }

    /// How long the rest of its work takes at `rate`: zero if it has to act, `None` if it never ends.
    #[inline]
    pub(crate) fn time_left(&self, rate: Units) -> Option<Span> {
        match self.left {
            None => Some(Span::ZERO),
            Some(ENDLESS) => None,
            Some(left) => Some(Span::from_nanos(left.checked_add(self.refill)?.div_ceil(rate))),
        }
    }
}
