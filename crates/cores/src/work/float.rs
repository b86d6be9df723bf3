//! Floating-point work: four values from 1 to 2, and what eight operations make of them.
//!
//! No result is infinite or no number; one is below the normal range, where rounding has other positions.

use super::fold;

/// Steps of one digest.
pub(super) const STEPS: usize = 8_192;
/// The exponent of values from 1 to 2.
pub(super) const ONE: u64 = 0x3FF0_0000_0000_0000;
/// The bits of the fraction.
pub(super) const FRACTION: u64 = 0x000F_FFFF_FFFF_FFFF;
/// 2^-1040: what is multiplied by it is below the normal range.
pub(super) const TINY: u64 = 0x0000_0000_0400_0000;

/// The value from 1 to 2 with these bits as its fraction.
#[inline(always)]
pub(super) const fn unit(bits: u64) -> f64 {
    f64::from_bits(ONE | (bits & FRACTION))
}

/// The values to begin with.
pub(super) const fn begin(seed: u64) -> [u64; 4] {
    [seed, seed.rotate_left(21), seed ^ 0x000A_5A5A_5A5A_5A5A, seed.wrapping_mul(5)]
}

pub(super) fn digest(seed: u64, wrong: u64) -> u64 {
    let (bits, digest) = steps(begin(seed), seed);
    let [a, b, c, d] = bits;
    steps([a ^ wrong, b, c, d], digest).1
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a conversion that rounds, and one of a value below 2^62"
)]
fn steps(mut bits: [u64; 4], mut digest: u64) -> ([u64; 4], u64) {
    for _ in 0..STEPS / 2 {
        let [a, b, c, d] = bits.map(unit);
        let (sum, difference, product) = (a + b, a - b, c * d);
        let (quotient, root) = (a / d, b.sqrt());
        // Exactly what the product lost by its rounding.
        let lost = c.mul_add(d, -product);
        let below = (product * f64::from_bits(TINY)).to_bits();
        let short = (quotient as f32) * (root as f32);
        let whole = (product * 1_152_921_504_606_846_976.0) as i64; // 2^60
        bits = [
            sum.to_bits() ^ root.to_bits().rotate_left(9),
            product.to_bits().wrapping_add(difference.to_bits().rotate_right(20)),
            quotient.to_bits() ^ u64::from(short.to_bits()).rotate_left(16),
            whole.cast_unsigned() ^ lost.to_bits().rotate_left(12),
        ];
        digest = fold(digest, bits[0] ^ bits[1].rotate_left(3));
        digest = fold(digest, bits[2] ^ bits[3].rotate_left(5) ^ below);
    }
    (bits, digest)
}
