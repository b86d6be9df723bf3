//! Times that the caller took with a clock of its own, in order of size: quantiles, gaps, and what two successive looks take.
//!
//! For what is no section between two readings of one thread: a wake-up, a switch, a mark of a program on a simulated machine.

use windfall_time::{Instant, Span, quantile};

/// Measured times, in order of size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Samples(Vec<Span>);

impl Samples {
    /// These times.
    #[must_use]
    pub fn of(mut times: Vec<Span>) -> Samples {
        times.sort_unstable();
        Samples(times)
    }

    /// The time between two successive reads of a clock, `pairs` times: subtract the median from every time that was measured by two reads.
    #[must_use]
    pub fn of_looks(pairs: usize, mut now: impl FnMut() -> Instant) -> Samples {
        let pair = |_| {
            let begun = now();
            now().saturating_since(begun)
        };
        Samples::of((0..pairs).map(pair).collect())
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// As [`quantile`]; zero where there are none.
    #[must_use]
    pub fn quantile(&self, part: u32, of: u32) -> Span {
        quantile(&self.0, part, of).unwrap_or(Span::ZERO)
    }

    /// The middle one, the lower of two; zero where there are none.
    #[must_use]
    pub fn median(&self) -> Span {
        self.quantile(1, 2)
    }

    /// The least; zero where there are none.
    #[must_use]
    pub fn least(&self) -> Span {
        self.0.first().copied().unwrap_or(Span::ZERO)
    }

    /// The largest; zero where there are none.
    #[must_use]
    pub fn most(&self) -> Span {
        self.0.last().copied().unwrap_or(Span::ZERO)
    }

    /// All of them together, or the longest span.
    #[must_use]
    pub fn sum(&self) -> Span {
        self.0.iter().fold(Span::ZERO, |sum, one| sum.saturating_add(*one))
    }

    /// Those up to a limit, and how many above it were thrown away.
    #[must_use]
    pub fn up_to(mut self, limit: Span) -> (Samples, usize) {
        let kept = self.0.partition_point(|one| *one <= limit);
        let above = self.0.len() - kept;
        self.0.truncate(kept);
        (self, above)
    }

    /// The times, in order of size.
    #[must_use]
    pub fn into_times(self) -> Vec<Span> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_quantiles_are_samples() {
        let samples = Samples::of([5, 1, 4, 2, 3].map(Span::from_nanos).to_vec());
        assert_eq!((samples.least(), samples.median()), (Span::from_nanos(1), Span::from_nanos(3)));
        assert_eq!(samples.quantile(99, 100), Span::from_nanos(5));
        assert_eq!(samples.quantile(1, 5), Span::from_nanos(1));
        assert_eq!((samples.count(), samples.sum()), (5, Span::from_nanos(15)));
        let (kept, above) = samples.up_to(Span::from_nanos(3));
        assert_eq!((kept.into_times(), above), ([1, 2, 3].map(Span::from_nanos).to_vec(), 2));
    }

    #[test]
    fn law_looks_are_taken_in_pairs() {
        let mut looks = [0, 7, 100, 105, 200, 209].map(Instant::from_nanos).into_iter();
        let samples = Samples::of_looks(3, || looks.next().unwrap());
        assert_eq!(samples.into_times(), [5, 7, 9].map(Span::from_nanos));
    }

    #[test]
    fn accepts_nothing() {
        let none = Samples::default();
        assert_eq!((none.median(), none.most()), (Span::ZERO, Span::ZERO));
        assert_eq!(Samples::of_looks(0, || Instant::ZERO), none);
    }
}
