//! A child under Windows 2000: its priority, as raised, and its quantum.

use windfall_time::Instant;

#[derive(Clone, Copy)]
pub(super) struct Tenant {
    pub(super) base: i32,
    /// `base`, or higher while boosted.
    pub(super) priority: i32,
    /// Raised because it starved: falls to `base` when its quantum ends.
    pub(super) rescued: bool,
    /// How many times the quantum of the background it gets.
    pub(super) stretch: u8,
    /// What is left of its quantum.
    pub(super) units: i32,
    /// When it last began to run.
    pub(super) started: Instant,
    /// When it last began to wait.
    pub(super) waits_since: Option<Instant>,
    /// Place in line: a number drawn when it went to the end; 56 bits last for ever.
    pub(super) turn: u64,
}

impl Tenant {
    /// A whole quantum, and the priority after one has ended.
    pub(super) fn end_quantum(&mut self, whole: i32) {
        self.units = whole;
        self.priority = if self.rescued { self.base } else { self.base.max(self.priority - 1) };
        self.rescued = false;
    }
}
