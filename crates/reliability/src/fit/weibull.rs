//! The Weibull lifetime: the rate of incidents rises with age (shape above 1: wear) or falls (below 1: early faults).
//!
//! Shape and scale are those of greatest likelihood with censored spans. The likelihood of a shape, each with its best scale, has one maximum, where a function that only rises is 0; it is found by halving.
//! Intervals are of likelihood ratios: all values that the greatest likelihood exceeds by at most half the quantile of chi-square (Meeker and Escobar 1998, 8.3). They need not be symmetric, and hold the truth a little less often than they say when events are few.

use super::{Confidence, FitError, Interval, chi_square, solve};
use crate::Sample;
use statrs::function::gamma::ln_gamma;

/// A Weibull lifetime, fitted: the probability to last longer than t is exp(-(t / scale)^shape).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weibull {
    shape: Interval,
    scale: Interval,
    mean: Interval,
    log_likelihood: f64,
}

impl Weibull {
    /// As many events as it needs.
    pub const NEEDS: usize = 3;
    /// The shapes that are looked at; the mean of the least is 10^158 scales.
    const SHAPES: (f64, f64) = (1e-2, 1e3);

    /// Fits a sample.
    ///
    /// # Errors
    /// [`FitError::FewEvents`], [`FitError::ZeroSpan`], [`FitError::NoSpread`], and [`FitError::Shapeless`] when none of the shapes from 0.01 to 1000 is the best.
    pub fn fit(sample: &Sample, confidence: Confidence) -> Result<Weibull, FitError> {
        let data = Data::of(sample)?;
        let (least, most) = Weibull::SHAPES;
        if data.slope(least) >= 0.0 || data.slope(most) < 0.0 {
            return Err(FitError::Shapeless);
        }
        let shape = solve::first(least, most, |shape| data.slope(shape) >= 0.0);
        let best = data.of_shape(shape);
        let bound = best - chi_square(1.0, confidence.share()) / 2.0;
        let scale = data.log_scale(shape).exp();
        let interval = |value: f64, likelihood: &dyn Fn(f64) -> f64| {
            let is_beyond = |point: f64| likelihood(point) < bound;
            let low = solve::bracket(value, false, is_beyond);
            let high = solve::bracket(value, true, is_beyond);
            Interval {
                value,
                low: low.map_or(0.0, |(inside, beyond)| {
                    solve::first(beyond, inside, |point| !is_beyond(point))
                }),
                high: high.map_or(f64::INFINITY, |(inside, beyond)| {
                    solve::first(inside, beyond, is_beyond)
                }),
            }
        };
        let around = (shape / 20.0, shape * 20.0);
        let of_scale = |scale: f64| {
            solve::greatest(around.0, around.1, |shape| data.likelihood(shape, scale.ln()))
        };
        // Of a given mean, each shape has one scale.
        let of_mean = |mean: f64| {
            solve::greatest(around.0, around.1, |shape| {
                data.likelihood(shape, mean.ln() - ln_gamma(1.0 + 1.0 / shape))
            })
        };
        let unit = data.unit;
        let mean = scale * ln_gamma(1.0 + 1.0 / shape).exp();
        Ok(Weibull {
            shape: interval(shape, &|shape| data.of_shape(shape)),
            scale: in_seconds(interval(scale, &of_scale), unit),
            mean: in_seconds(interval(mean, &of_mean), unit),
            log_likelihood: best - data.events * unit.ln(),
        })
    }

    /// The shape, a number.
    #[must_use]
    pub const fn shape(&self) -> Interval {
        self.shape
    }

    /// The scale in seconds: 63 % of the spans are shorter.
    #[must_use]
    pub const fn scale(&self) -> Interval {
        self.scale
    }

    /// The mean in seconds: MTTF of failures, MTTE of errors.
    #[must_use]
    pub const fn mean(&self) -> Interval {
        self.mean
    }

    /// The logarithm of the likelihood, of spans in seconds.
    #[must_use]
    pub const fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The probability to last longer than so many seconds.
    #[must_use]
    pub fn survival(&self, seconds: f64) -> f64 {
        (-(seconds.max(0.0) / self.scale.value).powf(self.shape.value)).exp()
    }
}

fn in_seconds(of_units: Interval, unit: f64) -> Interval {
    let Interval { value, low, high } = of_units;
    Interval { value: value * unit, low: low * unit, high: high * unit }
}

/// Spans in units of the longest, so that no power of one overflows.
struct Data {
    /// Logarithms of all spans, at most 0.
    all: Vec<f64>,
    events: f64,
    /// The sum over the spans that ended.
    sum: f64,
    /// Seconds.
    unit: f64,
}

impl Data {
    fn of(sample: &Sample) -> Result<Data, FitError> {
        let events = sample.events();
        if events < Weibull::NEEDS {
            return Err(FitError::FewEvents { events, needs: Weibull::NEEDS });
        }
        if let Some(place) = sample.ended().iter().position(|span| span.is_zero()) {
            return Err(FitError::ZeroSpan { place: place + 1 });
        }
        let spans = || sample.ended().iter().chain(sample.censored());
        let Some(longest) = spans().max().copied() else {
            return Err(FitError::NoTime);
        };
        if sample.ended().iter().all(|span| *span == longest) {
            return Err(FitError::NoSpread { events });
        }
        let unit = longest.as_secs_f64();
        let all: Vec<f64> = spans().map(|span| (span.as_secs_f64() / unit).ln()).collect();
        let sum = all[..events].iter().sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of 2^53 events loses nothing that matters"
        )]
        let events = events as f64;
        Ok(Data { all, events, sum, unit })
    }

    /// The sum of all spans raised to a power, and the same sum with each term times its logarithm.
    fn powers(&self, shape: f64) -> (f64, f64) {
        self.all.iter().fold((0.0, 0.0), |(sum, with), log| {
            let power = (shape * log).exp();
            (sum + power, with + power * log)
        })
    }

    /// A function of the shape that rises everywhere, and is 0 where the likelihood is greatest.
    fn slope(&self, shape: f64) -> f64 {
        let (sum, with) = self.powers(shape);
        with / sum - 1.0 / shape - self.sum / self.events
    }

    /// The logarithm of the best scale of a shape.
    fn log_scale(&self, shape: f64) -> f64 {
        (self.powers(shape).0 / self.events).ln() / shape
    }

    fn likelihood(&self, shape: f64, log_scale: f64) -> f64 {
        let hazard: f64 = self.all.iter().map(|log| (shape * (log - log_scale)).exp()).sum();
        self.events * (shape.ln() - shape * log_scale) + (shape - 1.0) * self.sum - hazard
    }

    /// With the best scale.
    fn of_shape(&self, shape: f64) -> f64 {
        self.likelihood(shape, self.log_scale(shape))
    }
}
