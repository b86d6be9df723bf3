//! Atomic work on one word that no other processor has: each operation returns what was there.

use super::fold;
use core::sync::atomic::{AtomicU64, Ordering};

/// Steps of one digest.
pub(super) const STEPS: u64 = 2_048;

pub(super) fn digest(seed: u64, wrong: u64) -> u64 {
    let word = AtomicU64::new(seed);
    let half = steps(&word, 0..STEPS / 2, seed);
    word.fetch_xor(wrong, Ordering::Relaxed);
    steps(&word, STEPS / 2..STEPS, half)
}

fn steps(word: &AtomicU64, steps: core::ops::Range<u64>, mut digest: u64) -> u64 {
    use Ordering::{AcqRel, Acquire, SeqCst};
    for step in steps {
        let value = fold(digest, step);
        for was in [
            word.fetch_add(value, SeqCst),
            word.fetch_xor(value.rotate_left(11), AcqRel),
            word.fetch_or(step, SeqCst),
            word.fetch_sub(step << 20, AcqRel),
            word.fetch_and(!(step << 7), SeqCst),
            word.fetch_max(value >> 1, SeqCst),
            word.fetch_min(value | 1 << 63, SeqCst),
        ] {
            digest = fold(digest, was);
        }
        let now = word.load(Acquire);
        // The first must succeed, the second fail, and both say what is there.
        for (expected, next) in [(now, value), (!value, step)] {
            let (Ok(was) | Err(was)) = word.compare_exchange(expected, next, SeqCst, SeqCst);
            digest = fold(digest, was);
        }
        digest = fold(digest, word.swap(digest, SeqCst));
    }
    digest
}
