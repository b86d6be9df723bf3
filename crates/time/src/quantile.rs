//! The quantile of measured values: the nearest rank, which is always one of them.

/// The least of the `sorted` values that at least `part` of `of` of them do not exceed; `None` without any.
///
/// Part 1 of 2 is the median, the lower of two in the middle; part 0 is the least, and `of` of `of` the largest.
#[must_use]
pub fn quantile<T: Copy>(sorted: &[T], part: u32, of: u32) -> Option<T> {
    let values = sorted.len() as u128;
    let rank = (values * u128::from(part)).div_ceil(u128::from(of.max(1))).clamp(1, values.max(1));
    sorted.get(usize::try_from(rank - 1).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn paper_of_five_the_third_is_the_median() {
        let five = [1, 2, 3, 4, 5];
        let found =
            [(0, 1), (1, 5), (1, 2), (99, 100), (1, 1)].map(|(p, of)| quantile(&five, p, of));
        assert_eq!(found, [1, 1, 3, 5, 5].map(Some));
        assert_eq!(quantile(&[1, 2], 1, 2), Some(1));
        assert_eq!(quantile::<u8>(&[], 1, 2), None);
    }

    proptest! {
        /// The definition, counted.
        #[test]
        fn law_as_many_do_not_exceed_it_as_were_asked_for_and_fewer_are_below(
            mut values in prop::collection::vec(0..50_u8, 1..60),
            part in 1..=100_u32,
        ) {
            values.sort_unstable();
            let found = quantile(&values, part, 100).unwrap();
            let up_to = values.iter().filter(|value| **value <= found).count() as u64;
            let below: Vec<_> = values.iter().filter(|value| **value < found).collect();
            let (all, part) = (values.len() as u64, u64::from(part));
            prop_assert!(up_to * 100 >= all * part);
            prop_assert!((below.len() as u64) * 100 < all * part);
        }
    }
}
