//! A lock with priority inheritance: a waiting thread lends the holder its priority.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

/// A value behind a lock with priority inheritance (`PTHREAD_PRIO_INHERIT`).
///
/// A thread that panics while it holds the lock gives it up; the value is then as that thread left it.
pub struct Lock<T> {
    mutex: Box<UnsafeCell<libc::pthread_mutex_t>>,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through a `Guard`, and the mutex lets one exist at a time.
unsafe impl<T: Send> Send for Lock<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// Puts a value behind a lock that nobody holds.
    pub fn new(value: T) -> Lock<T> {
        let mutex = Box::new(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));
        // SAFETY: the attributes are initialised before use and destroyed after; the mutex lies
        // in a box, so it never moves, and nobody has used it before its initialisation.
        unsafe {
            let mut attributes = std::mem::zeroed();
            libc::pthread_mutexattr_init(&raw mut attributes);
            libc::pthread_mutexattr_setprotocol(&raw mut attributes, libc::PTHREAD_PRIO_INHERIT);
            libc::pthread_mutex_init(mutex.get(), &raw const attributes);
            libc::pthread_mutexattr_destroy(&raw mut attributes);
        }
        Lock { mutex, value: UnsafeCell::new(value) }
    }

    /// Waits for the lock and holds it until the guard is dropped. A thread that holds it already waits for ever.
    pub fn lock(&self) -> Guard<'_, T> {
        // SAFETY: the mutex was initialised by `new` and lives as long as `self`.
        unsafe { libc::pthread_mutex_lock(self.mutex.get()) };
        Guard(self)
    }
}

impl<T> Drop for Lock<T> {
    fn drop(&mut self) {
        // SAFETY: `&mut self`: no guard exists, so nobody holds the mutex.
        unsafe { libc::pthread_mutex_destroy(self.mutex.get()) };
    }
}

/// The lock, held until this is dropped.
pub struct Guard<'a, T>(&'a Lock<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: a guard exists only while its thread holds the mutex.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the guard is borrowed mutably.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: this thread locked the mutex in `lock`, and gives it up once.
        unsafe { libc::pthread_mutex_unlock(self.0.mutex.get()) };
    }
}
