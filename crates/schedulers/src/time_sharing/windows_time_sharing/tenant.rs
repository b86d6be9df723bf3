//! A child under Windows 2000: its priority, as raised, and its quantum.

use windfall_time::Instant;

#[derive(Clone, Copy)]
pub(super) struct Tenant {
    pub(super) base: i32,
    /// The current priority: `base`, or higher while boosted.
    pub(super) priority: i32,
    /// Whether it was raised because it starved; it then falls to `base` when its quantum ends.
    pub(super) rescued: bool,
    /// Its quantum as a multiple of a background quantum.
    pub(super) stretch: u8,
    /// Units left of its quantum.
    pub(super) units: i32,
    /// The time at which it last began to run.
    pub(super) started: Instant,
    /// The time at which it last began to wait.
    pub(super) waits_since: Option<Instant>,
    /// Place in line: a number drawn when it went to the end; 56 bits last for ever.
    pub(super) turn: u64,
}

impl Tenant {
    /// Gives it a whole quantum, and the priority that follows the end of one.
    pub(super) fn end_quantum(&mut self, whole: i32) {
        self.units = whole;
        self.priority = if self.rescued { self.base } else { self.base.max(self.priority - 1) };
        self.rescued = false;
    }
}
