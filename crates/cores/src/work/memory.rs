//! Memory work: a march (van de Goor 1991, C-) over a block, each of whose words has a value of its own, so that an address that leads to another word is seen, too.
//!
//! Word a is written as `first + step * a`, and later with all bits reversed. Each pass yields the sum of what it read, and the sum of its running sums, which depends on places. The known answers follow from sums of numbers and of squares, for each size of block.

use super::{SEEDS, fold};
use core::hint::black_box;

/// The step from word to word; odd, so that no two of 2^64 words are alike.
pub(super) const STEP: u64 = 0xD6E8_FEB8_6659_FD93;

/// One that writes, four that read and write, and one that reads.
pub(super) const PASSES: u64 = 6;

/// The words that a pass reads: `first + step * a` at place a.
#[derive(Clone, Copy)]
struct Line {
    first: u64,
    step: u64,
}

impl Line {
    #[inline(always)]
    const fn at(self, place: usize) -> u64 {
        self.first.wrapping_add(self.step.wrapping_mul(place as u64))
    }

    /// The same with all bits reversed, which is -1 less it.
    const fn reversed(self) -> Line {
        Line { first: !self.first, step: self.step.wrapping_neg() }
    }
}

/// Both sums of a pass.
type Sums = (u64, u64);

#[inline(always)]
const fn add((sum, sums): Sums, value: u64) -> Sums {
    let sum = sum.wrapping_add(value);
    (sum, sums.wrapping_add(sum))
}

pub(super) fn digest(block: &mut [u64], pattern: usize, wrong: u64) -> u64 {
    let one = Line { first: SEEDS[pattern], step: STEP };
    let other = one.reversed();
    for (place, word) in block.iter_mut().enumerate() {
        *word = one.at(place);
    }
    if let Some(word) = block.get_mut(block.len() / 2) {
        *word ^= wrong;
    }
    let mut digest = 0;
    for (writes, is_up) in [(other, true), (one, true), (other, false), (one, false)] {
        digest = take(
            digest,
            if is_up { up(black_box(block), writes) } else { down(black_box(block), writes) },
        );
    }
    take(digest, black_box(&*block).iter().fold((0, 0), |sums, word| add(sums, *word)))
}

const fn take(digest: u64, (sum, sums): Sums) -> u64 {
    fold(fold(digest, sum), sums)
}

/// Reads each word and writes another, from the first to the last.
fn up(block: &mut [u64], writes: Line) -> Sums {
    let mut sums = (0, 0);
    for (place, word) in block.iter_mut().enumerate() {
        sums = add(sums, *word);
        *word = writes.at(place);
    }
    sums
}

/// The same, from the last to the first.
fn down(block: &mut [u64], writes: Line) -> Sums {
    let mut sums = (0, 0);
    for (place, word) in block.iter_mut().enumerate().rev() {
        sums = add(sums, *word);
        *word = writes.at(place);
    }
    sums
}

/// The known answer of a march over so many words.
pub(super) fn known(words: usize, pattern: usize) -> u64 {
    let one = Line { first: SEEDS[pattern], step: STEP };
    let other = one.reversed();
    let passes = [(one, true), (other, true), (one, false), (other, false), (one, true)];
    passes.iter().fold(0, |digest, (line, is_up)| take(digest, sums(*line, words as u64, *is_up)))
}

/// The sums of a pass without reading anything: with n words, the value at place a counts (n - a) times upwards, and (a + 1) times downwards.
fn sums(line: Line, words: u64, is_up: bool) -> Sums {
    let n = u128::from(words);
    // Of 0 to n - 1, and of their squares; n is below 2^40.
    let (numbers, squares) =
        (n * n.saturating_sub(1) / 2, n.saturating_sub(1) * n * (2 * n).saturating_sub(1) / 6);
    let places = if is_up { n * numbers - squares } else { squares + numbers };
    #[expect(clippy::cast_possible_truncation, reason = "sums wrap at 2^64")]
    let (counts, numbers, places) = ((n * (n + 1) / 2) as u64, numbers as u64, places as u64);
    let sum = words.wrapping_mul(line.first).wrapping_add(line.step.wrapping_mul(numbers));
    (sum, counts.wrapping_mul(line.first).wrapping_add(line.step.wrapping_mul(places)))
}
