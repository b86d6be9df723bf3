//! The atomics that everything here is made of; under `cfg(loom)` those of the model checker.

#[cfg(not(loom))]
pub use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(loom)]
pub use loom::sync::atomic::{Ordering, fence};
#[cfg(loom)]
pub use model::{AtomicU32, AtomicU64, SWEEPING};

/// Atomics whose interleavings the model checker tries.
///
/// It forgets that a load of one thread and a change by another could come in the other order, when the other thread has loaded
/// the same word before. So there are two ways of looking: with loads as they are, which may read what is out of date; and
/// with loads and stores that are both to the checker, for all orders.
#[cfg(loom)]
mod model {
    use super::Ordering;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    /// Whether all orders are tried.
    pub static SWEEPING: AtomicBool = AtomicBool::new(false);

    macro_rules! atomics {
        ($($name:ident: $of:ty),*) => {$(
            /// As in the standard library.
            #[derive(Debug, Default)]
            pub struct $name(loom::sync::atomic::$name);

            #[allow(missing_docs, reason = "as in the standard library")]
            impl $name {
                pub fn new(value: $of) -> $name {
                    $name(loom::sync::atomic::$name::new(value))
                }

                #[track_caller]
                pub fn load(&self, order: Ordering) -> $of {
                    if SWEEPING.load(Relaxed) {
                        self.0.fetch_or(0, Ordering::AcqRel)
                    } else {
                        self.0.load(order)
                    }
                }

                #[track_caller]
                pub fn store(&self, value: $of, order: Ordering) {
                    if SWEEPING.load(Relaxed) {
                        self.0.swap(value, Ordering::AcqRel);
                    } else {
                        self.0.store(value, order);
                    }
                }

                #[track_caller]
                pub fn swap(&self, value: $of, order: Ordering) -> $of {
                    self.0.swap(value, order)
                }

                #[track_caller]
                pub fn fetch_add(&self, value: $of, order: Ordering) -> $of {
                    self.0.fetch_add(value, order)
                }

                #[track_caller]
                pub fn fetch_and(&self, value: $of, order: Ordering) -> $of {
                    self.0.fetch_and(value, order)
                }

                #[track_caller]
                pub fn compare_exchange(
                    &self,
                    old: $of,
                    new: $of,
                    done: Ordering,
                    lost: Ordering,
                ) -> Result<$of, $of> {
                    self.0.compare_exchange(old, new, done, lost)
                }

                #[track_caller]
                pub fn compare_exchange_weak(
                    &self,
                    old: $of,
                    new: $of,
                    done: Ordering,
                    lost: Ordering,
                ) -> Result<$of, $of> {
                    self.0.compare_exchange(old, new, done, lost)
                }

                #[track_caller]
                pub fn fetch_update(
                    &self,
                    done: Ordering,
                    lost: Ordering,
                    f: impl FnMut($of) -> Option<$of>,
                ) -> Result<$of, $of> {
                    self.0.fetch_update(done, lost, f)
                }
            }
        )*};
    }

    atomics! { AtomicU32: u32, AtomicU64: u64 }
}
