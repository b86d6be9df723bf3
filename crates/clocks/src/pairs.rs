//! Pairs of reads close in time to a sample: what the short-term methods compensate by (4.2, figures 9 and 10).

use crate::SampleError;

/// Reads pairs near to a sample, in ticks of the sample's clock.
///
/// ```
/// use windfall_clocks::{Pairs, SampleError};
///
/// /// What two reads of a machine without interrupts always take.
/// struct Constant(u64);
///
/// impl Pairs for Constant {
///     fn before(&mut self) -> Result<u64, SampleError> {
///         Ok(self.0)
///     }
///     fn after(&mut self) -> Result<u64, SampleError> {
///         Ok(self.0)
///     }
/// }
///
/// /// A sample without the cost of its own reads, by the mean of both pairs.
/// fn compensated(sample: u64, pairs: &mut impl Pairs) -> Result<u64, SampleError> {
///     Ok(sample - (pairs.before()? + pairs.after()?) / 2)
/// }
///
/// assert_eq!(compensated(120, &mut Constant(20)), Ok(100));
/// ```
pub trait Pairs {
    /// Ticks between two successive reads, at a time shortly before a sample.
    ///
    /// # Errors
    /// Why that pair, and so the sample, is thrown away.
    fn before(&mut self) -> Result<u64, SampleError>;

    /// The same, shortly after it.
    ///
    /// # Errors
    /// As [`Pairs::before`].
    fn after(&mut self) -> Result<u64, SampleError>;
}
