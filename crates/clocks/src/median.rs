//! The quantiles of measured numbers, in any order: rates, ratios, costs of a call.

/// The [`quantile`](windfall_time::quantile) of these numbers; NaN of none.
#[must_use]
pub fn quantile(mut values: Vec<f64>, part: u32, of: u32) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    windfall_time::quantile(&values, part, of).unwrap_or(f64::NAN)
}

/// The median of these numbers, of two in the middle the lower; NaN of none.
#[must_use]
pub fn median(values: Vec<f64>) -> f64 {
    quantile(values, 1, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_numbers_in_any_order_and_none() {
        let values = vec![3.0, 1.0, 2.0, 4.0];
        assert!((median(values.clone()) - 2.0).abs() < 1e-12);
        assert!((quantile(values, 1, 1) - 4.0).abs() < 1e-12);
        assert!(median(Vec::new()).is_nan());
    }
}
