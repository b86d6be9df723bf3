//! A simulated processor and the accounts of its time.
//!
//! At each moment a processor serves its first overhead (an interrupt, a switch, a decision, a visit of a station), else its thread, else nothing.
//! Overheads queue up: each is served in full, one after the other.
//!
//! Invariant: the stretches that are taken out follow each other without gap or overlap.

use crate::stations::Visit;
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
    /// Set if it is a visit of the station of that number.
    pub(crate) visit: Option<Visit>,
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
            (overhead.kind, overhead.visit)
        });
        self.passed = Some(self.passed_since(from, span, taken));
        if taken.is_none() && self.thread.is_some() { span } else { Span::ZERO }
    }

    /// The use of a stretch: `taken` is the overhead that had the processor, if one did. The cost of scheduling itself is not
    /// reported to schedulers as stolen (decision 0006). A visit of the thread that has the processor is its own use of it (decision 0044).
    #[inline]
    fn passed_since(
        &self,
        from: Instant,
        span: Span,
        taken: Option<(OverheadKind, Option<Visit>)>,
    ) -> Passed {
        let visitor = taken.and_then(|(_, visit)| visit).and_then(|visit| visit.thread);
        let at_station = match visitor {
            Some(_) if visitor == self.thread => Use::Own,
            _ => Use::Overhead,
        };
        let (by, column) = match taken.map(|(kind, _)| kind) {
            None if self.thread.is_some() => (Use::Own, Column::Received),
            None => (Use::Own, Column::Idle),
            Some(OverheadKind::Interrupt | OverheadKind::Softirq | OverheadKind::Steal) => {
                (Use::Stolen, Column::Stolen)
            }
            Some(OverheadKind::Scheduling) => (Use::Overhead, Column::Scheduling),
            Some(OverheadKind::Switching) => (Use::Overhead, Column::Switching),
            Some(OverheadKind::StationWait) => (at_station, Column::StationWait),
            Some(OverheadKind::StationService) => (at_station, Column::StationService),
        };
        let is_visit = matches!(column, Column::StationWait | Column::StationService);
        let thread = if is_visit { visitor } else { self.thread };
        Passed { from, span, thread, owner: self.thread, by, column }
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
