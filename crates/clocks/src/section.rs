//! One measured section: a read, the work, a read; and the section of zero elapsed time, which is measured by the same code.

use crate::{Clock, SampleError};
use std::hint::black_box;

/// Ticks that `work` takes on `input`, with what two reads take; the output is dropped after the second read.
///
/// The work can begin only after the first read, because its input lies in memory that the reads may change as far as the compiler knows; and the output is in memory before the second.
#[inline(always)]
pub(crate) fn timed<C: Clock + ?Sized, I, O>(
    clock: &C,
    input: &mut I,
    work: impl FnOnce(&mut I) -> O,
) -> Result<u64, SampleError> {
    let input = black_box(input);
    let begin = clock.read();
    let output = work(input);
    black_box(&output);
    let end = clock.read();
    drop(output);
    end.since(begin)
}

/// The section of zero elapsed time: it loads what it is given and stores it, as any section does.
#[inline(always)]
pub(crate) fn zero<C: Clock + ?Sized>(clock: &C) -> Result<u64, SampleError> {
    timed(clock, &mut 0_u64, |nothing| *nothing)
}

/// Spins for a varying number of cycles, so that sections begin everywhere between two steps of a clock that advances by several nanoseconds at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dither(u64);

impl Dither {
    /// Steps of the golden ratio fill any range evenly.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    pub(crate) const fn new() -> Dither {
        Dither(0)
    }

    /// 0 to 255 turns of two cycles each.
    #[inline]
    pub(crate) fn spin(&mut self) {
        self.0 = self.0.wrapping_add(Dither::STEP);
        let mut chain = self.0;
        for turn in 0..self.0 >> 56 {
            chain = chain.rotate_left(5) ^ turn;
        }
        black_box(chain);
    }
}
