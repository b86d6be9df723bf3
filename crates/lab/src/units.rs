//! Times, as the papers print them.

use windfall_time::Span;

/// A span of this many microseconds.
pub(crate) const fn us(count: u64) -> Span {
    Span::from_nanos(count * 1_000)
}

#[expect(clippy::cast_precision_loss, reason = "shown; below 2^53 ns")]
fn nanos(span: Span) -> f64 {
    span.as_nanos() as f64
}

pub(crate) fn micros(span: Span) -> f64 {
    nanos(span) / 1e3
}

pub(crate) fn millis(span: Span) -> f64 {
    nanos(span) / 1e6
}

pub(crate) fn seconds(span: Span) -> f64 {
    nanos(span) / 1e9
}
