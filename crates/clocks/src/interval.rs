//! The result of a measurement, or the reason why there is none.

use crate::{Gaps, Method};
use core::fmt;
use windfall_time::Span;

/// A measured interval, or the difference of two; statistics in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Interval {
    /// Its mean, compensated, in ns. A short interval may come out below zero, and a difference does where the candidate is faster.
    pub value: f64,
    /// Zero elapsed time as measured by the same method in the same run, in ns: the remaining bias of reading.
    pub bias: f64,
    /// The variance of one sample, compensated, in square ns.
    pub variance: f64,
    /// How many samples were kept.
    pub samples: u64,
    /// How many were thrown away, and why.
    pub gaps: Gaps,
    /// How it was compensated. Long-term averaging stands in for a chosen short-term method whose k was below 1 in this run; a method that the caller gave is kept.
    pub method: Method,
    /// By how much that reduced the variance of zero elapsed time, in the same run; 1 for [`Method::Uncompensated`] and [`Method::LongTerm`]. `None` where nothing scattered.
    pub k: Option<f64>,
}

impl Interval {
    /// The standard error of [`Interval::value`], in ns, if samples are independent of each other.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "statistics")]
    pub fn error(&self) -> f64 {
        (self.variance / self.samples as f64).sqrt()
    }

    /// The value as a length of time, rounded to the nanosecond; `None` where it is below zero by more than half of one.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "checked against the range before")]
    #[expect(clippy::cast_sign_loss, reason = "checked against the range before")]
    pub fn span(&self) -> Option<Span> {
        let nanos = self.value.round();
        (0.0..18_446_744_073_709_551_616.0).contains(&nanos).then(|| Span::from_nanos(nanos as u64))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interval { value, bias, samples, gaps, method, .. } = self;
        let (error, deviation) = (self.error(), self.variance.sqrt());
        write!(
            f,
            "{value:.2} ns, +-{error:.2}; one sample +-{deviation:.1}, zero elapsed time {bias:.2} ns; {method}, {samples} samples, {} thrown away",
            gaps.all()
        )
    }
}

/// Why there is no interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IntervalError {
    /// Too few samples were asked for.
    TooFew {
        /// How many.
        requested: u32,
        /// How many at least.
        least: u32,
    },
    /// Too few were whole.
    OnlyGaps {
        /// How many samples were asked for.
        requested: u32,
        /// Why those of what was measured were thrown away.
        gaps: Gaps,
        /// Why those of zero elapsed time, or of the base, were.
        base: Gaps,
        /// A sample that exceeds the median by no more than this is not thrown away for being late.
        gap: Span,
    },
    /// The machine was suspended meanwhile.
    Suspended {
        /// For how long.
        span: Span,
    },
    /// Method II needs another thread that reads the same clock.
    NoCompanion,
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntervalError::TooFew { requested, least } => {
                write!(f, "{requested} samples are too few for a variance; ask for at least {least}")
            }
            IntervalError::OnlyGaps { requested, gaps, base, gap } => write!(
                f,
                "of {requested} samples {} were thrown away, and {} of what they are compared with ({} and {} as too late, by {gap} or more); \
                 measure where less else runs, or give a longer gap",
                gaps.all(),
                base.all(),
                gaps.late,
                base.late
            ),
            IntervalError::Suspended { span } => {
                write!(f, "the machine was suspended for {span} meanwhile; measure again")
            }
            IntervalError::NoCompanion => f.write_str(
                "method II needs a thread that reads the clock on another processor, and there is none; take method I",
            ),
        }
    }
}

impl core::error::Error for IntervalError {}
