//! The patterns that rounds begin with, and the digest of what they yield.

/// How many different rounds a kind has: round n works with pattern (n - 1) modulo this.
pub const PATTERNS: usize = 8;

/// The patterns that rounds begin with: no bits, all bits, every other one, and odd numbers.
pub(super) const SEEDS: [u64; PATTERNS] = [
    0,
    u64::MAX,
    0x5555_5555_5555_5555,
    0xAAAA_AAAA_AAAA_AAAA,
    0x0123_4567_89AB_CDEF,
    0x9E37_79B9_7F4A_7C15,
    0xC2B2_AE3D_27D4_EB4F,
    0xFFFF_0000_0000_0001,
];

/// Takes a value into a digest: a one-to-one function of either, so no single wrong value is lost.
#[inline(always)]
pub(super) const fn fold(digest: u64, value: u64) -> u64 {
    (digest ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}
