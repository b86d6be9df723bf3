//! Where the numbers of an axis stand: at multiples of 1, 2 or 5 times a power of ten.

/// An axis from zero.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it counts, with its unit.
    pub name: String,
    /// Where it ends; above zero.
    pub to: f64,
}

impl Axis {
    /// An axis to the first number at or above `most` that has a tick; to 1 where that is not
    /// above zero.
    #[must_use]
    pub fn covering(name: &str, most: f64) -> Axis {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let (step, _) = step(most);
        // What rounding adds is no reason for another step.
        let to = ((most / step - 1e-9).ceil()).max(1.0) * step;
        Axis { name: name.to_owned(), to }
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
    let (step, places) = step(axis.to);
    let at = |n: u8| f64::from(n) * step;
    let within = |at: &f64| *at <= axis.to * (1.0 + 1e-9);
    (0..=20).map(at).take_while(within).map(|at| (at, format!("{at:.places$}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(to: f64) -> String {
        let texts: Vec<String> =
            ticks(&Axis { name: String::new(), to }).into_iter().map(|(_, text)| text).collect();
        texts.join(" ")
    }

    #[test]
    fn numbers_are_round_and_few() {
        assert_eq!(texts(10.0), "0 1 2 3 4 5 6 7 8 9 10");
        assert_eq!(texts(6.0), "0 1 2 3 4 5 6");
        assert_eq!(texts(1.0), "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
        assert_eq!(texts(0.03), "0.000 0.005 0.010 0.015 0.020 0.025 0.030");
        assert_eq!(texts(150.0), "0 20 40 60 80 100 120 140");
        assert_eq!(texts(25.0), "0 5 10 15 20 25");
    }

    #[test]
    fn an_axis_covers_what_it_is_for() {
        for (most, to) in [(5.5, 6.0), (6.0, 6.0), (0.31, 0.35), (101.0, 120.0)] {
            let found = Axis::covering("", most).to;
            assert!((found - to).abs() < 1e-9, "{most}: {found}");
        }
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!((Axis::covering("", odd).to - 1.0).abs() < 1e-9);
        }
    }
}
