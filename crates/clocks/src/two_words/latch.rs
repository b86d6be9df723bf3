//! The latch (3.2.2 and 6): one operation holds both words of a moment, so that no routine has to guess whether the low word wrapped.

use super::TwoWords;

/// A clock that can be read whole.
pub trait Latch: TwoWords {
    /// High and low word of one moment.
    fn latch(&self) -> (u32, u32);
}

/// The clock's value at the moment of the latch, in ticks; right at every moment, however long the call takes.
pub fn latched_read(clock: &impl Latch) -> u64 {
    let (high, low) = clock.latch();
    clock.join(high, low)
}
