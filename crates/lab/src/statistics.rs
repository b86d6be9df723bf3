//! The statistics that the papers use: means with their confidence, least squares, the t-test.
//!
//! Confidence is 95 % throughout, by Student's t (HLS 10.1).

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean with its confidence interval at 95 %.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Half the width of the interval that holds the true mean 19 times in 20; infinite for a single
    /// sample.
    pub confidence: f64,
    /// Samples.
    pub count: usize,
}

/// The 97.5 % quantile of Student's distribution.
fn student(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

#[expect(clippy::cast_precision_loss, reason = "samples are few")]
fn moments(samples: &[f64]) -> (f64, f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (count, mean, squares / (count - 1.0))
}

/// The mean of the samples; NaN without samples.
#[must_use]
pub fn mean(samples: &[f64]) -> Mean {
    let (count, value, variance) = moments(samples);
    let confidence = if samples.len() < 2 {
        f64::INFINITY
    } else {
        student(count - 1.0) * (variance / count).sqrt()
    };
    Mean { value, confidence, count: samples.len() }
}

/// How much larger the first samples are than the second, by Welch's t: significant when the interval
/// holds no zero.
#[must_use]
pub fn difference(first: &[f64], second: &[f64]) -> Mean {
    let ((n, a, v), (m, b, w)) = (moments(first), moments(second));
    let (v, w) = (v / n, w / m);
    let freedom = (v + w).powi(2) / (v.powi(2) / (n - 1.0) + w.powi(2) / (m - 1.0));
    // Samples without any spread leave no doubt.
    let confidence = match (first.len().min(second.len()), v + w) {
        (..2, _) => f64::INFINITY,
        (_, spread) if spread > 0.0 => student(freedom) * spread.sqrt(),
        _ => 0.0,
    };
    Mean { value: a - b, confidence, count: first.len() + second.len() }
}

impl Mean {
    /// Whether zero is outside of the interval.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.value.abs() > self.confidence
    }
}

/// The line of best fit.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Line {
    /// The slope.
    pub slope: f64,
    /// The value at 0.
    pub at_zero: f64,
    /// The share of the variation that it explains, 0 to 1.
    pub explained: f64,
}

impl Line {
    /// The line's value there.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.at_zero + self.slope * x
    }
}

/// The line of least squares; flat where the points do not determine it.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "points are few")]
pub fn line(points: &[(f64, f64)]) -> Line {
    let count = points.len() as f64;
    let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (sum(|point| point.0), sum(|point| point.1));
    let (mut across, mut both, mut up) = (0.0, 0.0, 0.0);
    for (px, py) in points {
        across += (px - x).powi(2);
        both += (px - x) * (py - y);
        up += (py - y).powi(2);
    }
    let slope = if across > 0.0 { both / across } else { 0.0 };
    let explained = if across * up > 0.0 { both * both / (across * up) } else { 1.0 };
    Line { slope, at_zero: y - slope * x, explained }
}

/// The cost of each of two operations, from totals over counts of both: by least squares, without a constant. Samples are
/// (count of the first, count of the second, total).
#[must_use]
pub(crate) fn costs_of(samples: &[(f64, f64, f64)]) -> (Mean, Mean) {
    let sum = |of: fn(&(f64, f64, f64)) -> f64| samples.iter().map(of).sum::<f64>();
    let (aa, ab, bb) = (sum(|s| s.0 * s.0), sum(|s| s.0 * s.1), sum(|s| s.1 * s.1));
    let (at, bt) = (sum(|s| s.0 * s.2), sum(|s| s.1 * s.2));
    let determinant = aa * bb - ab * ab;
    let (a, b) = ((at * bb - bt * ab) / determinant, (bt * aa - at * ab) / determinant);
    let off: f64 = samples.iter().map(|s| (s.2 - a * s.0 - b * s.1).powi(2)).sum();
    let count = samples.len();
    let confidence = |along: f64| match count {
        ..3 => f64::INFINITY,
        _ => {
            #[expect(clippy::cast_precision_loss, reason = "samples are few")]
            let freedom = (count - 2) as f64;
            student(freedom) * (off / freedom * along / determinant).sqrt()
        }
    };
    let mean = |value, along| Mean { value, confidence: confidence(along), count };
    (mean(a, bb), mean(b, aa))
}

/// The median, of two in the middle the lower; NaN without samples.
#[must_use]
pub fn median(samples: &[f64]) -> f64 {
    quantile(samples, 50)
}

/// The percentile: the sample that this percentage of all does not exceed; NaN without samples.
pub(crate) fn quantile(samples: &[f64], hundredths: u32) -> f64 {
    windfall_clocks::quantile(samples.to_vec(), hundredths, 100)
}

/// A histogram of parts of equal factor between two values above zero: lower end, upper end, count. Samples outside
/// count in the first or last part.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few hundred parts"
)]
pub(crate) fn histogram(
    samples: &[f64],
    (least, most): (f64, f64),
    parts: usize,
) -> Vec<(f64, f64, u64)> {
    let factor = (most / least).powf(1.0 / parts as f64);
    let mut counts = vec![0_u64; parts];
    for sample in samples {
        let part = ((sample / least).ln() / factor.ln()).max(0.0) as usize;
        counts[part.min(parts - 1)] += 1;
    }
    let ends = |part: usize| least * factor.powf(part as f64);
    counts.into_iter().enumerate().map(|(part, n)| (ends(part), ends(part + 1), n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_confidence_is_students() {
        // Of 1 to 8 the deviation is the root of 6; t of 7 degrees of freedom is 2.365 in the tables.
        let found = mean(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert!((found.value - 4.5).abs() < 1e-9, "{found:?}");
        assert!((found.confidence - 2.3646 * (6.0_f64 / 8.0).sqrt()).abs() < 1e-4, "{found:?}");
        assert!(mean(&[1.0]).confidence.is_infinite() && mean(&[]).value.is_nan());
    }

    #[test]
    fn law_a_difference_is_told_from_noise() {
        let low = [10.0, 10.2, 9.9, 10.1, 9.8];
        let high = [10.6, 10.8, 10.5, 10.9, 10.7];
        assert!(difference(&high, &low).is_significant());
        assert!(!difference(&low, &low).is_significant());
        assert!(!difference(&[1.0], &[9.0]).is_significant());
        assert!(difference(&[2.0, 2.0], &[1.0, 1.0]).is_significant());
    }

    #[test]
    fn law_least_squares_finds_a_line() {
        let points: Vec<_> = (1..=16).map(|x| (f64::from(x), 3.0 + 0.961 * f64::from(x))).collect();
        let found = line(&points);
        assert!((found.slope - 0.961).abs() < 1e-9 && (found.at_zero - 3.0).abs() < 1e-9);
        assert!((found.explained - 1.0).abs() < 1e-9 && (found.at(2.0) - 4.922).abs() < 1e-9);
    }

    #[test]
    fn law_two_costs_are_told_from_their_totals() {
        let exact = |a: f64, b: f64| (a, b, 0.5 * a + 0.119 * b);
        let samples = [exact(1811.0, 10.0), exact(1700.0, 400.0), exact(1600.0, 900.0)];
        let (message, scheduling) = costs_of(&samples);
        assert!((message.value - 0.5).abs() < 1e-9 && (scheduling.value - 0.119).abs() < 1e-9);
        assert!(message.confidence < 1e-6 && scheduling.confidence < 1e-6);
        let off = samples.map(|(a, b, total)| (a, b, total + if b > 800.0 { 1.0 } else { 0.0 }));
        assert!(costs_of(&off).1.confidence > 1e-4);
        assert!(costs_of(&samples[..2]).1.confidence.is_infinite());
    }

    #[test]
    fn law_every_sample_is_in_one_part() {
        let samples = [0.5, 1.0, 7.1, 99.0, 1740.0, 1e9];
        let parts = histogram(&samples, (1.0, 1e4), 40);
        assert_eq!(parts.iter().map(|part| part.2).sum::<u64>(), 6);
        let holds = |x: f64| parts.iter().find(|part| part.0 <= x && x < part.1).unwrap().2;
        assert_eq!((holds(7.1), holds(99.0)), (1, 1));
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(&[3.0, 1.0, 2.0, 4.0]) - 2.0).abs() < 1e-9);
    }
}
