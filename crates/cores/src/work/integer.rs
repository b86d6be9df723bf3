//! Integer work: four words, each of which depends on all after two steps.

use super::fold;

/// Steps of one digest.
pub(super) const STEPS: usize = 8_192;

/// The words to begin with.
pub(super) const fn begin(seed: u64) -> [u64; 4] {
    [seed, !seed.rotate_left(13), seed ^ 0x0F0F_F0F0_3C3C_C3C3, seed.rotate_right(7) | 1]
}

pub(super) fn digest(seed: u64, wrong: u64) -> u64 {
    let (words, digest) = steps(begin(seed), seed);
    let [a, b, c, d] = words;
    steps([a ^ wrong, b, c, d], digest).1
}

/// Half of the steps.
fn steps(mut words: [u64; 4], mut digest: u64) -> ([u64; 4], u64) {
    for _ in 0..STEPS / 2 {
        let [a, b, c, d] = words;
        let sum = a.wrapping_add(b);
        let (difference, borrows) = c.overflowing_sub(d);
        let (low, high) = a.carrying_mul(c | 1, d);
        let divisor = (d >> 32) | 1;
        let (quotient, rest) = (sum / divisor, sum % divisor);
        let turned = difference.rotate_left(b.count_ones());
        let bits = low.count_ones() + high.leading_zeros() + (sum | 1 << 63).trailing_zeros();
        let chosen = if borrows { high } else { high ^ turned };
        words = [
            sum ^ quotient.rotate_left(17),
            low.wrapping_add(rest),
            chosen.wrapping_add(u64::from(bits)),
            turned.wrapping_sub(a) ^ (d >> 3),
        ];
        digest = fold(digest, words[0].wrapping_add(words[3]) ^ words[1].wrapping_sub(words[2]));
    }
    (words, digest)
}
