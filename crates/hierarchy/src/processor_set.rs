//! A set of processors, or of own virtual processors, by number: small enough to be part of a message.

/// A set of numbers below [`ProcessorSet::ROOM`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ProcessorSet([u64; 3]);

impl ProcessorSet {
    /// How many numbers there are.
    pub const ROOM: u16 = 192;

    /// The set of these numbers.
    ///
    /// # Errors
    /// The first number that is not below [`ROOM`](Self::ROOM).
    pub fn of(numbers: impl IntoIterator<Item = u16>) -> Result<ProcessorSet, u16> {
        let mut set = ProcessorSet::default();
        for number in numbers {
            let word = set.0.get_mut(usize::from(number / 64)).ok_or(number)?;
            *word |= 1 << (number % 64);
        }
        Ok(set)
    }

    /// Whether it contains a number.
    #[must_use]
    pub fn contains(self, number: u16) -> bool {
        self.0.get(usize::from(number / 64)).is_some_and(|word| word & 1 << (number % 64) != 0)
    }

    /// Its numbers in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u16> + Clone {
        (0..ProcessorSet::ROOM).filter(move |number| self.contains(*number))
    }

    /// Whether it contains no number.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn limit_it_contains_the_numbers_that_it_was_made_of() {
        for numbers in [&[][..], &[0], &[63, 64], &[0, 127, 128, 191]] {
            let set = ProcessorSet::of(numbers.iter().copied()).unwrap();
            assert_eq!(set.iter().collect::<Vec<_>>(), numbers);
            assert_eq!(set.is_empty(), numbers.is_empty());
            assert!(!set.contains(192));
        }
        assert_eq!(ProcessorSet::of([191, 192, 300]), Err(192));
    }
}
