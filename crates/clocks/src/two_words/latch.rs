//! The latch (3.2.2 and 6): one operation holds both words of a moment, so that no routine has to guess whether the low word wrapped.

use super::TwoWords;

/// A clock that can be read whole.
///
/// ```
/// use windfall_clocks::two_words::{Latch, TwoWords, latched_read};
///
/// /// A clock that stands still.
/// struct Stopped(u32, u32);
///
/// impl TwoWords for Stopped {
///     fn high(&self) -> u32 {
///         self.0
///     }
///     fn low(&self) -> u32 {
///         self.1
///     }
///     fn low_values(&self) -> u64 {
///         1 << 16
///     }
/// }
///
/// impl Latch for Stopped {
///     fn latch(&self) -> (u32, u32) {
///         (self.0, self.1)
///     }
/// }
///
/// assert_eq!(latched_read(&Stopped(2, 5)), (2 << 16) + 5);
/// ```
pub trait Latch: TwoWords {
    /// High and low word of one moment.
    fn latch(&self) -> (u32, u32);
}

/// The clock's value at the moment of the latch, in ticks; right at every moment, however long the call takes.
pub fn latched_read(clock: &impl Latch) -> u64 {
    let (high, low) = clock.latch();
    clock.join(high, low)
}
