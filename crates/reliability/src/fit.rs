//! Lifetimes fitted to a sample: what all fits share, and which of them fits better.
//!
//! Assumptions. A1: spans are independent and of one distribution; the system is as new after each incident. A2: what cut a span off has nothing to do with when its incident would have come.
//!
//! Too few events give a bound ("at least") or an error by name, never an estimate.

mod compare;
mod exponential;
mod solve;
mod weibull;

pub use compare::{Comparison, Fitness, Verdict, compare};
pub use exponential::Exponential;
pub use weibull::Weibull;

use core::fmt;

/// How sure an interval is to hold the truth: more than 0, less than 1.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Confidence(f64);

impl Confidence {
    /// 95 %.
    pub const USUAL: Confidence = Confidence(0.95);

    /// This share, as 0.9.
    ///
    /// # Errors
    /// [`FitError::Confidence`] when it is not above 0 and below 1.
    pub fn new(share: f64) -> Result<Confidence, FitError> {
        if share > 0.0 && share < 1.0 {
            Ok(Confidence(share))
        } else {
            Err(FitError::Confidence { share })
        }
    }

    /// As a share.
    #[must_use]
    pub const fn share(self) -> f64 {
        self.0
    }
}

/// An estimate, and from where to where the truth may be.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end; infinite when nothing bounds it.
    pub high: f64,
}

impl Interval {
    /// Whether it holds this value.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// A mean time in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Mean {
    /// There were events.
    Estimate(Interval),
    /// There was none: with the confidence that was asked, the mean is at least this.
    AtLeast(f64),
}

/// Seconds in the largest unit of which there is one.
struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(f64, &str); 4] =
            [(86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s")];
        let fits = UNITS.iter().find(|(seconds, _)| self.0 >= *seconds);
        match fits {
            Some((seconds, unit)) => write!(f, "{:.2} {unit}", self.0 / seconds),
            None => write!(f, "{:.3e} s", self.0),
        }
    }
}

impl fmt::Display for Mean {
    /// As `15.00 d (4.15 d to 123.86 d)`, or `at least 5.56 min`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mean::Estimate(Interval { value, low, high }) if high.is_infinite() => {
                write!(f, "{} ({} at least)", Shown(*value), Shown(*low))
            }
            Mean::Estimate(Interval { value, low, high }) => {
                write!(f, "{} ({} to {})", Shown(*value), Shown(*low), Shown(*high))
            }
            Mean::AtLeast(seconds) => write!(f, "at least {}", Shown(*seconds)),
        }
    }
}

/// Why nothing can be fitted.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum FitError {
    /// Nothing was observed.
    NoTime,
    /// Too few events for this fit.
    FewEvents {
        /// How many there are.
        events: usize,
        /// How many it needs.
        needs: usize,
    },
    /// A span of no length: its incident came at the time of the one before, or when observation began.
    ZeroSpan {
        /// Which of the spans that ended, from 1.
        place: usize,
    },
    /// All spans that ended are as long as the longest of all: no shape is too large.
    NoSpread {
        /// How many ended.
        events: usize,
    },
    /// So nearly equal, or spread so widely, that the best shape is not from 0.01 to 1000.
    Shapeless,
    /// No share.
    Confidence {
        /// The value given.
        share: f64,
    },
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitError::NoTime => {
                write!(f, "nothing was observed: all spans are zero; some span must be longer")
            }
            FitError::FewEvents { events, needs } => write!(
                f,
                "{events} events are too few for a Weibull fit; allowed: {needs} or more; an exponential fit does with fewer"
            ),
            FitError::ZeroSpan { place } => write!(
                f,
                "span {place} is zero: its incident came with the one before, or when observation began; leave it out"
            ),
            FitError::NoSpread { events } => write!(
                f,
                "the {events} spans that ended are all as long as the longest; a Weibull fit needs some that are shorter"
            ),
            FitError::Shapeless => {
                write!(f, "no Weibull shape from 0.01 to 1000 fits these spans")
            }
            FitError::Confidence { share } => {
                write!(f, "a confidence of {share}; allowed: more than 0 and less than 1, as 0.95")
            }
        }
    }
}

impl core::error::Error for FitError {}

/// The quantile of chi-square with this many degrees of freedom, which are 1 or more.
///
/// For many degrees it is the approximation of Wilson and Hilferty (1931), whose error is then less than a part in 10^6:
/// sums of that many terms take long, and their rounding is larger.
pub(crate) fn chi_square(degrees: f64, share: f64) -> f64 {
    use statrs::distribution::{ChiSquared, ContinuousCDF};
    const MANY: f64 = 1e4;
    match ChiSquared::new(degrees) {
        Ok(chi) if degrees < MANY => chi.inverse_cdf(share),
        _ => {
            let normal = -core::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(2.0 * share);
            let part = 2.0 / (9.0 * degrees);
            degrees * (1.0 - part + normal * part.sqrt()).powi(3)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_quantiles_of_chi_square_are_those_of_tables_and_have_no_step() {
        for (degrees, share, known) in
            [(1.0, 0.95, 3.841_459), (2.0, 0.025, 0.050_636), (10.0, 0.975, 20.483_177)]
        {
            assert!((chi_square(degrees, share) - known).abs() < 1e-6, "{degrees} {share}");
        }
        for share in [0.001, 0.025, 0.5, 0.975, 0.999] {
            let (below, above) = (chi_square(9_999.999_9, share), chi_square(10_000.000_1, share));
            assert!((above / below - 1.0 - 2e-8).abs() < 1e-6, "{share}: {below} {above}");
        }
        let most = chi_square(1e19, 0.975);
        assert!((most / 1e19 - 1.0).abs() < 1e-8);
    }
}
