//! Which lifetime fits a sample better, and whether it fits at all.
//!
//! The criterion is Akaike's (AIC): twice the parameters less twice the logarithm of the likelihood; the lesser the better. A model within 2 of the best is as good as that (Burnham and Anderson 2002, 2.6), so the exponential, which has a parameter less, is kept until the Weibull gains more than 2.

use super::{Confidence, Exponential, FitError, Mean, Weibull};
use crate::Sample;
use core::fmt;

/// Which lifetime fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The exponential does as well: nothing says that age matters.
    Exponential,
    /// Weibull, with a rate that rises with age.
    WearsOut,
    /// Weibull, with a rate that falls with age.
    EarlyFaults,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Exponential => "exponential does as well: nothing says that age matters",
            Verdict::WearsOut => "Weibull fits better: the rate rises with age",
            Verdict::EarlyFaults => "Weibull fits better: the rate falls with age",
        })
    }
}

/// The distance of a fit from the observations.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Fitness {
    /// The greatest distance of the fitted probabilities from those of Kaplan and Meier (1958), 0 to 1.
    pub distance: f64,
    /// The distance that one in 20 samples exceeds when it is drawn from the fitted family; `None` if more than one span
    /// was cut off, or there are fewer than 5 events: no limit is known here for these.
    ///
    /// Exponential: Stephens 1974. Weibull, large samples: Stephens 1977, 0.874 divided by the root of the number of
    /// events.
    pub limit: Option<f64>,
}

/// Both fits of a sample.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The exponential.
    pub exponential: Exponential,
    /// Weibull.
    pub weibull: Weibull,
    /// By how much Akaike's criterion is less for Weibull; negative when it is greater.
    pub gain: f64,
    /// The conclusion.
    pub verdict: Verdict,
    /// How far the exponential is off.
    pub exponential_fitness: Fitness,
    /// How far Weibull is off.
    pub weibull_fitness: Fitness,
}

impl Comparison {
    /// The mean of the lifetime that fits better.
    #[must_use]
    pub const fn mean(&self) -> Mean {
        match self.verdict {
            Verdict::Exponential => self.exponential.mean(),
            Verdict::WearsOut | Verdict::EarlyFaults => Mean::Estimate(self.weibull.mean()),
        }
    }

    /// How far the lifetime that fits better is off.
    #[must_use]
    pub const fn fitness(&self) -> Fitness {
        match self.verdict {
            Verdict::Exponential => self.exponential_fitness,
            Verdict::WearsOut | Verdict::EarlyFaults => self.weibull_fitness,
        }
    }
}

/// Fits both lifetimes and compares them.
///
/// # Errors
/// The errors of [`Weibull::fit`]: with few events there is nothing to compare, and only [`Exponential::fit`] is
/// left.
pub fn compare(sample: &Sample, confidence: Confidence) -> Result<Comparison, FitError> {
    let weibull = Weibull::fit(sample, confidence)?;
    let exponential = Exponential::fit(sample, confidence)?;
    let gain = 2.0 * (weibull.log_likelihood() - exponential.log_likelihood()) - 2.0;
    let verdict = match weibull.shape().value {
        _ if gain <= 2.0 => Verdict::Exponential,
        shape if shape > 1.0 => Verdict::WearsOut,
        _ => Verdict::EarlyFaults,
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of 2^53 events loses nothing that matters"
    )]
    let events = sample.events() as f64;
    let is_known = sample.censored().len() <= 1 && sample.events() >= 5;
    let root = events.sqrt();
    let of_exponential = 0.2 / events + 1.094 / (root + 0.26 + 0.5 / root);
    let of_weibull = 0.874 / root;
    Ok(Comparison {
        exponential,
        weibull,
        gain,
        verdict,
        exponential_fitness: Fitness {
            distance: distance(sample, |seconds| exponential.survival(seconds)),
            limit: is_known.then_some(of_exponential),
        },
        weibull_fitness: Fitness {
            distance: distance(sample, |seconds| weibull.survival(seconds)),
            limit: is_known.then_some(of_weibull),
        },
    })
}

/// From the steps of Kaplan and Meier's estimate, on both sides of each.
fn distance(sample: &Sample, survival: impl Fn(f64) -> f64) -> f64 {
    let ended = sample.ended().iter().map(|span| (*span, true));
    let mut spans: Vec<_> =
        ended.chain(sample.censored().iter().map(|span| (*span, false))).collect();
    // Of equal spans, those that ended come first: who was cut off then was still at risk.
    spans.sort_by_key(|(span, has_ended)| (*span, !has_ended));
    let (mut estimate, mut greatest) = (1.0_f64, 0.0_f64);
    for (place, (span, has_ended)) in spans.iter().enumerate() {
        if !has_ended {
            continue;
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of 2^53 spans loses nothing that matters"
        )]
        let at_risk = (spans.len() - place) as f64;
        let fitted = survival(span.as_secs_f64());
        greatest = greatest.max((estimate - fitted).abs());
        estimate *= 1.0 - 1.0 / at_risk;
        greatest = greatest.max((estimate - fitted).abs());
    }
    greatest
}
