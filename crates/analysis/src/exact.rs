//! Sums of fractions, exact at any size: utilisations and densities decide, so nothing is rounded.
//!
//! The common denominator of twenty periods in nanoseconds has over a thousand bits, which no
//! fixed rational holds; two numbers of any size hold the sum, never reduced, since that would cost more.

use crate::Task;
use core::cmp::Ordering;
use num_bigint::BigUint;

/// A sum of fractions above or at zero.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    above: BigUint,
    below: BigUint,
}

impl Sum {
    /// Nothing yet.
    pub(crate) fn new() -> Sum {
        Sum { above: BigUint::ZERO, below: BigUint::from(1_u8) }
    }

    /// Adds `above / below`; `below` is above zero.
    pub(crate) fn add(&mut self, above: u128, below: u128) {
        self.add_all(&Sum { above: above.into(), below: below.into() });
    }

    /// Adds another sum.
    pub(crate) fn add_all(&mut self, other: &Sum) {
        self.above = &self.above * &other.below + &self.below * &other.above;
        self.below *= &other.below;
    }

    /// The sum against another one.
    pub(crate) fn compare(&self, other: &Sum) -> Ordering {
        (&self.above * &other.below).cmp(&(&other.above * &self.below))
    }

    /// The sum against a whole number.
    pub(crate) fn compare_whole(&self, whole: u64) -> Ordering {
        self.above.cmp(&(&self.below * whole))
    }
}

/// The share of one processor that the tasks take in the long run; periods are above zero.
pub(crate) fn utilisation(tasks: &[Task]) -> Sum {
    let mut sum = Sum::new();
    for task in tasks {
        sum.add(u128::from(task.work.as_nanos()), u128::from(task.period.as_nanos()));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windfall_time::Ratio;

    proptest! {
        #[test]
        fn limit_sums_are_those_of_rationals(
            terms in prop::collection::vec((0_u64..50, 1_u64..50), 0..6),
            other in prop::collection::vec((0_u64..50, 1_u64..50), 0..6),
            whole in 0_u64..6,
        ) {
            let ours = |terms: &[(u64, u64)]| {
                let mut sum = Sum::new();
                terms.iter().for_each(|(a, b)| sum.add(u128::from(*a), u128::from(*b)));
                sum
            };
            let theirs = |terms: &[(u64, u64)]| {
                terms.iter().fold(Ratio::ZERO, |sum, (above, below)| {
                    let term = Ratio::new(i128::from(*above), i128::from(*below));
                    sum.checked_add(term.unwrap()).unwrap()
                })
            };
            prop_assert_eq!(
                ours(&terms).compare(&ours(&other)),
                theirs(&terms).cmp(&theirs(&other))
            );
            let against = theirs(&terms).cmp(&Ratio::whole(whole));
            prop_assert_eq!(ours(&terms).compare_whole(whole), against);
        }
    }

    #[test]
    fn limit_a_thousand_equal_parts_are_one_whole_and_no_more() {
        let mut sum = Sum::new();
        for _ in 0..1_000 {
            sum.add(u128::from(u64::MAX / 1_000), u128::from(u64::MAX / 1_000) * 1_000);
        }
        assert_eq!(sum.compare_whole(1), Ordering::Equal);
        sum.add(1, u128::MAX);
        assert_eq!(sum.compare_whole(1), Ordering::Greater);
    }
}
