//! A simulated processor, and where its time goes.
//!
//! At each moment a processor serves a first (an interrupt, a switch, a decision), else its thread,
//! else nobody. Overheads queue up: each is served in full, one after the other.
//!
//! Invariant: the stretches that are asked for follow each other without gap or overlap.

use std::collections::VecDeque;
use windfall_host::{Column, Passed};
use windfall_scenario::outcome::Use;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

/// Work in units of which a processor does a whole number a nanosecond.
pub(crate) type Units = u64;

/// An overhead that waits or is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overhead {
    pub(crate) kind: OverheadKind,
    pub(crate) number: u16,
    pub(crate) left: Span,
}

/// A processor.
pub(crate) struct SimCpu {
    /// The thread that is on it, by number.
    pub(crate) thread: Option<u32>,
    /// The thread that last ran here, for the cache.
    pub(crate) last: Option<u32>,
    /// The thread that the last recorded switch has named as coming.
    pub(crate) announced: Option<u32>,
    /// Units of work done in a nanosecond.
    pub(crate) rate: Units,
    /// Served up to here.
    since: Instant,
    /// What has passed until then, and was not asked for yet.
    pub(crate) passed: Option<Passed>,
    /// The first is under way.
    pub(crate) overheads: VecDeque<Overhead>,
}

impl SimCpu {
    pub(crate) fn new(rate: Units) -> SimCpu {
        SimCpu {
            thread: None,
            last: None,
            announced: None,
            rate,
            since: Instant::ZERO,
            passed: None,
            overheads: VecDeque::new(),
        }
    }

    /// Serves up to `now`; the time that the thread received.
    ///
    /// No overhead may end before `now`: its end is an event of its own.
    #[inline]
    pub(crate) fn serve(&mut self, now: Instant) -> Span {
        let (from, span) = (self.since, now - self.since);
        if span.is_zero() {
            return Span::ZERO;
        }
        debug_assert!(self.passed.is_none(), "time passes before it was accounted");
        self.since = now;
        let taken = self.overheads.front_mut().map(|overhead| {
            overhead.left -= span;
            overhead.kind
        });
        self.passed = Some(self.passed_since(from, span, taken));
        if taken.is_none() && self.thread.is_some() { span } else { Span::ZERO }
    }

    /// What became of a stretch in which something took the processor, or nothing. What scheduling costs itself is not
    /// reported to schedulers as stolen (decision 0006).
    #[inline]
    fn passed_since(&self, from: Instant, span: Span, taken: Option<OverheadKind>) -> Passed {
        let (by, column) = match taken {
            None if self.thread.is_some() => (Use::Own, Column::Received),
            None => (Use::Own, Column::Idle),
            Some(OverheadKind::Interrupt | OverheadKind::Softirq | OverheadKind::Steal) => {
                (Use::Stolen, Column::Stolen)
            }
            Some(OverheadKind::Scheduling) => (Use::Overhead, Column::Scheduling),
            Some(OverheadKind::Switching) => (Use::Overhead, Column::Switching),
        };
        Passed { from, span, thread: self.thread, owner: self.thread, by, column }
    }
}

/// For speeds `p_i / q_i`: how many units a nanosecond of work is, and how many units each
/// processor does in a nanosecond; exact. `None` when the numbers do not fit.
pub(crate) fn rates(speeds: &[Ratio]) -> Option<(Units, Vec<Units>)> {
    let mut unit: i128 = 1;
    for speed in speeds {
        let below = speed.denominator();
        unit = unit.checked_mul(below / gcd(unit, below))?;
    }
    let rate = |speed: &Ratio| {
        let rate = speed.numerator().checked_mul(unit / speed.denominator())?;
        u64::try_from(rate).ok().filter(|rate| *rate > 0)
    };
    let rates = speeds.iter().map(rate).collect::<Option<Vec<_>>>()?;
    Some((u64::try_from(unit).ok().filter(|u| *u < 1 << 20)?, rates))
}

const fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
