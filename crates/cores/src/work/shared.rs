//! Atomic work on words that eight processors change at the same time: each counts in eight bits of its own.
//!
//! The values that a processor reads of its own bits are known, independently of the others: no more than [`ADDS`] are added before they are cleared, so nothing is carried into those of another. An operation of any processor that is not atomic makes counts go lost.

use super::fold;
use core::sync::atomic::{AtomicU64, Ordering};

/// Processors of one word.
const LANES: usize = 8;
/// The number of additions before the bits are cleared.
pub(super) const ADDS: u64 = 200;
/// How often they are cleared in one digest.
pub(super) const TURNS: u64 = 16;

/// Words that processors share. Each is alone in its cache line.
pub(crate) struct Words(Vec<Line>);

#[repr(align(128))]
struct Line(AtomicU64);

impl Words {
    /// For so many processors.
    pub(crate) fn new(processors: usize) -> Words {
        Words((0..processors.div_ceil(LANES)).map(|_| Line(AtomicU64::new(0))).collect())
    }
}

pub(super) fn digest(words: &Words, number: usize, seed: u64, wrong: u64) -> u64 {
    let (word, shift) = (&words.0[number / LANES].0, 8 * (number % LANES));
    let own = 0xFF_u64 << shift;
    let mut digest = seed;
    for turn in 0..TURNS {
        word.fetch_and(!own, Ordering::SeqCst);
        for count in 0..ADDS {
            let was = if count % 2 == 0 {
                word.fetch_add(1 << shift, Ordering::SeqCst)
            } else {
                exchanged(word, 1 << shift)
            };
            digest = fold(digest, (was & own) >> shift);
            if wrong != 0 && turn == 0 && count == ADDS / 2 {
                // A lost count.
                word.fetch_sub(1 << shift, Ordering::SeqCst);
            }
        }
    }
    word.fetch_and(!own, Ordering::SeqCst);
    digest
}

/// Adds by compare and exchange.
fn exchanged(word: &AtomicU64, add: u64) -> u64 {
    let mut was = word.load(Ordering::Acquire);
    loop {
        let next = was.wrapping_add(add);
        match word.compare_exchange_weak(was, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(was) => return was,
            Err(found) => was = found,
        }
    }
}
