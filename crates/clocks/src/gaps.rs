//! Samples that are thrown away, each for a reason, and counted.

use core::fmt;

/// The reason for which a sample is thrown away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SampleError {
    /// It, or a pair of reads that was to compensate it, exceeded the median of its kind by more than the gap, and ten times as far as nine tenths do: an interrupt, a hypervisor or another thread had the processor.
    Late,
    /// Its reads were made on different processors.
    Migrated,
    /// The clock showed less at its end than at its beginning.
    Backwards,
    /// The other thread read no pair close to it (method II).
    Stale,
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SampleError::Late => {
                "an interrupt, a hypervisor or another thread had the processor meanwhile"
            }
            SampleError::Migrated => "it was read on different processors",
            SampleError::Backwards => "the clock showed less at its end than at its beginning",
            SampleError::Stale => "the other thread read no clock close to it",
        })
    }
}

impl core::error::Error for SampleError {}

/// How many samples were thrown away, by the first reason found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Gaps {
    /// As [`SampleError::Late`].
    pub late: u64,
    /// As [`SampleError::Migrated`].
    pub migrated: u64,
    /// As [`SampleError::Backwards`].
    pub backwards: u64,
    /// As [`SampleError::Stale`].
    pub stale: u64,
}

impl Gaps {
    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.late + self.migrated + self.backwards + self.stale
    }

    #[cfg(feature = "machine")]
    pub(crate) fn count(&mut self, why: SampleError) {
        *match why {
            SampleError::Late => &mut self.late,
            SampleError::Migrated => &mut self.migrated,
            SampleError::Backwards => &mut self.backwards,
            SampleError::Stale => &mut self.stale,
        } += 1;
    }
}
