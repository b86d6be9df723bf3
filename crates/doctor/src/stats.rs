//! Quantiles of measured times.

use windfall_time::{Span, quantile};

/// Measured times, in order of size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Summary(Vec<Span>);

impl Summary {
    pub(crate) fn of(mut samples: Vec<Span>) -> Summary {
        samples.sort_unstable();
        Summary(samples)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// As [`quantile`]; zero where there are none.
    pub(crate) fn quantile(&self, part: u32, of: u32) -> Span {
        quantile(&self.0, part, of).unwrap_or(Span::ZERO)
    }

    pub(crate) fn median(&self) -> Span {
        self.quantile(1, 2)
    }

    pub(crate) fn least(&self) -> Span {
        self.0.first().copied().unwrap_or(Span::ZERO)
    }

    pub(crate) fn most(&self) -> Span {
        self.0.last().copied().unwrap_or(Span::ZERO)
    }

    /// Those up to a limit, and how many are above it.
    pub(crate) fn split(mut self, limit: Span) -> (Summary, usize) {
        let kept = self.0.partition_point(|one| *one <= limit);
        let above = self.0.len() - kept;
        self.0.truncate(kept);
        (self, above)
    }

    pub(crate) fn into_samples(self) -> Vec<Span> {
        self.0
    }

    /// All of them together.
    pub(crate) fn sum(&self) -> Span {
        self.0.iter().fold(Span::ZERO, |sum, one| sum + *one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_quantiles_are_samples() {
        let summary = Summary::of([5, 1, 4, 2, 3].map(Span::from_nanos).to_vec());
        assert_eq!((summary.least(), summary.median()), (Span::from_nanos(1), Span::from_nanos(3)));
        assert_eq!(summary.quantile(99, 100), Span::from_nanos(5));
        assert_eq!(summary.quantile(1, 5), Span::from_nanos(1));
        assert_eq!((summary.count(), summary.sum()), (5, Span::from_nanos(15)));
    }

    #[test]
    fn accepts_nothing() {
        let none = Summary::default();
        assert_eq!((none.median(), none.most()), (Span::ZERO, Span::ZERO));
    }
}
