//! What several tests of this crate use.

/// A number that looks drawn, and is the same for the same two.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let z = (a ^ b.rotate_left(29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ (z >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb) ^ (z >> 17)
}
