//! Elapsed times between readings, as the paper sums them up: means, deviations and distributions.

use super::Sample;
use crate::units::micros;

/// Elapsed times, in us.
pub(crate) struct Elapsed(Vec<f64>);

#[expect(clippy::cast_precision_loss, reason = "samples are counted below 2^53")]
fn count(of: &[f64]) -> f64 {
    of.len() as f64
}

impl Elapsed {
    /// Those of the samples, of which there is at least one.
    pub(crate) fn of<'s>(samples: impl IntoIterator<Item = &'s Sample>) -> Option<Elapsed> {
        let all: Vec<f64> = samples.into_iter().map(|sample| micros(sample.elapsed)).collect();
        (!all.is_empty()).then_some(Elapsed(all))
    }

    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / count(&self.0)
    }

    pub(crate) fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|one| (one - mean).powi(2)).sum();
        (squares / count(&self.0)).sqrt()
    }

    pub(crate) fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Per cent of them in each interval of so many us, with the middle of the interval.
    pub(crate) fn histogram(&self, wide: f64, up_to: f64) -> Vec<(f64, f64)> {
        let mut bins = Vec::new();
        let mut from = 0.0;
        while from < up_to {
            let inside = self.0.iter().filter(|one| (from..from + wide).contains(*one));
            #[expect(clippy::cast_precision_loss, reason = "samples are counted below 2^53")]
            let part = inside.count() as f64 / count(&self.0);
            bins.push((from + wide / 2.0, 100.0 * part));
            from += wide;
        }
        bins
    }

    /// Of those between two limits: their part of all, and their mean.
    pub(crate) fn between(&self, least: f64, most: f64) -> Option<(f64, f64)> {
        let some: Vec<f64> =
            self.0.iter().copied().filter(|one| (least..most).contains(one)).collect();
        let part = count(&some) / count(&self.0);
        (!some.is_empty()).then(|| (part, some.iter().sum::<f64>() / count(&some)))
    }
}
