//! A simulated processor and the accounts of its time.
//!
//! At each moment a processor serves its first overhead (an interrupt, a switch, a decision), else its thread, else nothing.
//! Overheads queue up: each is served in full, one after the other.
//!
//! Invariant: the stretches that are taken out follow each other without gap or overlap.

use std::collections::VecDeque;
use windfall_host::{Column, Passed};
use windfall_scenario::outcome::Use;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

/// An amount of work, in units of which every processor does a whole number per nanosecond.
pub(crate) type Units = u64;

/// An overhead that waits or is being served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overhead {
    pub(crate) kind: OverheadKind,
    pub(crate) number: u16,
    pub(crate) left: Span,
}

/// A simulated processor.
pub(crate) struct SimCpu {
    /// The thread that is on it, by number.
    pub(crate) thread: Option<u32>,
    /// The thread that ran here before; if another follows, the cache must be refilled.
    pub(crate) last: Option<u32>,
    /// The thread that the last recorded switch named as the next one.
    pub(crate) announced: Option<u32>,
    /// Units of work done in a nanosecond.
    pub(crate) rate: Units,
    /// The instant up to which its time has been served.
    since: Instant,
    /// The stretch up to `since` that was not taken out yet.
    pub(crate) passed: Option<Passed>,
    /// The queue of overheads; the first is being served.
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

    /// Serves up to `now`. Returns the time that the thread received.
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

    /// The use of a stretch: `taken` is the overhead that had the processor, if one did. The cost of scheduling itself is not
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

/// For speeds `p_i / q_i`: the units in a nanosecond of work at speed 1, and the units that each processor does in a nanosecond;
/// exact. `None` if the numbers do not fit.
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
