//! Roots and maxima of functions of one number. Each narrows an interval a fixed number of times, so that none runs for ever.

/// Halvings at most: each halves the logarithm of the ends' ratio, so these do for all floats.
const HALVINGS: u32 = 100;

/// How near the ends come, by their ratio: far nearer than any sample can say.
const NEAR: f64 = 1e-10;

/// The point between `low` and `high`, positive, from which on `holds`, to 10 digits; halves on a logarithmic scale.
pub(crate) fn first(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = (low.ln() / 2.0 + high.ln() / 2.0).exp();
        if middle <= low || middle >= high || high - low < low * NEAR {
            break;
        }
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Going away from `from` by growing factors (`up`: to larger values): the first point at which `beyond` holds, and the one before; `None` when none is found before the factor is 10^60.
pub(crate) fn bracket(from: f64, up: bool, beyond: impl Fn(f64) -> bool) -> Option<(f64, f64)> {
    let (mut before, mut step) = (from, 0.1_f64);
    while step < 140.0 {
        let next = from * (if up { step } else { -step }).exp();
        if beyond(next) {
            return Some((before, next));
        }
        (before, step) = (next, step * 1.6);
    }
    None
}

/// The greatest value of a function with one maximum between `low` and `high`, by golden section on a logarithmic scale.
pub(crate) fn greatest(low: f64, high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (low.ln(), high.ln());
    let at = |point: f64| value(point.exp());
    let (mut left, mut right) = (high - SECTION * (high - low), low + SECTION * (high - low));
    let (mut of_left, mut of_right) = (at(left), at(right));
    for _ in 0..30 {
        if of_left < of_right {
            (low, left, of_left) = (left, right, of_right);
            right = low + SECTION * (high - low);
            of_right = at(right);
        } else {
            (high, right, of_right) = (right, left, of_left);
            left = high - SECTION * (high - low);
            of_left = at(left);
        }
    }
    of_left.max(of_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_roots_and_maxima_are_those_that_are_known() {
        assert!((first(1e-6, 1e6, |x| x * x >= 2.0) - 2_f64.sqrt()).abs() < 1e-9);
        let (before, beyond) = bracket(1.0, false, |x| x < 0.01).expect("there is one");
        assert!(before >= 0.01 && beyond < 0.01);
        assert_eq!(bracket(1.0, true, |_| false), None);
        assert!((greatest(0.1, 10.0, |x| 3.0 - (x - 2.0).powi(2)) - 3.0).abs() < 1e-9);
    }
}
