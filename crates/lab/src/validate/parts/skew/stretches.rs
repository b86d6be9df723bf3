//! The longest that a thread was kept from its work at a stretch, on each processor: it woke late, or was taken away.

use super::super::timing::burst::Burst;
use crate::experiment::LabError;
use crate::validate::machine::{Class, Machine};
use std::sync::atomic::{AtomicBool, Ordering};
use windfall_time::Span;

/// So long a thread sleeps, and so long it looks at the clock then.
const SLEEP: Span = Span::from_millis(10);
const LOOK: Span = Span::from_millis(20);

/// The time that a processor's thread missed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    pub(super) processor: u16,
    /// How late it woke at most.
    pub(super) late: Span,
    /// For how long it was away at most after that.
    pub(super) away: Span,
}

impl Stretch {
    /// The longer one.
    pub(super) fn longest(&self) -> Span {
        self.late.max(self.away)
    }
}

/// Looks at all processors for so long, or until it is stopped.
///
/// # Errors
/// When a thread cannot be kept on its processor.
pub(super) fn stretches(
    machine: &dyn Machine,
    length: Span,
    stopped: &AtomicBool,
) -> Result<(Vec<Stretch>, Class), LabError> {
    machine.gather(machine.processors(), |processor, core| {
        let mut most = Stretch { processor, late: Span::ZERO, away: Span::ZERO };
        let end = core.now() + length;
        while core.now() < end && !stopped.load(Ordering::Relaxed) {
            let burst = Burst::run(core, SLEEP, LOOK);
            most.late = most.late.max(burst.late());
            most.away = most.away.max(burst.longest());
        }
        most
    })
}
