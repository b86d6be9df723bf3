//! The machine and its interrupts.

use super::Station;
use core::fmt;
use windfall_programs::Device;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

/// The machine.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Machine {
    /// The speed of each processor, at least one; 1 means that a nanosecond of work takes one.
    pub speeds: Vec<Ratio>,
    /// How exactly timers are kept.
    pub timer: Timer,
    /// The costs of switching and deciding.
    pub costs: Costs,
    /// The cost of refilling the cache after a switch.
    pub cache: Option<Cache>,
    /// The processors of a real machine that these stand for, in order; empty: the host chooses.
    pub cpus: Vec<u16>,
    /// The most of each processor's time that a host on a real machine gives to threads; above 0, at
    /// most [`Machine::most_cap`].
    pub cap: Ratio,
    /// Whether a host on a real machine claims the processors that it supervises.
    pub claim: Claim,
    /// Stations of a simulated machine: hardware that serves one processor at a time.
    pub stations: Vec<Station>,
}

/// Whether a run on a real machine moves everything off its processors that can run elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Claim {
    /// Yes, and everything is restored at the end.
    #[default]
    Processors,
    /// No: all threads stay where they are.
    None,
}

/// How exactly timers are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timer {
    /// To the nanosecond.
    #[default]
    Precise,
    /// At the first tick of so many hertz; above zero.
    Ticks(u64),
}

impl Timer {
    /// The longest time between two ticks; `None` where timers are precise.
    #[must_use]
    pub fn resolution(self) -> Option<Span> {
        match self {
            Timer::Precise => None,
            Timer::Ticks(hertz) => Some(Span::from_nanos(1_000_000_000_u64.div_ceil(hertz.max(1)))),
        }
    }

    /// When a timer that is set for `at` expires (HLS 9.2.5).
    #[inline]
    #[must_use]
    pub fn fires(self, at: Instant) -> Instant {
        const SECOND: u128 = 1_000_000_000;
        let Timer::Ticks(hertz) = self else { return at };
        let tick = (u128::from(at.as_nanos()) * u128::from(hertz)).div_ceil(SECOND);
        let nanos = tick * SECOND / u128::from(hertz.max(1));
        Instant::saturating_from_nanos(nanos)
    }
}

/// The costs of switching and deciding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Costs {
    /// Each switch to a thread.
    pub switch: Span,
    /// Each switch to a thread that last ran on another processor, in addition to the switch (HLS 4.3.7.2).
    pub migration: Span,
    /// Each event sent to the hierarchy.
    pub decision: Span,
    /// Each notification that a scheduler receives because of it.
    pub notification: Span,
    /// Each timer of a scheduler that expires, in addition to the decision.
    pub timer: Span,
}

/// The cost for a thread after another has used its processor (HLS 10.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cache {
    /// Working sets above this pay for this much.
    pub size_kib: u64,
    /// For each KiB of the working set.
    pub refill: Span,
}

/// A source of interrupts.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Interrupts {
    /// Its kind: [`OverheadKind::Interrupt`], [`OverheadKind::Softirq`] or [`OverheadKind::Steal`].
    pub kind: OverheadKind,
    /// Its number in the trace.
    pub number: u16,
    /// The processors that it interrupts, each independently; empty: all.
    pub processors: Vec<u16>,
    /// When, and for how long.
    pub pattern: Pattern,
    /// The device at which something arrives each time; processes attach events to it by this name.
    pub device: Option<Device>,
    /// The datum of the device's posts; the number of the arrival when absent.
    pub datum: Option<u64>,
}

/// When interrupts come and how long each takes. A file names a recorded trace; a plan has what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern<R = String> {
    /// At `offset`, `offset + period`, ...
    Periodic {
        /// The first.
        offset: Instant,
        /// Time between two; above zero.
        period: Span,
        /// How long each takes.
        cost: Span,
    },
    /// Random gaps and durations, uniform between two limits, both included.
    Random {
        /// Between the beginnings of two; least above zero.
        gap: (Span, Span),
        /// How long each takes.
        cost: (Span, Span),
    },
    /// As in a recorded trace: its path, relative to the scenario's folder, or the interrupts themselves, in order.
    Recorded(R),
}

impl Costs {
    /// The same, with this cost of a switch.
    #[must_use]
    pub const fn switch(mut self, cost: Span) -> Costs {
        self.switch = cost;
        self
    }

    /// The same, with this cost of a migration.
    #[must_use]
    pub const fn migration(mut self, cost: Span) -> Costs {
        self.migration = cost;
        self
    }

    /// The same, with this cost of a decision.
    #[must_use]
    pub const fn decision(mut self, cost: Span) -> Costs {
        self.decision = cost;
        self
    }

    /// The same, with this cost of a notification.
    #[must_use]
    pub const fn notification(mut self, cost: Span) -> Costs {
        self.notification = cost;
        self
    }

    /// The same, with this cost of a timer.
    #[must_use]
    pub const fn timer(mut self, cost: Span) -> Costs {
        self.timer = cost;
        self
    }
}

impl Cache {
    /// A cache of which larger working sets pay, so much for each KiB.
    #[must_use]
    pub const fn new(size_kib: u64, refill: Span) -> Cache {
        Cache { size_kib, refill }
    }

    /// The cost for a thread with so large a working set, of which the cache holds no more than its size.
    #[must_use]
    pub fn refill_of(&self, working_set_kib: u64) -> Span {
        self.refill.saturating_mul(working_set_kib.min(self.size_kib))
    }
}

impl Interrupts {
    /// A source that interrupts every processor, with its number in the trace.
    #[must_use]
    pub const fn new(kind: OverheadKind, number: u16, pattern: Pattern) -> Interrupts {
        Interrupts { kind, number, processors: Vec::new(), pattern, device: None, datum: None }
    }

    /// The same, of a device of this name.
    #[must_use]
    pub const fn device(mut self, device: Device) -> Interrupts {
        self.device = Some(device);
        self
    }

    /// The same, of a device whose posts carry this datum.
    #[must_use]
    pub const fn datum(mut self, datum: u64) -> Interrupts {
        self.datum = Some(datum);
        self
    }

    /// The same, on these processors alone.
    #[must_use]
    pub fn processors(mut self, processors: Vec<u16>) -> Interrupts {
        self.processors = processors;
        self
    }
}

impl Machine {
    /// This number of processors of speed 1 with a precise timer and no costs.
    #[must_use]
    pub fn ideal(processors: u16) -> Machine {
        Machine {
            speeds: vec![Ratio::ONE; usize::from(processors)],
            timer: Timer::Precise,
            costs: Costs::default(),
            cache: None,
            cpus: Vec::new(),
            cap: Machine::most_cap(),
            claim: Claim::default(),
            stations: Vec::new(),
        }
    }

    /// The same, with one processor of each of these speeds.
    #[must_use]
    pub fn speeds(mut self, speeds: Vec<Ratio>) -> Machine {
        self.speeds = speeds;
        self
    }

    /// The same, with this resolution of timers.
    #[must_use]
    pub const fn timer(mut self, timer: Timer) -> Machine {
        self.timer = timer;
        self
    }

    /// The same, with these costs.
    #[must_use]
    pub const fn costs(mut self, costs: Costs) -> Machine {
        self.costs = costs;
        self
    }

    /// The same, with this cache.
    #[must_use]
    pub const fn cache(mut self, cache: Cache) -> Machine {
        self.cache = Some(cache);
        self
    }

    /// The same, on these processors of a real machine.
    #[must_use]
    pub fn cpus(mut self, cpus: Vec<u16>) -> Machine {
        self.cpus = cpus;
        self
    }

    /// The same, with or without a claim of the processors by a run on a real machine.
    #[must_use]
    pub const fn claim(mut self, claim: Claim) -> Machine {
        self.claim = claim;
        self
    }

    /// The same, with these stations.
    #[must_use]
    pub fn stations(mut self, stations: Vec<Station>) -> Machine {
        self.stations = stations;
        self
    }

    /// 95 %: a real machine keeps a twentieth of each processor for unsupervised threads.
    #[must_use]
    pub fn most_cap() -> Ratio {
        Ratio::new(19, 20).unwrap_or(Ratio::ONE)
    }
}

/// As text: `2 processors, speeds 1, 1/2, precise timer, 10us a switch`.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.speeds.as_slice() {
            [_] => f.write_str("1 processor")?,
            speeds => write!(f, "{} processors", speeds.len())?,
        }
        if self.speeds.iter().any(|speed| *speed != Ratio::ONE) {
            let speeds: Vec<String> = self.speeds.iter().map(ToString::to_string).collect();
            write!(f, ", speeds {}", speeds.join(", "))?;
        }
        match self.timer {
            Timer::Precise => f.write_str(", precise timer")?,
            Timer::Ticks(hertz) => write!(f, ", timer at {hertz} Hz")?,
        }
        for (cost, what) in [
            (self.costs.switch, "a switch"),
            (self.costs.migration, "a migration"),
            (self.costs.decision, "a decision"),
            (self.costs.notification, "a notification"),
            (self.costs.timer, "a timer"),
        ] {
            if !cost.is_zero() {
                write!(f, ", {cost} {what}")?;
            }
        }
        for station in &self.stations {
            write!(f, ", {} a visit of {}", station.service, station.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_tick_is_the_first_at_or_after() {
        for hertz in [64, 1024, 4096, 8192, 1_000_000] {
            let timer = Timer::Ticks(hertz);
            for at in (0..3_000_000_000_u64).step_by(7_654_321) {
                let tick = timer.fires(Instant::from_nanos(at)).as_nanos();
                assert!(tick >= at && tick - at <= 1_000_000_000 / hertz + 1);
                assert_eq!(timer.fires(Instant::from_nanos(tick)).as_nanos(), tick);
            }
        }
    }
}
