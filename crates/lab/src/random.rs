//! Numbers that are the same for the same seed.

/// SplitMix64, with its seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number less than `below`, all equally likely.
    pub(crate) fn uniform(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u64::try_from((u128::from(z ^ (z >> 31)) * u128::from(below)) >> 64).unwrap_or(0)
    }
}
