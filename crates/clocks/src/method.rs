//! How an interval is compensated for what its reads take, and which way a clock gets: that of the largest k, measured.
//!
//! **The line that decides** is in [`choose`]: a short-term method reads three pairs for a sample, so it is taken only if its k is at least 3. Long-term averaging, whose k is 1, takes three samples instead.

use crate::series::{Moments, Sample, ticks};
use crate::variance::improvement;
use core::fmt;

/// How an interval is compensated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Method {
    /// Not at all: zero elapsed time cannot be told from zero.
    Uncompensated,
    /// Long-term averaging: the mean of zero elapsed time is subtracted. k is 1.
    LongTerm,
    /// Short-term, method I: half of the pair of reads directly before and half of that directly after are subtracted; and the mean of what that leaves of zero elapsed time.
    MethodI,
    /// Short-term, method II: the same with pairs that another thread reads at about these times.
    MethodII,
    /// The difference of two sections that are measured in turn: what reads take is in both.
    Paired,
}

impl Method {
    /// An interval less what pairs of reads close to it took, in ticks.
    pub(crate) fn compensated(self, sample: &Sample) -> f64 {
        match self {
            Method::Uncompensated | Method::LongTerm | Method::Paired => ticks(sample.measured),
            // Equation (1).
            Method::MethodI | Method::MethodII => {
                ticks(sample.measured) - f64::midpoint(ticks(sample.before), ticks(sample.after))
            }
        }
    }

    /// k over some samples of zero elapsed time; `None` where they do not scatter at all after it, or are too few.
    pub(crate) fn improvement(self, zeros: impl Iterator<Item = Sample> + Clone) -> Option<f64> {
        if matches!(self, Method::Uncompensated | Method::LongTerm) {
            return Some(1.0);
        }
        let uncorrected = Moments::of(zeros.clone().map(|zero| ticks(zero.measured)))?;
        let corrected = Moments::of(zeros.map(|zero| self.compensated(&zero)))?;
        improvement(uncorrected.variance, corrected.variance)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Uncompensated => "uncompensated",
            Method::LongTerm => "long-term averaging",
            Method::MethodI => "method I",
            Method::MethodII => "method II",
            Method::Paired => "paired differences",
        })
    }
}

/// Zero elapsed time by a method, on this machine, when a stopwatch was made.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The method.
    pub method: Method,
    /// k that all but one of several parts of the samples reached; `None` where there were too few whole samples.
    pub k: Option<f64>,
    /// The mean, in nanoseconds: what the method leaves.
    pub bias: f64,
    /// The standard error of that mean, in nanoseconds.
    pub bias_error: f64,
}

/// The gain that a short-term method needs: as much as its two further pairs would bring as samples.
const WORTHWHILE: f64 = 3.0;

/// The short-term method with the largest k that is worthwhile; without one, long-term averaging, or nothing where there is nothing to subtract.
pub(crate) fn choose(trials: &[Trial]) -> Method {
    let plain = trials.iter().find(|trial| trial.method == Method::Uncompensated);
    if plain.is_some_and(|trial| trial.bias.abs() <= 2.0 * trial.bias_error) {
        return Method::Uncompensated;
    }
    let short = trials.iter().filter(|trial| trial.k.is_some_and(|k| k >= WORTHWHILE));
    let best = short.max_by(|one, other| one.k.unwrap_or(0.0).total_cmp(&other.k.unwrap_or(0.0)));
    best.map_or(Method::LongTerm, |best| best.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(method: Method, k: Option<f64>, bias: f64) -> Trial {
        Trial { method, k, bias, bias_error: 0.1 }
    }

    #[test]
    fn law_the_largest_k_is_chosen_if_it_is_worth_its_reads() {
        let plain = trial(Method::Uncompensated, Some(1.0), 20.0);
        let long = trial(Method::LongTerm, Some(1.0), 0.0);
        let with = |one, two| {
            let short = [trial(Method::MethodI, one, 0.0), trial(Method::MethodII, two, 0.0)];
            choose(&[plain, long, short[0], short[1]])
        };
        assert_eq!(with(Some(3.57), Some(1.11)), Method::MethodI);
        assert_eq!(with(Some(0.8), Some(3.0)), Method::MethodII);
        assert_eq!(with(Some(3.57), Some(8.0)), Method::MethodII);
        assert_eq!(with(Some(0.68), Some(2.99)), Method::LongTerm);
        assert_eq!(with(None, Some(1.0)), Method::LongTerm);
        let nothing = trial(Method::Uncompensated, Some(1.0), 0.2);
        assert_eq!(choose(&[nothing, long]), Method::Uncompensated);
        assert_eq!(choose(&[]), Method::LongTerm);
    }

    #[test]
    fn paper_equation_1_subtracts_half_of_both_pairs() {
        let sample = Sample { before: 310, measured: 1_000, after: 330 };
        for method in [Method::MethodI, Method::MethodII] {
            assert!((method.compensated(&sample) - 680.0).abs() < 1e-9, "{method}");
        }
        for method in [Method::Uncompensated, Method::LongTerm, Method::Paired] {
            assert!((method.compensated(&sample) - 1_000.0).abs() < 1e-9, "{method}");
        }
    }
}
