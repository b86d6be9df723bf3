//! Samples of one kind: which are kept, and what they come to.

use crate::{Gaps, SampleError};
use windfall_time::quantile;

/// A sample this many times as far above the median as nine tenths of them at most was disturbed.
const FAR: u64 = 10;

/// One sample, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sample {
    /// The pair of reads before it.
    pub(crate) before: u64,
    /// The measured time, including that of two reads.
    pub(crate) measured: u64,
    /// The pair of reads after it.
    pub(crate) after: u64,
}

/// Mean and variance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Moments {
    pub(crate) count: u64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl Moments {
    /// `None` for fewer than two values, which have no variance.
    #[expect(clippy::cast_precision_loss, reason = "statistics")]
    pub(crate) fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Moments> {
        let count = values.clone().count() as u64;
        if count < 2 {
            return None;
        }
        let mean = values.clone().sum::<f64>() / count as f64;
        let squares = values.map(|value| (value - mean) * (value - mean)).sum::<f64>();
        Some(Moments { count, mean, variance: squares / (count - 1) as f64 })
    }

    /// The standard error of the mean.
    #[expect(clippy::cast_precision_loss, reason = "statistics")]
    pub(crate) fn error(&self) -> f64 {
        (self.variance / self.count as f64).sqrt()
    }
}

/// Samples as they came, before it is known which hold a gap.
pub(crate) type RawSamples = Vec<Result<Sample, SampleError>>;

/// Samples in order, each either whole or thrown away.
#[derive(Clone, Debug)]
pub(crate) struct Series(RawSamples);

impl Series {
    /// Throws away samples that are, or whose pairs are, later than the median of their kind by more than `gap` ticks, and by ten times more than nine tenths of them are.
    pub(crate) fn of(mut raw: RawSamples, gap: u64) -> Series {
        let parts = |sample: &Sample| [sample.before, sample.measured, sample.after];
        let limits = [0, 1, 2].map(|part| {
            let mut ticks: Vec<u64> = raw.iter().flatten().map(|s| parts(s)[part]).collect();
            ticks.sort_unstable();
            let (median, most) = (quantile(&ticks, 1, 2)?, quantile(&ticks, 9, 10)?);
            Some(median.saturating_add(gap.max((most - median).saturating_mul(FAR))))
        });
        for sample in &mut raw {
            let late = sample.is_ok_and(|sample| {
                parts(&sample).into_iter().zip(limits).any(|(part, limit)| Some(part) > limit)
            });
            if late {
                *sample = Err(SampleError::Late);
            }
        }
        Series(raw)
    }

    pub(crate) fn gaps(&self) -> Gaps {
        let mut gaps = Gaps::default();
        self.0.iter().filter_map(|sample| sample.err()).for_each(|why| gaps.count(why));
        gaps
    }

    /// Those that are whole, in order.
    pub(crate) fn kept(&self) -> impl Iterator<Item = Sample> + Clone + '_ {
        self.0.iter().filter_map(|sample| sample.ok())
    }

    /// Mean and variance of something of each that is whole; `None` for fewer than two.
    pub(crate) fn moments(&self, of: impl Fn(&Sample) -> f64 + Clone) -> Option<Moments> {
        Moments::of(self.kept().map(|sample| of(&sample)))
    }

    /// The first, third and so on, or with 1 the second, fourth and so on.
    pub(crate) fn every_other(&self, first: usize) -> Series {
        Series(self.0.iter().skip(first).step_by(2).copied().collect())
    }

    /// Rounds that are whole in both.
    pub(crate) fn both<'s>(
        &'s self,
        other: &'s Series,
    ) -> impl Iterator<Item = (Sample, Sample)> + Clone + 's {
        self.0.iter().zip(&other.0).filter_map(|(one, other)| Some((one.ok()?, other.ok()?)))
    }

    /// The excess of this series over the other in each round that is whole in both, in ticks; and why other rounds are not whole.
    pub(crate) fn less(&self, other: &Series) -> (Vec<f64>, Gaps) {
        let both = self.both(other);
        let more = both.map(|(one, other)| ticks(one.measured) - ticks(other.measured)).collect();
        let mut gaps = Gaps::default();
        let thrown =
            self.0.iter().zip(&other.0).filter_map(|(one, other)| one.err().or(other.err()));
        thrown.for_each(|why| gaps.count(why));
        (more, gaps)
    }
}

/// Ticks, for statistics.
#[expect(clippy::cast_precision_loss, reason = "statistics")]
pub(crate) fn ticks(of: u64) -> f64 {
    of as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(before: u64, measured: u64, after: u64) -> Result<Sample, SampleError> {
        Ok(Sample { before, measured, after })
    }

    #[test]
    fn law_what_is_later_than_the_median_and_the_gap_is_thrown_away_and_counted() {
        let mut raw = vec![
            sample(10, 50, 10),
            sample(10, 51, 10),
            sample(10, 150, 10), // exactly the gap above the median
            sample(10, 151, 10),
            sample(10, 50, 111),
            sample(111, 50, 10),
            sample(10, 50, 10),
            Err(SampleError::Migrated),
            Err(SampleError::Backwards),
            Err(SampleError::Stale),
        ];
        raw.extend([sample(10, 50, 10); 30]);
        let series = Series::of(raw, 100);
        assert_eq!(series.gaps(), Gaps { late: 3, migrated: 1, backwards: 1, stale: 1 });
        assert_eq!(series.gaps().all(), 6);
        let kept: Vec<u64> = series.kept().map(|sample| sample.measured).collect();
        assert_eq!(kept[..4], [50, 51, 150, 50]);
        assert_eq!(kept.len(), 34);
    }

    #[test]
    fn law_what_scatters_by_itself_has_no_gap_up_to_ten_times_as_far() {
        // Nine tenths are at most 20 above the median.
        let calm = (0..100).map(|n| sample(10, if n < 80 { 50 } else { 70 }, 10));
        let with = |far: u64| {
            let raw = calm.clone().chain([sample(10, 50 + far, 10)]).collect();
            Series::of(raw, 100).gaps().late
        };
        assert_eq!((with(200), with(201)), (0, 1));
    }

    #[test]
    fn law_of_two_series_those_rounds_are_kept_that_are_whole_in_both() {
        let one = Series::of(vec![sample(0, 5, 0), Err(SampleError::Migrated), sample(0, 6, 0)], 9);
        let other = Series::of(vec![sample(0, 1, 0), sample(0, 2, 0), sample(0, 3, 0)], 9);
        let both: Vec<_> = one.both(&other).map(|(a, b)| (a.measured, b.measured)).collect();
        assert_eq!(both, [(5, 1), (6, 3)]);
        assert_eq!(one.less(&other), (vec![4.0, 3.0], Gaps { migrated: 1, ..Gaps::default() }));
        assert_eq!(one.every_other(0).kept().count(), 2);
        assert_eq!(one.every_other(1).gaps().migrated, 1);
    }

    #[test]
    fn accepts_two_values_and_refuses_one() {
        assert_eq!(Moments::of([1.0].into_iter()), None);
        let two = Moments::of([1.0, 3.0].into_iter()).unwrap();
        assert_eq!(two, Moments { count: 2, mean: 2.0, variance: 2.0 });
        assert!((two.error() - 1.0).abs() < 1e-12);
        let none = Series::of(Vec::new(), 0);
        assert_eq!((none.kept().count(), none.gaps()), (0, Gaps::default()));
    }
}
