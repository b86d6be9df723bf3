//! The fastest clock that this machine has, and why it is not a faster one.

use crate::companion::Companion;
use crate::{Clock, Counter, CounterError, Pairs, Reading, Scale, SystemClock};

/// The processor's counter, or CLOCK_MONOTONIC where there is none to be trusted.
#[derive(Clone, Copy, Debug)]
pub enum Best {
    /// The counter.
    Counter(Counter),
    /// CLOCK_MONOTONIC, and why.
    Monotonic(CounterError),
}

impl Best {
    /// Finds it; calibrating takes 100 ms.
    #[must_use]
    pub fn find() -> Best {
        Counter::new().map_or_else(Best::Monotonic, Best::Counter)
    }
}

impl Clock for Best {
    #[inline]
    fn read(&self) -> Reading {
        match self {
            Best::Counter(counter) => counter.read(),
            Best::Monotonic(_) => SystemClock::Monotonic.read(),
        }
    }

    fn scale(&self) -> Scale {
        match self {
            Best::Counter(counter) => counter.scale(),
            Best::Monotonic(_) => SystemClock::Monotonic.scale(),
        }
    }

    fn elsewhere(&self) -> Option<Box<dyn Pairs + '_>> {
        Companion::start(*self).map(|companion| Box::new(companion) as Box<dyn Pairs>)
    }
}
