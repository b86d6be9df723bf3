//! Pairs of reads close in time to a sample: what the short-term methods compensate by (4.2, figures 9 and 10).

use crate::Thrown;

/// Reads pairs near to a sample, in ticks of the sample's clock.
pub trait Pairs {
    /// Ticks between two successive reads, at a time shortly before a sample.
    ///
    /// # Errors
    /// Why that pair, and so the sample, is thrown away.
    fn before(&mut self) -> Result<u64, Thrown>;

    /// The same, shortly after it.
    ///
    /// # Errors
    /// As [`Pairs::before`].
    fn after(&mut self) -> Result<u64, Thrown>;
}
