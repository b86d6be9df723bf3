//! Equations (2), (4) and (5) against drawn variables, and the paper's special cases.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_clocks::variance::{
    Correlations, Deviations, improvement, improvement_at, variance, variance_near_zero,
    variance_of_equal_halves,
};

/// Draws equal numbers for equal seeds (SplitMix64).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        f64::from(u32::try_from((z ^ (z >> 31)) >> 32).unwrap()) / 4_294_967_296.0
    }

    /// Mean 0, variance 1; twelve uniform ones have that variance.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / f64::from(u32::try_from(of.len()).unwrap())
}

fn covariance(one: &[f64], other: &[f64]) -> f64 {
    let (of_one, of_other) = (mean(one), mean(other));
    let products: Vec<f64> =
        one.iter().zip(other).map(|(x, y)| (x - of_one) * (y - of_other)).collect();
    mean(&products)
}

fn deviation(of: &[f64]) -> f64 {
    covariance(of, of).sqrt()
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    covariance(one, other) / (deviation(one) * deviation(other))
}

fn correlations(t: &[Vec<f64>; 4]) -> Correlations {
    let r = |i: usize, j: usize| correlation(&t[i], &t[j]);
    Correlations {
        t1_t2: r(0, 1),
        t1_t3: r(0, 2),
        t1_t4: r(0, 3),
        t2_t3: r(1, 2),
        t2_t4: r(1, 3),
        t3_t4: r(2, 3),
    }
}

/// The variance of T2 + T3 - (T1 + T4)/2 over all draws.
fn drawn_variance(t: &[Vec<f64>; 4]) -> f64 {
    let results: Vec<f64> =
        (0..t[0].len()).map(|n| t[1][n] + t[2][n] - f64::midpoint(t[0][n], t[3][n])).collect();
    covariance(&results, &results)
}

/// Four variables, each a random mixture of four independent ones.
fn mixed(random: &mut Random, draws: usize) -> [Vec<f64>; 4] {
    let weights: [[f64; 4]; 4] =
        std::array::from_fn(|_| std::array::from_fn(|_| 2.0 * random.uniform() - 1.0));
    let mut t: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::with_capacity(draws));
    for _ in 0..draws {
        let sources: [f64; 4] = std::array::from_fn(|_| random.normal());
        for (part, weights) in t.iter_mut().zip(&weights) {
            part.push(weights.iter().zip(&sources).map(|(w, s)| w * s).sum());
        }
    }
    t
}

fn near(one: f64, other: f64, tolerance: f64) -> bool {
    (one - other).abs() <= tolerance * one.abs().max(other.abs()).max(1e-9)
}

#[test]
fn law_equation_2_is_the_variance_of_drawn_variables() {
    let mut random = Random(1);
    let (mut gained, mut lost) = (0, 0);
    for _ in 0..60 {
        let t = mixed(&mut random, 400);
        let s = Deviations {
            t1: deviation(&t[0]),
            t2: deviation(&t[1]),
            t3: deviation(&t[2]),
            t4: deviation(&t[3]),
        };
        let (r, drawn) = (correlations(&t), drawn_variance(&t));
        // The moments are those of the draws themselves, so only rounding is between them.
        assert!(near(variance(&s, &r), drawn, 1e-9), "{s:?} {r:?}: {drawn}");
        let uncorrected = s.t2 * s.t2 + s.t3 * s.t3 + 2.0 * r.t2_t3 * s.t2 * s.t3;
        if drawn < uncorrected { gained += 1 } else { lost += 1 }
    }
    assert!(gained > 5 && lost > 5, "{gained} gained, {lost} lost");
}

/// Reads whose two halves vary together, or each on its own, below a load that pairs share by `common`.
fn reads(random: &mut Random, together: bool, common: f64, draws: usize) -> [Vec<f64>; 4] {
    let mut t: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::with_capacity(draws));
    for _ in 0..draws {
        let load = random.normal();
        let mut half = || common * load + (1.0 - common * common).sqrt() * random.normal();
        if together {
            let [a, b, c, d] = std::array::from_fn(|_| half());
            // A pair of reads is a whole read: two halves, which vary as one.
            for (part, value) in t.iter_mut().zip([2.0 * a, b, c, 2.0 * d]) {
                part.push(value);
            }
        } else {
            for (part, halves) in t.iter_mut().zip([2, 1, 1, 2]) {
                part.push((0..halves).map(|_| half()).sum());
            }
        }
    }
    t
}

#[test]
fn law_equation_4_holds_for_halves_that_vary_together_and_3_does_not_for_others() {
    let mut random = Random(2);
    for common in [0.0, 0.5, 0.9] {
        let t = reads(&mut random, true, common, 40_000);
        let (s, drawn) = (deviation(&t[0]), drawn_variance(&t));
        assert!(near(variance_of_equal_halves(s, &correlations(&t)), drawn, 0.05), "{common}");
    }
    let t = reads(&mut random, false, 0.0, 40_000);
    let (s, drawn) = (deviation(&t[0]), drawn_variance(&t));
    // (3) has halves of s/2; on their own they have s over the root of 2, and the variance is 1.5 s^2.
    assert!(near(deviation(&t[1]), s / 2.0_f64.sqrt(), 0.03));
    assert!(near(drawn, 1.5 * s * s, 0.05), "{drawn}");
    let said = variance_of_equal_halves(s, &correlations(&t));
    assert!(near(said, s * s, 0.05) && said < 0.75 * drawn, "{said} of {drawn}");
}

#[test]
fn law_equation_5_is_the_variance_of_three_drawn_pairs() {
    let mut random = Random(3);
    for common in [0.0, 0.3, 0.7, 0.95] {
        let alone = f64::sqrt(1.0 - common * common);
        let mut t: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::new());
        for _ in 0..40_000 {
            let load = random.normal();
            let [before, zero, after] =
                std::array::from_fn(|_| common * load + alone * random.normal());
            for (part, value) in t.iter_mut().zip([before, 0.0, zero, after]) {
                part.push(value);
            }
        }
        let r = |i: usize, j: usize| correlation(&t[i], &t[j]);
        let said = variance_near_zero(deviation(&t[2]), r(0, 2), r(0, 3), r(2, 3));
        assert!(near(said, drawn_variance(&t), 0.05), "{common}: {said}");
    }
}

#[test]
fn paper_special_cases_of_4_2() {
    let worst = Correlations { t1_t4: 1.0, t2_t3: 1.0, ..Correlations::all(0.0) };
    for s in [1.0, 7.138] {
        assert!(near(variance_of_equal_halves(s, &Correlations::all(1.0)), 0.0, 1e-9));
        assert!(near(variance_of_equal_halves(s, &worst), 2.0 * s * s, 1e-9));
        assert!(near(variance_near_zero(s, 1.0, 1.0, 1.0), 0.0, 1e-9));
        assert!(near(variance_near_zero(s, 0.0, 0.0, 0.0), 1.5 * s * s, 1e-9));
        assert!(near(variance_near_zero(s, 0.0, 1.0, 0.0), 2.0 * s * s, 1e-9));
        // T1 with T2, and T3 with T4, are enough.
        let own = Correlations { t1_t2: 1.0, t3_t4: 1.0, ..Correlations::all(0.0) };
        assert!(near(variance_of_equal_halves(s, &own), 0.0, 1e-9));
        let halves = Deviations { t1: s, t2: s / 2.0, t3: s / 2.0, t4: s };
        for r in [Correlations::all(0.4), worst, own] {
            assert!(near(variance(&halves, &r), variance_of_equal_halves(s, &r), 1e-9));
        }
    }
}

#[test]
fn paper_k_is_two_thirds_without_correlation_and_half_at_worst() {
    let k = |r13, r14, r34| improvement(1.0, variance_near_zero(1.0, r13, r14, r34)).unwrap();
    assert!(near(k(0.0, 0.0, 0.0), 2.0 / 3.0, 1e-9));
    assert!(near(k(0.0, 1.0, 0.0), 0.5, 1e-9));
    let mut last = 0.0;
    for percent in 0..100 {
        let k = improvement_at(f64::from(percent) / 100.0).unwrap();
        assert!(k > last, "k rises with the correlation: {k} at {percent} %");
        last = k;
    }
    assert!(near(improvement_at(2.0 - 3.0_f64.sqrt()).unwrap(), 1.0, 1e-9));
    assert_eq!((improvement_at(1.0), improvement(1.0, 0.0)), (None, None));
}
