//! Pairs that the thread that measures reads itself, and none at all.

use crate::section::zero;
use crate::{Clock, Pairs, SampleError};

/// Method I: the thread that measures reads a pair itself, directly before and after.
pub(crate) struct Adjacent<'c, C: ?Sized>(pub(crate) &'c C);

impl<C: Clock + ?Sized> Pairs for Adjacent<'_, C> {
    /// After a pair that does not count, since the first read after something else is not like the others.
    fn before(&mut self) -> Result<u64, SampleError> {
        let _ = zero(self.0);
        zero(self.0)
    }

    fn after(&mut self) -> Result<u64, SampleError> {
        zero(self.0)
    }
}

/// Long-term averaging, paired differences, or nothing: no pairs are needed.
pub(crate) struct NoPairs;

impl Pairs for NoPairs {
    fn before(&mut self) -> Result<u64, SampleError> {
        Ok(0)
    }

    fn after(&mut self) -> Result<u64, SampleError> {
        Ok(0)
    }
}
