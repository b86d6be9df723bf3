//! Values as replicas send them to each other: records of so many words as the type says.

use core::fmt;
use windfall_nmr::{Digest, Value};

/// A value of a size that is known at the start. All replicas must have the same; one that sends values of another is named, and does not count.
///
/// ```
/// use windfall_remote::Words;
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Pose { x: f64, y: f64, sure: bool }
///
/// impl Words for Pose {
///     const WORDS: usize = 3;
///
///     fn put(&self, words: &mut [u64]) {
///         words.copy_from_slice(&[self.x.to_bits(), self.y.to_bits(), self.sure.into()]);
///     }
///
///     fn take(words: &[u64]) -> Pose {
///         Pose { x: f64::from_bits(words[0]), y: f64::from_bits(words[1]), sure: words[2] == 1 }
///     }
/// }
/// ```
pub trait Words: Copy + PartialEq + fmt::Debug + 'static {
    /// How many, from 1 to [`MOST`].
    const WORDS: usize;

    /// As so many words.
    fn put(&self, words: &mut [u64]);

    /// What so many words were. Faulty replicas may send any, and none may panic here.
    fn take(words: &[u64]) -> Self;
}

/// The most words of a value: 12 KiB. Of larger ones the hash is voted ([`Stateful`](crate::Stateful)).
pub const MOST: usize = 255 * crate::message::IN_RECORD;

impl<const N: usize> Words for [u64; N] {
    const WORDS: usize = N;

    fn put(&self, words: &mut [u64]) {
        words.copy_from_slice(self);
    }

    fn take(words: &[u64]) -> [u64; N] {
        std::array::from_fn(|place| words.get(place).copied().unwrap_or_default())
    }
}

/// A value of a word or a hash, as `windfall-nmr` has it.
macro_rules! values {
    ($($value:ty: $words:literal),*) => {$(
        impl Words for $value {
            const WORDS: usize = $words;

            fn put(&self, words: &mut [u64]) {
                words.copy_from_slice(&self.to_words()[..$words]);
            }

            fn take(words: &[u64]) -> $value {
                <$value>::from_words(<[u64; 4]>::take(words))
            }
        }
    )*};
}

values!(u64: 1, i64: 1, f64: 1, Digest: 4);
