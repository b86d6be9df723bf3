//! Pairs of reads close in time to a sample: what the short-term methods compensate by (4.2, figures 9 and 10).

use crate::section::zero;
use crate::{Clock, Thrown};

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

/// Method I: the thread that measures reads a pair itself, directly before and after.
pub(crate) struct Adjacent<'c, C: ?Sized>(pub(crate) &'c C);

impl<C: Clock + ?Sized> Pairs for Adjacent<'_, C> {
    /// After a pair that does not count, since the first read after something else is not like the others.
    fn before(&mut self) -> Result<u64, Thrown> {
        let _ = zero(self.0);
        zero(self.0)
    }

    fn after(&mut self) -> Result<u64, Thrown> {
        zero(self.0)
    }
}

/// Long-term averaging, paired differences, or nothing: no pairs are needed.
pub(crate) struct None;

impl Pairs for None {
    fn before(&mut self) -> Result<u64, Thrown> {
        Ok(0)
    }

    fn after(&mut self) -> Result<u64, Thrown> {
        Ok(0)
    }
}
