//! Locks whose holders may panic: what they guard is whole at every moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for the lock, whoever panicked with it.
pub(crate) fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
