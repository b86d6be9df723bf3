//! Hashes that stand for states in votes: SHA-256, so that nobody finds another state with the hash of a voted one.

use crate::value::{Value, WORDS};
use core::fmt;
use sha2::{Digest as _, Sha256};

/// The hash of a state. Two states with one hash are not known, so replicas whose hashes agree have equal states.
///
/// ```
/// use windfall_nmr::Digest;
///
/// assert_eq!(Digest::of(b"a state"), Digest::of(b"a state"));
/// assert_ne!(Digest::of(b"a state"), Digest::of(b"a stat"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u64; WORDS]);

impl Digest {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(state: &[u8]) -> Digest {
        let hash: [u8; 32] = Sha256::digest(state).into();
        let (words, _) = hash.as_chunks();
        Digest(std::array::from_fn(|place| u64::from_be_bytes(words[place])))
    }
}

impl Value for Digest {
    fn to_words(self) -> [u64; WORDS] {
        self.0
    }

    fn from_words(words: [u64; WORDS]) -> Digest {
        Digest(words)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn law_a_digest_is_that_of_the_standard() {
        // FIPS 180-4, example B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), abc);
    }
}
