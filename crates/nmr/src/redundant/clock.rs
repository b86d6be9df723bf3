//! Time as the protocol of voting has it.

use std::time::Duration;
use windfall_time::Span;

/// The time, as what is common to all replicas reckons it.
pub(super) fn since(begun: std::time::Instant) -> windfall_time::Instant {
    windfall_time::Instant::saturating_from_nanos(begun.elapsed().as_nanos())
}

pub(super) fn span(duration: Duration) -> Span {
    Span::saturating_from_nanos(duration.as_nanos())
}
