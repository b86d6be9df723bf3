//! Time that something other than a thread had.

use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// A time in which something other than a thread had a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stolen {
    /// Its beginning.
    pub at: Instant,
    /// Its length, without the time that was stolen from it in turn.
    pub span: Span,
    /// The kind of overhead.
    pub kind: OverheadKind,
    /// The number that the source gives it, such as that of an interrupt.
    pub number: u16,
}
