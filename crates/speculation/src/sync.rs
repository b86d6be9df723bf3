//! Primitives that threads share; under `cfg(loom)` those of the model checker.

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(loom)]
pub(crate) use loom::sync::Mutex;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::Mutex;

use std::sync::PoisonError;

/// Does something with what a lock holds. Nobody panics while he holds one, so what it holds is whole.
pub(crate) fn with<T, R>(lock: &Mutex<T>, act: impl FnOnce(&mut T) -> R) -> R {
    act(&mut lock.lock().unwrap_or_else(PoisonError::into_inner))
}
