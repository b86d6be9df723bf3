//! Counts of what was done, undone and committed.

/// How often what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Events that were handled, each time counted.
    pub handled: u64,
    /// Events that were undone.
    pub undone: u64,
    /// Events that are certain.
    pub committed: u64,
    /// Events that were handled once more between a copy and where a rollback led.
    pub repeated: u64,
    /// Events that were taken back.
    pub cancelled: u64,
    /// Events that lazy cancellation did not have to take back.
    pub kept: u64,
}

impl Counts {
    pub(crate) const fn add(&mut self, other: Counts) {
        let Counts { handled, undone, committed, repeated, cancelled, kept } = other;
        self.handled += handled;
        self.undone += undone;
        self.committed += committed;
        self.repeated += repeated;
        self.cancelled += cancelled;
        self.kept += kept;
    }
}
