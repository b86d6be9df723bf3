//! What several tests use.

/// SplitMix64, as in the recorded decisions.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Of 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = self.0;
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Less than `below`.
    pub(crate) fn uniform(&mut self, below: u64) -> u64 {
        u64::try_from((u128::from(self.next()) * u128::from(below)) >> 64).unwrap_or(0)
    }
}
