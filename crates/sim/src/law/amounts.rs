//! Spans, periods and parts of a processor as they are drawn.

use super::drawn::RequestSeed;
use windfall_time::{Ratio, Span};

pub(super) const fn us(us: u64) -> Span {
    Span::from_nanos(us * 1_000)
}

pub(super) const fn ms(ms: u64) -> Span {
    us(ms * 1_000)
}

/// Periods, in milliseconds.
pub(super) const PERIODS: [u64; 8] = [4, 5, 8, 10, 20, 25, 40, 33];

const PARTS: [(i128, i128); 8] = [(1, 10), (1, 8), (1, 5), (1, 4), (3, 10), (2, 5), (1, 2), (3, 4)];

/// A part of a processor.
pub(super) fn part(request: RequestSeed) -> Ratio {
    let (above, below) = PARTS[usize::from(request.part) % PARTS.len()];
    Ratio::new(above, below).unwrap()
}
