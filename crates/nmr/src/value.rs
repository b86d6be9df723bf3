//! Values as replicas send them to each other: as many words as a hash has. A larger state is voted by its [`Digest`](crate::Digest).

/// How many words a value takes in a message.
pub const WORDS: usize = 4;

/// A value of at most [`WORDS`] words.
///
/// ```
/// use windfall_nmr::{Value, WORDS};
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Position {
///     x: i64,
///     y: i64,
/// }
///
/// impl Value for Position {
///     fn to_words(self) -> [u64; WORDS] {
///         [self.x.cast_unsigned(), self.y.cast_unsigned(), 0, 0]
///     }
///     fn from_words([x, y, ..]: [u64; WORDS]) -> Position {
///         Position { x: x.cast_signed(), y: y.cast_signed() }
///     }
/// }
///
/// let here = Position { x: -3, y: 4 };
/// assert_eq!(Position::from_words(here.to_words()), here);
/// ```
pub trait Value: Copy + Send + 'static {
    /// As words; zero where it has none.
    fn to_words(self) -> [u64; WORDS];

    /// The value of these words. Faulty replicas may send any words, and none may panic here.
    fn from_words(words: [u64; WORDS]) -> Self;
}

impl Value for [u64; WORDS] {
    fn to_words(self) -> [u64; WORDS] {
        self
    }

    fn from_words(words: [u64; WORDS]) -> [u64; WORDS] {
        words
    }
}

impl Value for u64 {
    fn to_words(self) -> [u64; WORDS] {
        [self, 0, 0, 0]
    }

    fn from_words([word, ..]: [u64; WORDS]) -> u64 {
        word
    }
}

impl Value for i64 {
    fn to_words(self) -> [u64; WORDS] {
        self.cast_unsigned().to_words()
    }

    fn from_words([word, ..]: [u64; WORDS]) -> i64 {
        word.cast_signed()
    }
}

impl Value for f64 {
    fn to_words(self) -> [u64; WORDS] {
        self.to_bits().to_words()
    }

    fn from_words([word, ..]: [u64; WORDS]) -> f64 {
        f64::from_bits(word)
    }
}
