//! Where threads sleep.

use crate::atomic::AtomicU32;

/// A host's futex.
///
/// # The implementor promises
/// `wait` returns when `wake` is called for the word after it began to sleep; it compares and begins to sleep in one step. It may
/// return for no reason.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::sync::{Condvar, Mutex, PoisonError};
/// use windfall_exchange::Futex;
///
/// /// One lock and one condition for all words: more are woken than need be, which is allowed.
/// #[derive(Default)]
/// struct Bell(Mutex<()>, Condvar);
///
/// impl Futex for Bell {
///     fn wait(&self, word: &AtomicU32, value: u32) -> bool {
///         let lock = self.0.lock().unwrap_or_else(PoisonError::into_inner);
///         if word.load(Ordering::SeqCst) == value {
///             drop(self.1.wait(lock));
///         }
///         true
///     }
///     fn wake_one(&self, word: &AtomicU32) {
///         self.wake_all(word);
///     }
///     fn wake_all(&self, _: &AtomicU32) {
///         drop(self.0.lock());
///         self.1.notify_all();
///     }
/// }
///
/// let (bell, word) = (Bell::default(), AtomicU32::new(0));
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         word.store(1, Ordering::SeqCst);
///         bell.wake_all(&word);
///     });
///     while word.load(Ordering::SeqCst) == 0 {
///         assert!(bell.wait(&word, 0));
///     }
/// });
/// ```
pub trait Futex {
    /// Sleeps while the word has that value; false when waiting is over for all.
    #[must_use]
    fn wait(&self, word: &AtomicU32, value: u32) -> bool;

    /// Wakes one who sleeps on the word.
    fn wake_one(&self, word: &AtomicU32);

    /// Wakes all who sleep on the word.
    fn wake_all(&self, word: &AtomicU32);
}
