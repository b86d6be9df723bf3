//! Clocks of two words, which no single reference reads whole: the three routines of 3.2, and the latch that makes them needless.
//!
//! A routine is right if it returns the clock's value at some moment from its first reference to its last. As printed, none is right at every moment; mended, each is, while
//! a call takes less than a low word lasts (for [`OneRead`]: while two calls are at most a low word less one tick apart).
//! This file uses `core` alone.
//!
//! Source: Kong, Spector and Siewiorek, "Measuring Time in Multiprocessor Systems", CMU 1982, 3.2.

mod latch;
mod moments;
mod routines;
mod ticked;

pub use latch::{Latch, latched_read};
pub use moments::{Scripted, Tried, every_distance, every_moment};
pub use routines::{Form, OneRead, four_read, varying_read};
pub use ticked::Ticked;

/// A clock whose two words are read by one reference each.
///
/// ```
/// use core::cell::Cell;
/// use windfall_clocks::two_words::{Form, TwoWords, four_read};
///
/// /// A clock whose low word wraps while it is read.
/// struct Hardware {
///     ticks: Cell<u64>,
/// }
///
/// impl Hardware {
///     /// Each reference takes one tick.
///     fn refer(&self) -> u64 {
///         self.ticks.replace(self.ticks.get() + 1)
///     }
/// }
///
/// impl TwoWords for Hardware {
///     fn high(&self) -> u32 {
///         (self.refer() / self.low_values()) as u32
///     }
///     fn low(&self) -> u32 {
///         (self.refer() % self.low_values()) as u32
///     }
///     fn low_values(&self) -> u64 {
///         1 << 16
///     }
/// }
///
/// // High, then low: a whole low word too small. The routine compares and is right.
/// let naive = Hardware { ticks: Cell::new((1 << 16) - 1) };
/// assert_eq!(naive.join(naive.high(), naive.low()), 0);
/// let clock = Hardware { ticks: Cell::new((1 << 16) - 1) };
/// assert!(four_read(&clock, Form::Mended) >= (1 << 16) - 1);
/// ```
pub trait TwoWords {
    /// The high word at the moment of the reference.
    fn high(&self) -> u32;

    /// The low word at the moment of the reference, below [`TwoWords::low_values`].
    fn low(&self) -> u32;

    /// How many values the low word has: 2^16 on Cm*. At least 1.
    fn low_values(&self) -> u64;

    /// The value of two words, in ticks.
    fn join(&self, high: u32, low: u32) -> u64 {
        u64::from(high) * self.low_values() + u64::from(low)
    }
}
