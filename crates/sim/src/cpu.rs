//! A simulated processor, and where its time goes.
//!
//! At each moment a processor serves a first (an interrupt, a switch, a decision), else its thread,
//! else nobody. Thieves queue up: each one's time is served in full, one after the other.
//!
//! Invariant: `idle + work + stolen by kind` is the time since the start, at every accounting.

use std::collections::VecDeque;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

/// Work in units of which a processor does a whole number a nanosecond.
pub(crate) type Units = u64;

/// Work without end.
pub(crate) const ENDLESS: Units = u64::MAX;

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
    /// Accounted up to here.
    pub(crate) since: Instant,
    /// The first is under way.
    pub(crate) overheads: VecDeque<Overhead>,
    pub(crate) idle: Span,
    pub(crate) work: Span,
    pub(crate) stolen: [Span; 5],
}

impl SimCpu {
    pub(crate) fn new(rate: Units) -> SimCpu {
        SimCpu {
            thread: None,
            last: None,
            announced: None,
            rate,
            since: Instant::ZERO,
            overheads: VecDeque::new(),
            idle: Span::ZERO,
            work: Span::ZERO,
            stolen: [Span::ZERO; 5],
        }
    }

    /// Accounts up to `now`; the time that the thread received.
    ///
    /// No overhead may end before `now`: its end is an event of its own.
    #[inline]
    pub(crate) fn account(&mut self, now: Instant) -> Span {
        let received = self.serve(now);
        debug_assert_eq!(self.accounted(), now - Instant::ZERO, "time is not conserved");
        received
    }

    #[inline]
    fn serve(&mut self, now: Instant) -> Span {
        let passed = now - self.since;
        self.since = now;
        if passed.is_zero() {
            return Span::ZERO;
        }
        if let Some(overhead) = self.overheads.front_mut() {
            overhead.left -= passed;
            self.stolen[overhead_index(overhead.kind)] += passed;
            return Span::ZERO;
        }
        if self.thread.is_some() {
            self.work += passed;
            return passed;
        }
        self.idle += passed;
        Span::ZERO
    }

    /// Everything that the processor's time has gone to.
    pub(crate) fn accounted(&self) -> Span {
        self.stolen.iter().fold(self.idle + self.work, |sum, part| sum + *part)
    }
}

/// A kind of overhead as an index.
pub(crate) const fn overhead_index(kind: OverheadKind) -> usize {
    match kind {
        OverheadKind::Interrupt => 0,
        OverheadKind::Softirq => 1,
        OverheadKind::Steal => 2,
        OverheadKind::Scheduling => 3,
        OverheadKind::Switching => 4,
    }
}

/// Whether schedulers are told of it as stolen time: what scheduling costs itself is not (decision 0006).
pub(crate) const fn is_stolen(kind: OverheadKind) -> bool {
    matches!(kind, OverheadKind::Interrupt | OverheadKind::Softirq | OverheadKind::Steal)
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
