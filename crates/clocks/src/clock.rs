//! A clock is read in ticks, in the order of the program, and has a scale from ticks to nanoseconds.

use crate::{Pairs, SampleError, Scale};

/// A reading of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Ticks since the clock's origin, which is unspecified.
    pub ticks: u64,
    /// On which processor it was read; `None` where the clock does not say, as the kernel's clocks, and counters read without `rdtscp`. Migrations are not noticed there.
    pub processor: Option<u32>,
}

impl Reading {
    /// Ticks from `begin` to this reading.
    ///
    /// # Errors
    /// [`SampleError::Migrated`] when both were read on different processors, [`SampleError::Backwards`] when this one is earlier.
    #[inline]
    pub fn since(self, begin: Reading) -> Result<u64, SampleError> {
        if begin.processor != self.processor {
            return Err(SampleError::Migrated);
        }
        self.ticks.checked_sub(begin.ticks).ok_or(SampleError::Backwards)
    }
}

/// A clock whose intervals are measured.
///
/// # The implementor promises
/// C1. All that precedes [`Clock::read`] in the program is done before the clock is read, and all that follows begins after it.
/// C2. One thread's readings on one processor never decrease.
/// C3. All reads are alike: the same path, whatever the clock's value is (section 3.2 of the paper).
///
/// # Not promised
/// That two threads' readings compare; that the clock goes on while the machine is suspended.
///
/// ```
/// use core::cell::Cell;
/// use windfall_clocks::{Clock, Reading, Scale};
/// use windfall_time::Span;
///
/// /// Ticks once at each read, and calls that a microsecond.
/// #[derive(Default)]
/// struct Counting(Cell<u64>);
///
/// impl Clock for Counting {
///     fn read(&self) -> Reading {
///         self.0.set(self.0.get() + 1);
///         Reading { ticks: self.0.get(), processor: None }
///     }
///     fn scale(&self) -> Scale {
///         Scale::of(1, Span::from_nanos(1_000)).expect("a tick lasts")
///     }
/// }
///
/// let clock = Counting::default();
/// let begin = clock.read();
/// let ticks = clock.read().since(begin).expect("the clock went on");
/// assert_eq!(clock.scale().span(ticks), Span::from_nanos(1_000));
/// ```
pub trait Clock {
    /// The clock at this moment.
    fn read(&self) -> Reading;

    /// The scale from its ticks to nanoseconds.
    fn scale(&self) -> Scale;

    /// Somebody who reads pairs of this clock on another processor meanwhile (method II), until it is dropped; `None` where that cannot be, as here.
    fn elsewhere(&self) -> Option<Box<dyn Pairs + '_>> {
        None
    }
}

impl<C: Clock + ?Sized> Clock for &C {
    #[inline]
    fn read(&self) -> Reading {
        (**self).read()
    }

    fn scale(&self) -> Scale {
        (**self).scale()
    }

    fn elsewhere(&self) -> Option<Box<dyn Pairs + '_>> {
        (**self).elsewhere()
    }
}
