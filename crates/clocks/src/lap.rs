//! A lap: many rounds timed as a whole: two readings in order, one at each end.
//!
//! The time of the readings is not taken off: it is a thousandth of 100 us, and less of longer laps; for shorter ones there is [`Lap::of_nothing`]. Single executions are measured by a [`crate::Stopwatch`].

use crate::{Clock, Samples, SystemClock};
use windfall_time::{Instant, Span};

/// A lap that has begun.
///
/// ```
/// use windfall_clocks::Lap;
///
/// let lap = Lap::begin();
/// let sum = (0..10_000_u64).fold(0, |sum, n| sum ^ std::hint::black_box(n));
/// println!("{:.2} ns a round", lap.each(10_000));
/// # assert_ne!(sum, 1);
/// # assert!(lap.each(10_000) > 0.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lap {
    begun: Instant,
}

impl Lap {
    /// Begins after all that precedes is done.
    #[must_use]
    #[inline]
    pub fn begin() -> Lap {
        Lap { begun: read() }
    }

    /// The time of a lap in which nothing happens: the median of a thousand.
    #[must_use]
    pub fn of_nothing() -> Span {
        Samples::of((0..1_000).map(|_| Lap::begin().passed()).collect()).median()
    }

    /// The time until now, when all that precedes is done.
    #[must_use]
    #[inline]
    pub fn passed(&self) -> Span {
        read().saturating_since(self.begun)
    }

    /// The time until now in nanoseconds for each of so many rounds.
    #[must_use]
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "statistics")]
    pub fn each(&self, rounds: u64) -> f64 {
        self.passed().as_nanos() as f64 / rounds as f64
    }
}

/// CLOCK_MONOTONIC, which goes on at one rate on every machine.
#[inline]
fn read() -> Instant {
    Instant::from_nanos(SystemClock::Monotonic.read().ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_lap_lasts_as_long_as_the_clock_says_and_is_divided_evenly() {
        let before = SystemClock::Monotonic.now();
        let lap = Lap::begin();
        std::thread::sleep(std::time::Duration::from_millis(5));
        let passed = lap.passed();
        let each = lap.each(1_000);
        let around = SystemClock::Monotonic.now().saturating_since(before);
        assert!(passed >= Span::from_millis(5) && passed <= around, "{passed} of {around}");
        let [least, most] = [passed, around].map(|span| span.as_secs_f64() * 1e6);
        assert!((least..=most).contains(&each), "{each} ns of {passed}");
        assert!(Lap::of_nothing() < Span::from_micros(20).unwrap());
    }
}
