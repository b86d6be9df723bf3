//! Where threads sleep.

use crate::atomic::AtomicU32;

/// A host's futex.
///
/// # The implementor promises
/// `wait` returns when `wake` is called for the word after it began to sleep; it compares and begins to sleep in one step. It may
/// return for no reason.
pub trait Futex {
    /// Sleeps while the word has that value; false when nobody is to wait any more.
    #[must_use]
    fn wait(&self, word: &AtomicU32, value: u32) -> bool;

    /// Wakes one who sleeps on the word.
    fn wake_one(&self, word: &AtomicU32);

    /// Wakes all who sleep on the word.
    fn wake_all(&self, word: &AtomicU32);
}
