//! Weights by slot, from which one slot is drawn: prefix sums in a binary indexed tree (Fenwick 1994).
//!
//! Changing a weight and drawing are O(log n). Nothing allocates after [`Drawn::reserve`] has made room. Sums must
//! stay below 2^128.

use alloc::vec::Vec;

#[derive(Clone, Default)]
pub(crate) struct Drawn {
    /// Entry i is the sum of the i & -i weights up to and including slot i - 1. The length minus one is a power of
    /// two.
    sums: Vec<u128>,
    weights: Vec<u128>,
    total: u128,
}

impl Drawn {
    /// Makes room for slots `0..slots`; allocates.
    pub(crate) fn reserve(&mut self, slots: usize) {
        if self.weights.len() >= slots {
            return;
        }
        self.weights.resize(slots, 0);
        let room = slots.next_power_of_two();
        if self.sums.len() <= room {
            self.sums.clear();
            self.sums.resize(room + 1, 0);
            for slot in 0..slots {
                self.add(slot, self.weights[slot]);
            }
        }
    }

    pub(crate) const fn total(&self) -> u128 {
        self.total
    }

    pub(crate) fn weight(&self, slot: usize) -> u128 {
        self.weights.get(slot).copied().unwrap_or(0)
    }

    pub(crate) fn set(&mut self, slot: usize, weight: u128) {
        let before = core::mem::replace(&mut self.weights[slot], weight);
        self.total = self.total.wrapping_sub(before).wrapping_add(weight);
        self.add(slot, weight.wrapping_sub(before));
    }

    /// Adds to a slot's weight. A negative difference wraps around, and the sums wrap with it.
    fn add(&mut self, slot: usize, difference: u128) {
        let mut at = slot + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum = sum.wrapping_add(difference);
            at += at & at.wrapping_neg();
        }
    }

    /// The slot on which `number` falls; `None` if it is not below the total.
    pub(crate) fn at(&self, mut number: u128) -> Option<usize> {
        let (mut slot, mut step) = (0, self.sums.len().checked_sub(1)?);
        while step > 0 {
            if let Some(sum) = self.sums.get(slot + step).filter(|sum| **sum <= number) {
                number -= sum;
                slot += step;
            }
            step /= 2;
        }
        (slot < self.weights.len()).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with the slow definition: subtracting one weight after the other.
        #[test]
        fn law_a_number_falls_on_the_slot_that_counting_finds(
            steps in prop::collection::vec((0_usize..40, 0_u128..5), 0..80),
        ) {
            let mut drawn = Drawn::default();
            let mut weights = [0_u128; 40];
            for (slot, weight) in steps {
                drawn.reserve(slot + 1);
                drawn.set(slot, weight);
                weights[slot] = weight;
                prop_assert_eq!(drawn.total(), weights.iter().sum::<u128>());
                let mut number = 0;
                for (slot, weight) in weights.iter().enumerate() {
                    for _ in 0..*weight {
                        prop_assert_eq!(drawn.at(number), Some(slot));
                        number += 1;
                    }
                }
            }
        }
    }
}
