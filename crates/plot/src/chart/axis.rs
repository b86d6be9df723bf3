//! Where an axis begins and ends, and where its numbers stand: at multiples of 1, 2 or 5 times a power
//! of ten.

/// A straight axis from one value to another, in equal steps or in equal factors.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The quantity, with its unit.
    pub name: String,
    /// Where it begins.
    pub from: f64,
    /// Where it ends; above where it begins.
    pub to: f64,
    /// Whether equal distances are equal factors; both ends are above zero then.
    pub logarithmic: bool,
}

impl Axis {
    /// An axis from zero to exactly `to`; to 1 where that is not above zero.
    #[must_use]
    pub fn until(name: &str, to: f64) -> Axis {
        let to = if to.is_finite() && to > 0.0 { to } else { 1.0 };
        Axis { name: name.to_owned(), from: 0.0, to, logarithmic: false }
    }

    /// An axis from zero to the first number at or above `most` that has a tick; to 1 where that is not
    /// above zero.
    #[must_use]
    pub fn covering(name: &str, most: f64) -> Axis {
        let axis = Axis::until(name, most);
        let (step, _) = step(axis.to);
        // What rounding adds is no reason for another step.
        let to = ((axis.to / step - 1e-9).ceil()).max(1.0) * step;
        Axis { to, ..axis }
    }

    /// An axis from the last tick at or below `least` to the first at or above `most`; as
    /// [`Axis::covering`] where `least` is not below `most`.
    #[must_use]
    pub fn between(name: &str, least: f64, most: f64) -> Axis {
        let long = most - least;
        if !(long.is_finite() && long > 0.0) {
            return Axis::covering(name, most);
        }
        let (step, _) = step(long);
        let from = (least / step + 1e-9).floor() * step;
        let to = (most / step - 1e-9).ceil() * step;
        Axis { name: name.to_owned(), from, to, logarithmic: false }
    }

    /// A logarithmic axis over the powers of ten around `least` and `most`; around 1 where they are not
    /// above zero.
    #[must_use]
    pub fn factors(name: &str, least: f64, most: f64) -> Axis {
        let whole = |value: f64| if value.is_finite() && value > 0.0 { value.log10() } else { 0.0 };
        let from = (whole(least) + 1e-9).floor();
        let to = (whole(most) - 1e-9).ceil().max(from + 1.0);
        let (from, to) = (10_f64.powf(from), 10_f64.powf(to));
        Axis { name: name.to_owned(), from, to, logarithmic: true }
    }

    /// Where a value lies: 0 where the axis begins, 1 where it ends. Values that a logarithmic axis
    /// cannot show lie far below it.
    pub(crate) fn share(&self, value: f64) -> f64 {
        if !self.logarithmic {
            return (value - self.from) / (self.to - self.from);
        }
        if value > 0.0 { (value / self.from).ln() / (self.to / self.from).ln() } else { -1e3 }
    }
}

/// Between 5 and 11 steps to `to`; and how many decimals a multiple of the step has.
fn step(to: f64) -> (f64, usize) {
    let (mut power, mut places) = (1.0, 0);
    while to / power > 10.0 {
        power *= 10.0;
    }
    while to / power <= 1.0 {
        power /= 10.0;
        places += 1;
    }
    // 1 < to / power <= 10.
    let (part, finer) = match to / power {
        ..2.0 => (0.2, 1),
        ..5.0 => (0.5, 1),
        _ => (1.0, 0),
    };
    let places = if power >= 10.0 { 0 } else { places + finer };
    (power * part, places)
}

/// The numbers of an axis with their texts.
pub(crate) fn ticks(axis: &Axis) -> Vec<(f64, String)> {
    if axis.logarithmic {
        return factors(axis);
    }
    let (step, places) = step(axis.to - axis.from);
    let first = (axis.from / step - 1e-9).ceil();
    let at = |n: u8| (first + f64::from(n)) * step;
    let within = |at: &f64| *at <= axis.to + step * 1e-6;
    // A zero has no sign.
    let text = |at: f64| format!("{:.places$}", if at.abs() < step * 0.5 { 0.0 } else { at });
    (0..=20).map(at).take_while(within).map(|at| (at, text(at))).collect()
}

/// Powers of ten, and between them 2 and 5 where there are few.
fn factors(axis: &Axis) -> Vec<(f64, String)> {
    let decades = (axis.to / axis.from).log10();
    let parts: &[f64] = if decades < 3.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks = Vec::new();
    let mut power = axis.from;
    while power <= axis.to * (1.0 + 1e-9) {
        for part in parts {
            let at = power * part;
            if at <= axis.to * (1.0 + 1e-9) {
                let text = if at >= 0.99 { format!("{at:.0}") } else { shortest(at) };
                ticks.push((at, text));
            }
        }
        power *= 10.0;
    }
    ticks
}

fn shortest(value: f64) -> String {
    let text = format!("{value:.9}");
    text.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> String {
        let texts: Vec<String> = ticks(axis).into_iter().map(|(_, text)| text).collect();
        texts.join(" ")
    }

    #[test]
    fn numbers_are_round_and_few() {
        for (to, expected) in [
            (10.0, "0 1 2 3 4 5 6 7 8 9 10"),
            (6.0, "0 1 2 3 4 5 6"),
            (1.0, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"),
            (0.03, "0.000 0.005 0.010 0.015 0.020 0.025 0.030"),
            (150.0, "0 20 40 60 80 100 120 140"),
            (25.0, "0 5 10 15 20 25"),
        ] {
            assert_eq!(texts(&Axis::until("", to)), expected);
        }
        assert_eq!(texts(&Axis::between("", -12.0, 29.0)), "-15 -10 -5 0 5 10 15 20 25 30");
        assert_eq!(texts(&Axis::factors("", 0.3, 40.0)), "0.1 0.2 0.5 1 2 5 10 20 50 100");
        assert_eq!(texts(&Axis::factors("", 1.0, 1e4)), "1 10 100 1000 10000");
    }

    #[test]
    fn an_axis_covers_what_it_is_for() {
        for (most, to) in [(5.5, 6.0), (6.0, 6.0), (0.31, 0.35), (101.0, 120.0)] {
            let found = Axis::covering("", most).to;
            assert!((found - to).abs() < 1e-9, "{most}: {found}");
        }
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!((Axis::covering("", odd).to - 1.0).abs() < 1e-9);
            assert!((Axis::between("", odd, odd).to - 1.0).abs() < 1e-9);
            assert!((Axis::factors("", odd, odd).to - 10.0).abs() < 1e-9);
        }
    }

    #[test]
    fn places_are_shares_of_the_axis() {
        let straight = Axis { name: String::new(), from: -10.0, to: 30.0, logarithmic: false };
        assert!((straight.share(0.0) - 0.25).abs() < 1e-9);
        let factors = Axis::factors("", 1.0, 1e4);
        assert!((factors.share(100.0) - 0.5).abs() < 1e-9);
        assert!(factors.share(0.0) < -1.0);
    }
}
