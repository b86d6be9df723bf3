//! The processor's own counter: read in one instruction, and told in nanoseconds of CLOCK_MONOTONIC_RAW.
//!
//! A `Counter` exists only where the processor says that it counts at one rate whatever the processor does. It makes no promise about other machines' processors, and
//! time that goes on evenly over a suspension; [`Counter::drift`] says what became of it.

mod calibration;
mod instructions;

use crate::companion::Companion;
use crate::suspension::Watch;
use crate::{Clock, Pairs, Reading, Scale};
use calibration::{Both, parts_per_billion, parts_too_many};
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
    /// For how long both clocks were compared.
    pub over: Span,
    /// By how many parts in 10^9 the rate may be wrong at most, because the two clocks cannot be read at once.
    pub uncertainty_ppb: u64,
}

/// How far a counter has gone from CLOCK_MONOTONIC_RAW since it was calibrated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Drift {
    /// Parts in 10^9 by which it is too fast; negative: too slow.
    pub ppb: i64,
    /// By how much `ppb` may be wrong, because the two clocks cannot be read at once.
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
    /// While it was calibrated, for `over`, the counter or the kernel's clock did not go on.
    Stopped {
        /// For how long it was to be.
        over: Span,
    },
}

impl fmt::Display for CounterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot read the processor's counter: ")?;
        match self {
            CounterError::Unknown { architecture } => write!(f, "none is known for {architecture}"),
            CounterError::NotInvariant => f.write_str(
                "its rate may change, since CPUID (leaf 0x80000007, EDX bit 8) does not say that it is invariant",
            ),
            CounterError::Stopped { over } => {
                write!(f, "it or CLOCK_MONOTONIC_RAW stood still while it was calibrated for {over}")
            }
        }?;
        f.write_str("; use `SystemClock::Monotonic`, as `Best` does")
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

    /// Finds the counter, and compares it with CLOCK_MONOTONIC_RAW now and after `over`, in which the thread sleeps.
    ///
    /// # Errors
    /// Where the architecture has none that is known here, the processor does not call it invariant, or it stood still.
    pub fn calibrated_for(over: Span) -> Result<Counter, CounterError> {
        let instructions = Instructions::find()?;
        let watch = Watch::begin();
        let origin = Both::look(instructions);
        std::thread::sleep(std::time::Duration::from_nanos(over.as_nanos()));
        let end = Both::look(instructions);
        let stopped = CounterError::Stopped { over };
        let ticks = end.ticks.checked_sub(origin.ticks).ok_or(stopped)?;
        let span = end.at.since(origin.at).ok_or(stopped)?;
        let scale = Scale::of(ticks, span).ok_or(stopped)?;
        let hertz = u128::from(ticks) * 1_000_000_000 / u128::from(span.as_nanos());
        let hertz = u64::try_from(hertz).map_err(|_| stopped)?;
        let uncertainty_ppb = parts_per_billion(origin.doubt() + end.doubt(), ticks);
        let calibration = Calibration { hertz, over: span, uncertainty_ppb };
        let zero =
            i128::from(origin.at.as_nanos()) - i128::from(scale.span(origin.ticks).as_nanos());
        let zero = i64::try_from(zero).map_err(|_| stopped)?;
        Ok(Counter { instructions, scale, zero, origin, calibration, watch })
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
    /// [`CounterError::Stopped`] when it shows less than when it was made.
    pub fn drift(&self) -> Result<Drift, CounterError> {
        let now = Both::look(self.instructions);
        let over = now.at.saturating_since(self.origin.at);
        let stopped = CounterError::Stopped { over };
        let ticks = now.ticks.checked_sub(self.origin.ticks).ok_or(stopped)?;
        Ok(Drift {
            ppb: parts_too_many(self.scale.span(ticks), over).ok_or(stopped)?,
            uncertainty_ppb: parts_per_billion(self.origin.doubt() + now.doubt(), ticks),
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
