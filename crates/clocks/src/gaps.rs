//! Samples that are thrown away, each for a reason, and counted.

/// Why a sample is not one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Thrown {
    /// It, or a pair of reads that was to compensate it, exceeded the median of its kind by more than the gap, and ten times as far as nine tenths do: an interrupt, a hypervisor or another thread had the processor.
    Late,
    /// Its reads were made on different processors.
    Migrated,
    /// The clock showed less at its end than at its beginning.
    Backwards,
    /// The other thread read no pair close to it (method II).
    Stale,
}

/// How many samples were thrown away, by the first reason found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Gaps {
    /// As [`Thrown::Late`].
    pub late: u64,
    /// As [`Thrown::Migrated`].
    pub migrated: u64,
    /// As [`Thrown::Backwards`].
    pub backwards: u64,
    /// As [`Thrown::Stale`].
    pub stale: u64,
}

impl Gaps {
    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.late + self.migrated + self.backwards + self.stale
    }

    #[cfg(feature = "machine")]
    pub(crate) fn count(&mut self, why: Thrown) {
        *match why {
            Thrown::Late => &mut self.late,
            Thrown::Migrated => &mut self.migrated,
            Thrown::Backwards => &mut self.backwards,
            Thrown::Stale => &mut self.stale,
        } += 1;
    }
}
