//! How far a compensated interval scatters, from how far its four reads do: equations (2), (4) and (5) of 4.2, and the improvement k.
//!
//! The parts are those of figure 8. T1 is the pair of reads before, T2 the part of the first read that falls into the interval, T3 that of the last read, T4 the pair after.
//! The result is T2 + T3 - (T1 + T4)/2 more than the truth. Plain functions of statistics, in floats: nothing is decided here.
//!
//! The scan of the paper has lost terms of (2), (4) and (5); they stand as derived, and give the paper's special cases.

/// Standard deviations of the four parts, in one unit of time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Deviations {
    /// Of the pair before.
    pub t1: f64,
    /// Of the time that the first read adds to the interval.
    pub t2: f64,
    /// Of the time that the last read adds.
    pub t3: f64,
    /// Of the pair after.
    pub t4: f64,
}

/// Correlation coefficients of the four parts, each from -1 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Correlations {
    /// Of T1 and T2.
    pub t1_t2: f64,
    /// Of T1 and T3.
    pub t1_t3: f64,
    /// Of T1 and T4.
    pub t1_t4: f64,
    /// Of T2 and T3.
    pub t2_t3: f64,
    /// Of T2 and T4.
    pub t2_t4: f64,
    /// Of T3 and T4.
    pub t3_t4: f64,
}

impl Correlations {
    /// The same coefficient for all six.
    #[must_use]
    pub const fn all(r: f64) -> Correlations {
        Correlations { t1_t2: r, t1_t3: r, t1_t4: r, t2_t3: r, t2_t4: r, t3_t4: r }
    }
}

/// Equation (2): the variance of a compensated interval, in the unit of the deviations, squared.
#[must_use]
pub fn variance(s: &Deviations, r: &Correlations) -> f64 {
    let alone = s.t1 * s.t1 / 4.0 + s.t2 * s.t2 + s.t3 * s.t3 + s.t4 * s.t4 / 4.0;
    let with = 2.0 * r.t2_t3 * s.t2 * s.t3 + r.t1_t4 * s.t1 * s.t4 / 2.0;
    let against = r.t1_t2 * s.t1 * s.t2
        + r.t1_t3 * s.t1 * s.t3
        + r.t2_t4 * s.t2 * s.t4
        + r.t3_t4 * s.t3 * s.t4;
    alone + with - against
}

/// Equation (4): the same where pairs have the deviation `s` and halves of a read half of it, which is assumption (3).
///
/// (3) holds only where both halves of a read vary together. Halves that vary on their own have `s` over the root of 2; take [`variance`] there.
#[must_use]
pub fn variance_of_equal_halves(s: f64, r: &Correlations) -> f64 {
    let sum = r.t1_t4 + r.t2_t3 - r.t1_t2 - r.t1_t3 - r.t2_t4 - r.t3_t4;
    s * s * (1.0 + sum / 2.0)
}

/// Equation (5): the same for an interval near zero, whose T2 and T3 are one pair of reads of deviation `s`, as T1 and T4 are.
///
/// `r13`, `r14` and `r34` are the coefficients of before and measured, before and after, measured and after.
#[must_use]
pub fn variance_near_zero(s: f64, r13: f64, r14: f64, r34: f64) -> f64 {
    s * s * (1.5 + r14 / 2.0 - r13 - r34)
}

/// k: the variance without compensation over that with it; above 1 it gained. `None` where the compensated one is not above zero.
///
/// Near zero and with correlations that are not negative, k is 0.5 at least, 0.67 without correlation, and has no upper bound.
#[must_use]
pub fn improvement(uncorrected: f64, corrected: f64) -> Option<f64> {
    (corrected > 0.0).then(|| uncorrected / corrected)
}

/// k near zero for one coefficient `r` between neighbours of the three pairs, 0 to 1, if load is forgotten from read to read: before and after have `r` squared.
///
/// It is 1 at 2 less the root of 3, which is 0.268. `None` at 1, where nothing is left of the variance.
#[must_use]
pub fn improvement_at(r: f64) -> Option<f64> {
    improvement(1.0, variance_near_zero(1.0, r, r * r, r))
}
