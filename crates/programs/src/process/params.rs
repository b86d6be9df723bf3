//! The scheduling parameters of a process.

use windfall_time::Span;

/// The scheduling parameters of a process on its node (Chrysalis 2.2 to 2.5). A node's scheduler ignores those that
/// it does not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ProcessParams {
    /// From 0 to 3, larger first: not urgent, ordinary, preempts ordinary ones, vital.
    pub priority: u8,
    /// Processor time in each epoch.
    pub need: Span,
    /// How long it runs before another process of equal priority has a turn; zero for the scheduler's default.
    pub slice: Span,
}

impl ProcessParams {
    /// A process of this priority, to which nothing is reserved.
    #[must_use]
    pub const fn new(priority: u8) -> ProcessParams {
        ProcessParams { priority, need: Span::ZERO, slice: Span::ZERO }
    }

    /// The same, with this processor time in each epoch.
    #[must_use]
    pub const fn need(mut self, need: Span) -> ProcessParams {
        self.need = need;
        self
    }

    /// The same, with this time before others of its priority have a turn.
    #[must_use]
    pub const fn slice(mut self, slice: Span) -> ProcessParams {
        self.slice = slice;
        self
    }

    /// The highest priority.
    pub const MOST_PRIORITY: u8 = 3;
}
