//! A place for one value, which one thread at a time uses: by the protocol of those who share it nobody ever finds it locked.

#[cfg(loom)]
use loom::sync::Mutex;
#[cfg(not(loom))]
use std::sync::Mutex;
use std::sync::TryLockError;

#[derive(Debug)]
pub(crate) struct Cell<T> {
    place: Mutex<Option<T>>,
    /// The model checker changes threads where it is read, so that it finds two that use the place at once.
    #[cfg(loom)]
    used: crate::atomic::AtomicU32,
}

impl<T> Default for Cell<T> {
    fn default() -> Cell<T> {
        Cell {
            place: Mutex::new(None),
            #[cfg(loom)]
            used: crate::atomic::AtomicU32::new(0),
        }
    }
}

impl<T> Cell<T> {
    /// Puts a value into it, or takes it out; returns what was in it.
    ///
    /// # Panics
    /// When two threads use it at once, which would be a defect of this crate.
    pub(crate) fn replace(&self, value: Option<T>) -> Option<T> {
        let mut place = match self.place.try_lock() {
            Ok(place) => place,
            Err(TryLockError::Poisoned(place)) => place.into_inner(),
            Err(TryLockError::WouldBlock) => panic!("two threads use one place at once"),
        };
        #[cfg(loom)]
        self.used.load(crate::atomic::Ordering::Relaxed);
        core::mem::replace(&mut place, value)
    }
}
