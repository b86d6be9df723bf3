//! A place for one value, which one thread at a time uses: by the protocol of those who share it nobody ever finds it locked.

#[cfg(loom)]
use loom::sync::Mutex;
#[cfg(not(loom))]
use std::sync::Mutex;
use std::sync::TryLockError;

#[derive(Debug)]
pub(crate) struct Cell<T>(Mutex<Option<T>>);

impl<T> Default for Cell<T> {
    fn default() -> Cell<T> {
        Cell(Mutex::new(None))
    }
}

impl<T> Cell<T> {
    /// Puts a value into it, or takes it out; returns what was in it.
    ///
    /// # Panics
    /// When two threads use it at once, which would be a defect of this crate.
    pub(crate) fn replace(&self, value: Option<T>) -> Option<T> {
        let mut place = match self.0.try_lock() {
            Ok(place) => place,
            Err(TryLockError::Poisoned(place)) => place.into_inner(),
            Err(TryLockError::WouldBlock) => panic!("two threads use one place at once"),
        };
        core::mem::replace(&mut place, value)
    }
}
