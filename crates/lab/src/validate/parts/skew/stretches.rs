//! The longest that a thread was kept from its work at a stretch, on each processor: it woke late, or was taken away.

use crate::experiment::LabError;
use crate::validate::machine::{Class, Core, Machine};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use windfall_clocks::poll;
use windfall_time::{Instant, Span};

/// So long a thread sleeps, and so long it looks at the clock then.
const SLEEP: Span = Span::from_millis(10);
const LOOK: Span = Span::from_millis(20);
/// Shorter gaps are the loop's own.
const LEAST: Span = Span::from_nanos(1_000);

/// What a processor's thread missed.
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
    let all = Mutex::new(Vec::new());
    let class = machine.on_each(machine.processors(), &|processor, core: &mut dyn Core| {
        let mut most = Stretch { processor, late: Span::ZERO, away: Span::ZERO };
        let end = core.now() + length;
        while core.now() < end && !stopped.load(Ordering::Relaxed) {
            let due = core.now() + SLEEP;
            core.sleep_until(due);
            let woken = core.now();
            most.late = most.late.max(woken.saturating_since(due));
            let gap =
                |from: Instant, to: Instant| most.away = most.away.max(to.saturating_since(from));
            poll(|| core.now(), woken, woken + LOOK, LEAST, gap);
        }
        all.lock().unwrap_or_else(PoisonError::into_inner).push(most);
    })?;
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|stretch| stretch.processor);
    Ok((all, class))
}
