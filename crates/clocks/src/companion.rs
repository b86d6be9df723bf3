//! Method II: a thread that reads pairs all the time, on another processor if it gets one, and shows the last.
//!
//! A pair is published as one atomic integer, its number and its length, so that both are of one pair. A measurement takes the last pair before a sample, and the first that ends after it.

use crate::section::zero;
use crate::{Clock, Pairs, SampleError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// So often a new pair is looked for before the other thread counts as stopped: several microseconds, in which it reads several pairs of any clock.
const PATIENCE: u32 = 200;

/// After so many misses in a row nothing is waited for until it runs again.
const MISSES: u32 = 20;

#[derive(Default)]
struct Shown {
    /// Number of the pair in the upper 32 bits, ticks in the lower.
    last: AtomicU64,
    over: AtomicBool,
}

/// The thread; it ends when this is dropped.
pub(crate) struct Companion {
    shown: Arc<Shown>,
    thread: Option<JoinHandle<()>>,
    /// How often in a row it showed nothing.
    missed: u32,
    /// Its reading when it had missed too often: until the reading changes, the clock does not run.
    stopped_at: Option<u64>,
}

impl Companion {
    /// Starts it. `None` where this process has one processor only, so that it would run instead of what is measured and not beside it, or no more threads.
    pub(crate) fn start(clock: impl Clock + Send + 'static) -> Option<Companion> {
        if std::thread::available_parallelism().ok()?.get() < 2 {
            return None;
        }
        let shown = Arc::new(Shown::default());
        let its = shown.clone();
        let read_pairs = move || {
            let mut number = 0_u32;
            while !its.over.load(Ordering::Relaxed) {
                // A pair that is no pair, or longer than four thousand million ticks, is not shown.
                let Some(ticks) = zero(&clock).ok().and_then(|ticks| u32::try_from(ticks).ok())
                else {
                    continue;
                };
                number = number.wrapping_add(1);
                let both = u64::from(number) << 32 | u64::from(ticks);
                its.last.store(both, Ordering::Release);
            }
        };
        let thread = std::thread::Builder::new().name("pairs".to_owned()).spawn(read_pairs).ok()?;
        Some(Companion { shown, thread: Some(thread), missed: 0, stopped_at: None })
    }

    /// The next pair to be shown. While the thread does not run, nobody waits for it.
    fn next(&mut self) -> Result<u64, SampleError> {
        let last = || self.shown.last.load(Ordering::Acquire);
        let known = last();
        if self.stopped_at == Some(known) {
            return Err(SampleError::Stale);
        }
        for _ in 0..PATIENCE {
            let now = last();
            if now != known {
                self.missed = 0;
                return Ok(now & u64::from(u32::MAX));
            }
            std::hint::spin_loop();
        }
        self.missed += 1;
        if self.missed < MISSES {
            std::thread::yield_now(); // perhaps it waits for this processor
        } else {
            self.stopped_at = Some(known);
        }
        Err(SampleError::Stale)
    }
}

impl Pairs for Companion {
    fn before(&mut self) -> Result<u64, SampleError> {
        self.next()
    }

    fn after(&mut self) -> Result<u64, SampleError> {
        self.next()
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.shown.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It only reads a clock; were it to panic, its pairs would be stale, and say so.
            let _ = thread.join();
        }
    }
}
