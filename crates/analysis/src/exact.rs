//! Sums of fractions, exact at any size: utilisations and densities decide, so nothing is rounded.
//!
//! The common denominator of twenty periods in nanoseconds has over a thousand bits, which no
//! fixed rational holds; two numbers of as many digits as it takes hold the sum.

use crate::Task;
use core::cmp::Ordering;

/// A natural number, least significant digit first, without leading zeros.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Natural(Vec<u64>);

impl Natural {
    fn new(value: u128) -> Natural {
        let (low, high) = halves(value);
        Natural(vec![low, high]).trimmed()
    }

    fn trimmed(mut self) -> Natural {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn times(&self, other: &Natural) -> Natural {
        let mut product = vec![0; self.0.len() + other.0.len()];
        for (place, digit) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (sum, factor) in product[place..].iter_mut().zip(other.0.iter().chain([&0])) {
                let full = u128::from(*digit) * u128::from(*factor) + u128::from(*sum) + carry;
                let (low, high) = halves(full);
                *sum = low;
                carry = u128::from(high);
            }
        }
        Natural(product).trimmed()
    }

    fn plus(&self, other: &Natural) -> Natural {
        let places = self.0.len().max(other.0.len()) + 1;
        let digit = |number: &Natural, place| u128::from(*number.0.get(place).unwrap_or(&0));
        let mut carry = 0;
        let sum = (0..places).map(|place| {
            let (low, high) = halves(digit(self, place) + digit(other, place) + carry);
            carry = u128::from(high);
            low
        });
        Natural(sum.collect()).trimmed()
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Natural) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is wanted")]
const fn halves(value: u128) -> (u64, u64) {
    (value as u64, (value >> 64) as u64)
}

/// A sum of fractions above or at zero.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    above: Natural,
    below: Natural,
}

impl Sum {
    /// Nothing yet.
    pub(crate) fn new() -> Sum {
        Sum { above: Natural::new(0), below: Natural::new(1) }
    }

    /// Adds `above / below`; `below` is above zero.
    pub(crate) fn add(&mut self, above: u128, below: u128) {
        self.add_all(&Sum { above: Natural::new(above), below: Natural::new(below) });
    }

    /// Adds another sum.
    pub(crate) fn add_all(&mut self, other: &Sum) {
        self.above = self.above.times(&other.below).plus(&self.below.times(&other.above));
        self.below = self.below.times(&other.below);
    }

    /// The sum against another one.
    pub(crate) fn compare(&self, other: &Sum) -> Ordering {
        self.above.times(&other.below).cmp(&other.above.times(&self.below))
    }

    /// The sum against a whole number.
    pub(crate) fn compare_whole(&self, whole: u64) -> Ordering {
        self.above.cmp(&self.below.times(&Natural::new(u128::from(whole))))
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

        #[test]
        fn law_products_of_wide_numbers_are_products(a: u128, b: u64, c: u64) {
            let product = Natural::new(a).times(&Natural::new(u128::from(b)));
            let other = Natural::new(a).times(&Natural::new(u128::from(c)));
            let both = Natural::new(u128::from(b) + u128::from(c));
            prop_assert_eq!(product.plus(&other), Natural::new(a).times(&both));
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
