//! The processor's own counter: read in one instruction, and told in nanoseconds of CLOCK_MONOTONIC_RAW.
//!
//! A `Counter` exists only where the processor says that it counts at one rate whatever the processor does. It makes no promise about other machines' processors, and
//! time that goes on evenly over a suspension; [`Counter::drift`] says what became of it.
//! On aarch64, and on x86-64 without `rdtscp`, it does not say on which processor it was read: a migration is noticed there only where it takes the counter back.

mod calibration;
mod instructions;
mod said;

use crate::companion::Companion;
use crate::suspension::Watch;
use crate::{Clock, Pairs, Reading, Scale};
use calibration::{Both, doubt, ends, parts_per_billion, parts_too_many, unsuspended};
use core::fmt;
use instructions::Instructions;
pub(crate) use instructions::in_order;
use windfall_time::{Instant, Span};

/// For so long [`Counter::new`] calibrates: two looks of about 50 ns at its ends leave less than 1 ppm.
const USUAL: Span = Span::from_millis(100);

/// The processor's counter, calibrated.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    instructions: Instructions,
    scale: Scale,
    /// Nanoseconds on CLOCK_MONOTONIC_RAW when the counter was zero, if it ever was.
    zero: i64,
    origin: Both,
    calibration: Calibration,
    watch: Watch,
}

/// How the rate of a counter was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Calibration {
    /// Ticks in a second, rounded down.
    pub hertz: u64,
    /// For how long both clocks were compared: as asked for, or longer where the thread migrated meanwhile.
    pub over: Span,
    /// By how many parts in 10^9 the rate may be wrong at most, because the two clocks cannot be read at once; and by 1 us more where both ends are of different processors.
    pub uncertainty_ppb: u64,
}

/// How far a counter has gone from CLOCK_MONOTONIC_RAW since it was calibrated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Drift {
    /// Parts in 10^9 by which it is too fast; negative: too slow.
    pub ppb: i64,
    /// By how much `ppb` may be wrong, because the two clocks cannot be read at once; and by 1 us more where this was asked on another processor than it was calibrated on.
    pub uncertainty_ppb: u64,
    /// Since when.
    pub over: Span,
    /// For how long the machine was suspended meanwhile. The counter may have stopped, gone on or begun anew in that time; make a new one.
    pub suspended: Span,
}

/// Why there is no counter to be read. [`crate::Best`] falls back on CLOCK_MONOTONIC then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CounterError {
    /// This crate knows no counter of this architecture.
    Unknown {
        /// Its name.
        architecture: &'static str,
    },
    /// The processor does not say that the counter goes at one rate.
    NotInvariant,
    /// The kernel has a list of clock sources, and the counter is not in it.
    Distrusted,
    /// While both were compared, the counter or the kernel's clock did not go on.
    Stopped {
        /// For how long it was to be.
        over: Span,
    },
    /// No look at both clocks was whole: the thread migrated, or the counter went back, in each.
    Disturbed {
        /// How many there were.
        looks: u32,
    },
    /// The machine was suspended while the counter was calibrated, and again when that was repeated.
    Suspended {
        /// For how long the second time.
        span: Span,
    },
    /// The counter shows less than when it was calibrated.
    BegunAnew {
        /// How long ago that was.
        ago: Span,
    },
}

impl CounterError {
    /// Where the kernel lists what it offers as clock sources.
    pub(crate) const SOURCES: &str =
        "/sys/devices/system/clocksource/clocksource0/available_clocksource";
}

impl fmt::Display for CounterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot read the processor's counter: ")?;
        match self {
            CounterError::Unknown { architecture } => write!(f, "none is known for {architecture}"),
            CounterError::NotInvariant => f.write_str(
                "its rate may change, since CPUID (leaf 0x80000007, EDX bit 8) does not say that it is invariant",
            ),
            CounterError::Distrusted => write!(
                f,
                "the kernel does not offer it as a clock source ({}), as when it found processors that differ, or a rate that changes",
                CounterError::SOURCES
            ),
            CounterError::Stopped { over } => {
                write!(f, "it or CLOCK_MONOTONIC_RAW stood still while both were compared for {over}")
            }
            CounterError::Disturbed { looks } => write!(
                f,
                "in each of {looks} comparisons with CLOCK_MONOTONIC_RAW it went back, or the thread migrated",
            ),
            CounterError::Suspended { span } => {
                write!(f, "the machine was suspended while it was calibrated, the second time for {span}")
            }
            CounterError::BegunAnew { ago } => write!(
                f,
                "it shows less than when it was calibrated {ago} ago, as after a suspension; make a new `Counter`",
            ),
        }?;
        f.write_str(match self {
            CounterError::BegunAnew { .. } => ", or",
            _ => ";",
        })?;
        f.write_str(" use `SystemClock::Monotonic`, as `Best` does")
    }
}

impl core::error::Error for CounterError {}

impl Counter {
    /// Finds the counter, and calibrates it for 100 ms.
    ///
    /// # Errors
    /// As [`Counter::calibrated_for`].
    pub fn new() -> Result<Counter, CounterError> {
        Counter::calibrated_for(USUAL)
    }

    /// Finds the counter, and compares it with CLOCK_MONOTONIC_RAW now and after `over`, in which the thread sleeps. Where it wakes up on another processor it sleeps again, up to twice more, until two comparisons are of one processor.
    ///
    /// # Errors
    /// Where the architecture has none that is known here, the processor does not call it invariant, the kernel does not offer it as a clock source, it stood still, no comparison was whole, or the machine was suspended meanwhile twice.
    pub fn calibrated_for(over: Span) -> Result<Counter, CounterError> {
        let instructions = Instructions::find()?;
        let rest = || std::thread::sleep(std::time::Duration::from_nanos(over.as_nanos()));
        let compare = || ends(|| Both::look(instructions), rest);
        let (ends, watch) = unsuspended(Watch::begin, Watch::suspended, compare)?;
        Counter::between(instructions, ends, watch).ok_or(CounterError::Stopped { over })
    }

    /// A counter of the rate that it had between two moments; `None` where there is no such rate.
    fn between(
        instructions: Instructions,
        (origin, end): (Both, Both),
        watch: Watch,
    ) -> Option<Counter> {
        let ticks = end.ticks.checked_sub(origin.ticks)?;
        let span = end.at.since(origin.at)?;
        let scale = Scale::of(ticks, span)?;
        let hertz = u128::from(ticks) * 1_000_000_000 / u128::from(span.as_nanos());
        let hertz = u64::try_from(hertz).ok()?;
        let uncertainty_ppb = parts_per_billion(doubt(scale, origin, end), ticks);
        let calibration = Calibration { hertz, over: span, uncertainty_ppb };
        let zero =
            i128::from(origin.at.as_nanos()) - i128::from(scale.span(origin.ticks).as_nanos());
        let zero = i64::try_from(zero).ok()?;
        Some(Counter { instructions, scale, zero, origin, calibration, watch })
    }

    /// This moment on CLOCK_MONOTONIC_RAW, by the counter: the fastest way, which other instructions may overtake. To measure an interval, [`Clock::read`] is for.
    ///
    /// Always when it was calibrated where the counter shows less than then, as after a suspension that began it anew; [`Counter::drift`] says so.
    #[must_use]
    #[inline]
    pub fn now(&self) -> Instant {
        let ticks = self.ticks();
        if ticks < self.origin.ticks {
            return self.origin.at;
        }
        // From the origin on, this is the origin's time or later, so that nothing wraps before the year 2500.
        Instant::from_nanos(self.scale.span(ticks).as_nanos().wrapping_add_signed(self.zero))
    }

    /// The counter itself, by the bare instruction, in ticks of [`Clock::scale`]; other instructions may overtake it.
    #[must_use]
    #[inline]
    pub fn ticks(&self) -> u64 {
        self.instructions.bare()
    }

    /// How the rate was found.
    #[must_use]
    pub const fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// How far it has gone from CLOCK_MONOTONIC_RAW since it was made; longer ago is more certain.
    ///
    /// # Errors
    /// [`CounterError::BegunAnew`] when it shows less than when it was made, [`CounterError::Stopped`] when the kernel's clock shows no more than then, [`CounterError::Disturbed`] when the two could not be compared.
    pub fn drift(&self) -> Result<Drift, CounterError> {
        self.drift_at(Both::look(self.instructions)?)
    }

    fn drift_at(&self, now: Both) -> Result<Drift, CounterError> {
        let over = now.at.saturating_since(self.origin.at);
        let ticks = now.ticks.checked_sub(self.origin.ticks);
        let ticks = ticks.ok_or(CounterError::BegunAnew { ago: over })?;
        let ppb = parts_too_many(self.scale.span(ticks), over);
        Ok(Drift {
            ppb: ppb.ok_or(CounterError::Stopped { over })?,
            uncertainty_ppb: parts_per_billion(doubt(self.scale, self.origin, now), ticks),
            over,
            suspended: self.watch.suspended(),
        })
    }
}

impl Clock for Counter {
    #[inline]
    fn read(&self) -> Reading {
        self.instructions.ordered()
    }

    fn scale(&self) -> Scale {
        self.scale
    }

    fn elsewhere(&self) -> Option<Box<dyn Pairs + '_>> {
        Companion::start(*self).map(|companion| Box::new(companion) as Box<dyn Pairs>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suspension;

    #[test]
    fn law_a_counter_that_began_anew_is_told_from_one_that_stood_still() {
        let Ok(counter) = Counter::calibrated_for(Span::from_millis(5)) else {
            return assert!(Instructions::find().is_err());
        };
        let origin = counter.origin;
        let later = origin.at + Span::from_secs(2);
        let anew = Both { ticks: 0, at: later, ..origin };
        let ago = Span::from_secs(2);
        assert_eq!(counter.drift_at(anew), Err(CounterError::BegunAnew { ago }));
        let still = Both { ticks: origin.ticks + 9, ..origin };
        let over = Span::ZERO;
        assert_eq!(counter.drift_at(still), Err(CounterError::Stopped { over }));
    }

    #[test]
    fn law_another_processor_adds_to_the_doubt() {
        let Ok(counter) = Counter::calibrated_for(Span::from_millis(5)) else {
            return assert!(Instructions::find().is_err());
        };
        let origin = counter.origin;
        let over = Span::from_secs(1);
        let ticks = origin.ticks + counter.scale.saturating_ticks(over);
        let here = Both { ticks, at: origin.at + over, ..origin };
        let there = Both { processor: Some(u32::MAX), ..here };
        let [here, there] = [here, there].map(|end| counter.drift_at(end).unwrap());
        // A microsecond in a second.
        let more = there.uncertainty_ppb - here.uncertainty_ppb;
        assert!((998..=1_002).contains(&more), "{here:?} {there:?}");
    }

    fn both(ticks: u64, ms: u64) -> Both {
        let at = Instant::from_nanos(ms * 1_000_000);
        Both { ticks, at, processor: None, width: 50 }
    }

    /// A counter of 2 GHz, calibrated for 100 ms; `None` on a machine without one.
    fn counter() -> Option<Counter> {
        let instructions = Instructions::find().ok()?;
        let ends = (both(2_000_000_000, 1_000), both(2_200_000_000, 1_100));
        Some(Counter::between(instructions, ends, Watch::begin()).expect("it went on"))
    }

    #[test]
    fn law_drift_is_stated_with_its_uncertainty() {
        let Some(counter) = counter() else { return };
        let (hertz, over) = (2_000_000_000, Span::from_millis(100));
        let stated = Calibration { hertz, over, uncertainty_ppb: 250 };
        assert_eq!(counter.calibration(), stated);
        // Ten seconds later it is 400,000 ticks, which are 200 us, ahead or behind: 20 ppm.
        for (ticks, ppb) in
            [(22_000_400_000, 20_000), (21_999_600_000, -20_000), (22_000_000_000, 0)]
        {
            let drift = counter.drift_at(both(ticks, 11_000)).unwrap();
            assert_eq!((drift.ppb, drift.over), (ppb, Span::from_secs(10)));
            assert!((2..=3).contains(&drift.uncertainty_ppb), "{drift:?}");
            assert_eq!(drift.suspended, Span::ZERO);
        }
    }

    #[test]
    fn refuses_a_rate_of_a_counter_that_began_anew_or_stood_still() {
        let Some(counter) = counter() else { return };
        for end in
            [both(2_000_000_000, 1_100), both(1_000_000_000, 1_100), both(2_200_000_000, 1_000)]
        {
            let ends = (both(2_000_000_000, 1_000), end);
            let found = Counter::between(counter.instructions, ends, Watch::begin());
            assert!(found.is_none(), "{end:?}");
        }
    }

    #[test]
    fn law_a_suspension_is_noticed_after_and_while_it_is_calibrated() {
        let Some(counter) = counter() else { return };
        suspension::plant(Span::from_secs(3));
        let drift = counter.drift_at(both(2_200_000_000, 1_100)).unwrap();
        assert!(suspension::is_about(drift.suspended, Span::from_secs(3)), "{drift:?}");
        // One that was before does not matter to a new one.
        let new = Counter::calibrated_for(Span::from_millis(5)).unwrap();
        assert_eq!(new.drift().unwrap().suspended, Span::ZERO);
        suspension::plant_at_each_look(Span::from_millis(7));
        let found = Counter::calibrated_for(Span::from_millis(5)).unwrap_err();
        let CounterError::Suspended { span } = found else { panic!("{found}") };
        assert!(suspension::is_about(span, Span::from_millis(7)), "{span}");
    }
}
