//! Locks whose holders may panic: what they guard is whole at every moment.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Waits for the lock, whoever panicked with it.
pub(crate) fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lock, if nobody has it.
pub(crate) fn tried<T>(of: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match of.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
