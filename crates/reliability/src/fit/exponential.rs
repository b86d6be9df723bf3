//! The exponential lifetime: incidents come at one rate, whatever the age.
//!
//! The mean is the time under observation by the number of events; it is that of greatest likelihood, also with spans that were cut off. The interval is that of a count of Poisson (Garwood 1936): when observation ends at a fixed time it holds the truth at least as often as it says.

use super::{Confidence, FitError, Interval, Mean, chi_square};
use crate::Sample;
use windfall_time::Span;

/// An exponential lifetime, fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exponential {
    seconds: f64,
    events: f64,
    mean: Mean,
}

impl Exponential {
    /// Fits a sample; few events or none do.
    ///
    /// # Errors
    /// [`FitError::NoTime`] when the spans are all zero.
    pub fn fit(sample: &Sample, confidence: Confidence) -> Result<Exponential, FitError> {
        Exponential::of(sample.total_seconds(), sample.events() as u64, confidence)
    }

    /// The same, of a counter: so many events in all of this time.
    ///
    /// # Errors
    /// [`FitError::NoTime`] when there was no time.
    pub fn of_count(
        observed: Span,
        events: u64,
        confidence: Confidence,
    ) -> Result<Exponential, FitError> {
        Exponential::of(observed.as_secs_f64(), events, confidence)
    }

    fn of(seconds: f64, events: u64, confidence: Confidence) -> Result<Exponential, FitError> {
        if seconds <= 0.0 {
            return Err(FitError::NoTime);
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of 2^53 events loses nothing that matters"
        )]
        let count = events as f64;
        let outside = 1.0 - confidence.share();
        let mean = if events == 0 {
            Mean::AtLeast(seconds / -outside.ln())
        } else {
            Mean::Estimate(Interval {
                value: seconds / count,
                low: 2.0 * seconds / chi_square(2.0 * count + 2.0, 1.0 - outside / 2.0),
                high: 2.0 * seconds / chi_square(2.0 * count, outside / 2.0),
            })
        };
        Ok(Exponential { seconds, events: count, mean })
    }

    /// The mean time to an event: MTTF of failures, MTTE of errors.
    #[must_use]
    pub const fn mean(&self) -> Mean {
        self.mean
    }

    /// The rate of greatest likelihood, per second; 0 without events.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.events / self.seconds
    }

    /// The logarithm of the likelihood, of spans in seconds.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        if self.events == 0.0 { 0.0 } else { self.events * (self.rate().ln() - 1.0) }
    }

    /// The probability to last longer than so many seconds.
    #[must_use]
    pub fn survival(&self, seconds: f64) -> f64 {
        (-self.rate() * seconds.max(0.0)).exp()
    }
}
