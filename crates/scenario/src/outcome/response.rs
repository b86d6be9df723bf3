//! Response times, kept without a list.

use hdrhistogram::Histogram;
use windfall_time::Span;

/// Response times: least, most and mean exact, quantiles to within 1 %.
#[derive(Clone, Debug, Default)]
pub struct Response {
    count: u64,
    sum: u128,
    least: u64,
    most: u64,
    histogram: Option<Box<Histogram<u32>>>,
}

impl Response {
    /// One more.
    #[inline]
    pub fn record(&mut self, response: Span) {
        let ns = response.as_nanos();
        self.least = if self.count == 0 { ns } else { self.least.min(ns) };
        self.most = self.most.max(ns);
        self.count += 1;
        self.sum += u128::from(ns);
        let histogram = self.histogram.get_or_insert_with(|| {
            Box::new(Histogram::new(2).unwrap_or_else(|error| panic!("two digits: {error}")))
        });
        if histogram.record(ns.max(1)).is_err() {
            // It has no memory left to grow; the longest stays exact.
            histogram.saturating_record(ns.max(1));
        }
    }

    /// How many.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The shortest, exactly; `None` when there was none.
    #[must_use]
    pub fn least(&self) -> Option<Span> {
        (self.count > 0).then_some(Span::from_nanos(self.least))
    }

    /// The longest, exactly.
    #[must_use]
    pub fn most(&self) -> Option<Span> {
        (self.count > 0).then_some(Span::from_nanos(self.most))
    }

    /// The sum of all, in nanoseconds.
    #[must_use]
    pub const fn sum(&self) -> u128 {
        self.sum
    }

    /// The mean, rounded down to a nanosecond.
    #[must_use]
    pub fn mean(&self) -> Option<Span> {
        let mean = self.sum.checked_div(u128::from(self.count))?;
        u64::try_from(mean).ok().map(Span::from_nanos)
    }

    /// The value below which a share of `percent` of all lie, to within 1 %, and never past the
    /// longest.
    #[must_use]
    pub fn quantile(&self, percent: u8) -> Option<Span> {
        let histogram = self.histogram.as_ref()?;
        let value = histogram.value_at_percentile(f64::from(percent));
        Some(Span::from_nanos(value.clamp(self.least, self.most)))
    }

    /// Upper bounds and counts of the buckets that are not empty.
    #[must_use]
    pub fn buckets(&self) -> Vec<(Span, u64)> {
        let Some(histogram) = &self.histogram else {
            return Vec::new();
        };
        let buckets = histogram.iter_recorded();
        buckets
            .map(|bucket| {
                (Span::from_nanos(bucket.value_iterated_to()), u64::from(bucket.count_at_value()))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_quantiles_are_within_a_hundredth_of_the_sorted_list() {
        let mut response = Response::default();
        let mut all: Vec<u64> = (0..5_000_u64).map(|n| n * n * 7 + 90).collect();
        for ns in &all {
            response.record(Span::from_nanos(*ns));
        }
        all.sort_unstable();
        for percent in [1, 50, 90, 99] {
            let exact = all[all.len() * usize::from(percent) / 100 - 1];
            let found = response.quantile(percent).unwrap_or_default().as_nanos();
            assert!(found.abs_diff(exact) <= exact / 50, "p{percent}: {found}, exactly {exact}");
        }
        assert_eq!(response.most().map(Span::as_nanos), all.last().copied());
        assert_eq!(response.buckets().iter().map(|(_, count)| count).sum::<u64>(), 5_000);
    }
}
