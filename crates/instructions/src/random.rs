//! Numbers drawn from a seed: SplitMix64 (Steele, Lea, Flood 2014). Equal seeds give equal numbers.

/// A source of numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub(crate) const fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let [_, _, _, _, a, b, c, d] = (mixed ^ mixed >> 31).to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// One of `count` places, the first being 0; `count` is at least 1. The bias of the remainder does not matter here.
    pub(crate) const fn place(&mut self, count: usize) -> usize {
        self.word() as usize % count
    }

    /// A number from `least` to `most`, both included; the two are fewer than 2^32 - 1 apart.
    pub(crate) const fn between(&mut self, least: i32, most: i32) -> i32 {
        least.wrapping_add_unsigned(self.word() % (most.abs_diff(least) + 1))
    }

    /// One of the registers `least` to `most`.
    pub(crate) fn register(&mut self, least: u8, most: u8) -> u8 {
        let drawn = self.between(i32::from(least), i32::from(most));
        drawn.to_le_bytes()[0]
    }
}
