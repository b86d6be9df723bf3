//! What a process tells whoever watches it. Nothing that is decided depends on it.

use windfall_time::Span;

/// Something that a process tells of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// A figure of its results, from now on: a count.
    Count(&'static str, u64),
    /// A figure of its results, from now on: a time.
    Time(&'static str, Span),
    /// A line for the trace.
    Mark(String),
    /// It begins something, within what it has begun before; for the trace.
    Begins(String),
    /// What it has begun last ends.
    Ends,
}
