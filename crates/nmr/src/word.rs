//! Values that travel as one word.

/// A value of one word, as replicas on threads send it to each other. A larger state is voted by its hash.
pub trait Word: Copy + Send + 'static {
    /// As a word.
    fn to_word(self) -> u64;

    /// What this word was. Faulty replicas may send any word, and none may panic here.
    fn from_word(word: u64) -> Self;
}

impl Word for u64 {
    fn to_word(self) -> u64 {
        self
    }

    fn from_word(word: u64) -> u64 {
        word
    }
}

impl Word for i64 {
    fn to_word(self) -> u64 {
        self.cast_unsigned()
    }

    fn from_word(word: u64) -> i64 {
        word.cast_signed()
    }
}

impl Word for f64 {
    fn to_word(self) -> u64 {
        self.to_bits()
    }

    fn from_word(word: u64) -> f64 {
        f64::from_bits(word)
    }
}
