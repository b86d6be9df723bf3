//! A statistic of a scheduler.

use windfall_time::{Instant, Span};

/// The value of a statistic that a scheduler keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// A number of times.
    Times(u64),
    /// A length of time.
    Time(Span),
    /// A moment.
    At(Instant),
}
