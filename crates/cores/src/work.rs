//! The kinds of work, and what each must yield.
//!
//! Guarantees: a round of a kind is a function of its pattern alone (and of the block's size, for memory), on every processor of every architecture. Integer work wraps; floating-point work consists of operations that IEEE 754 rounds in one way (add, subtract, multiply, divide, square root, fused multiply-add, conversions), in one order.
//!
//! A digest folds every intermediate result, so a wrong bit anywhere changes it, but for one chance in 2^64.

mod answers;
mod atomic;
mod digest;
mod float;
mod integer;
mod memory;
mod shared;
mod vector;

pub use digest::PATTERNS;
pub(crate) use shared::Words;

use core::fmt;
use core::hint::black_box;
use digest::{SEEDS, fold};
use windfall_os::vector::Width;

/// A kind of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Integers of 64 bits: add, subtract, multiply to 128 bits, divide, shift, rotate, count bits, compare.
    Integer,
    /// Floating point of 64 and 32 bits, one value at a time.
    Float,
    /// Vectors of integers and of floating point, in instructions of this width. The widths give equal digests.
    Vector(Width),
    /// A march over a block of memory: every word is written, read, and read again with all its bits reversed, upwards and downwards.
    Memory,
    /// Every atomic operation on a word of this processor's own.
    Atomic,
    /// Counts in words that eight processors change at the same time. An error here may be caused by another processor of the same word: the check names the one whose counts were lost.
    Shared,
}

impl Kind {
    /// All kinds, on any machine.
    pub const ALL: [Kind; 8] = [
        Kind::Integer,
        Kind::Float,
        Kind::Vector(Width::Least),
        Kind::Vector(Width::Avx2),
        Kind::Vector(Width::Avx512),
        Kind::Memory,
        Kind::Atomic,
        Kind::Shared,
    ];

    /// Whether this machine can do such work.
    #[must_use]
    pub fn is_here(self) -> bool {
        !matches!(self, Kind::Vector(width) if !width.is_here())
    }

    /// How many rounds make one of this kind: a march over memory takes as long as many rounds of the others.
    #[must_use]
    pub const fn every(self) -> u64 {
        if matches!(self, Kind::Memory) { PATTERNS as u64 } else { 1 }
    }

    /// The steps of a round, with a block of so many words. Of memory a step is what a pass does to eight words; of all others it takes some 10 to 100 ns.
    pub(crate) const fn steps(self, words: usize) -> u64 {
        let each = match self {
            Kind::Memory => return memory::PASSES * (words as u64).div_ceil(8),
            Kind::Integer => integer::STEPS as u64,
            Kind::Float => float::STEPS as u64,
            Kind::Vector(_) => vector::STEPS as u64,
            Kind::Atomic => atomic::STEPS,
            Kind::Shared => shared::TURNS * shared::ADDS,
        };
        REPEATS * each
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Float => "float",
            Kind::Vector(Width::Avx2) => "vector-avx2",
            Kind::Vector(Width::Avx512) => "vector-avx512",
            Kind::Vector(_) => "vector",
            Kind::Memory => "memory",
            Kind::Atomic => "atomic",
            Kind::Shared => "shared",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How often a round repeats its work. A planted fault is in the first.
const REPEATS: u64 = 16;

/// The pattern of a round; rounds count from 1.
pub(crate) fn pattern(round: u64) -> usize {
    usize::try_from((round.saturating_sub(1)) % PATTERNS as u64).unwrap_or(0)
}

/// Where a processor works.
pub(crate) struct Place<'a> {
    /// Its block of memory.
    pub(crate) block: &'a mut [u64],
    /// Words that others work on, too.
    pub(crate) words: &'a Words,
    /// Its place among the processors.
    pub(crate) number: usize,
}

/// One round on this processor. `wrong` is a set of bits that are reversed in one intermediate result; 0 plants no fault.
pub(crate) fn digest(kind: Kind, pattern: usize, wrong: u64, place: &mut Place<'_>) -> u64 {
    if kind == Kind::Memory {
        return memory::digest(place.block, pattern, wrong);
    }
    let mut total = 0_u64;
    for repeat in 0..REPEATS {
        let (pattern, wrong) = (black_box(pattern), if repeat == 0 { wrong } else { 0 });
        let once = match kind {
            Kind::Integer => integer::digest(SEEDS[pattern], wrong),
            Kind::Float => float::digest(SEEDS[pattern], wrong),
            Kind::Vector(width) => vector::digest(width, SEEDS[pattern], wrong),
            Kind::Atomic => atomic::digest(SEEDS[pattern], wrong),
            Kind::Shared => shared::digest(place.words, place.number, SEEDS[pattern], wrong),
            Kind::Memory => 0,
        };
        total = total.wrapping_add(once);
    }
    total
}

/// The known answer of the round of a pattern, with a block of so many words.
pub(crate) fn known(kind: Kind, pattern: usize, words: usize) -> u64 {
    let once = match kind {
        Kind::Memory => return memory::known(words, pattern),
        Kind::Integer => answers::INTEGER[pattern],
        Kind::Float => answers::FLOAT[pattern],
        Kind::Vector(_) => answers::VECTOR[pattern],
        Kind::Atomic => answers::ATOMIC[pattern],
        Kind::Shared => answers::SHARED[pattern],
    };
    once.wrapping_mul(REPEATS)
}

#[cfg(test)]
mod tests;
