//! What schedulers of budgets make of time that is stolen from a child while it runs (HLS 11.5).
//!
//! A host tells how much was stolen from each processor (decision 0006). What counts against a child
//! is what is stolen from the processor that it has, while it has it: nothing before, nothing after.

use windfall_hierarchy::{Own, Port, Processor, VpState};
use windfall_time::Span;

/// What becomes of stolen time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stolen {
    /// It is taken from the budget, as if the child had received it.
    Charged,
    /// It is not taken from the budget, so that the child catches up (Rez-C). After a theft, a rest
    /// below the granule counts as used up.
    CaughtUp {
        /// No timer is set for less on account of stolen time.
        granule: Span,
    },
    /// It is taken from the budget, and later budgets grow by it (Rez-FB).
    FedBack {
        /// Of what was missing, how many thousandths the next budget has more.
        gain: u16,
    },
}

/// Tells what was stolen from the running child since the last look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Meter {
    processor: Processor,
    seen: Span,
}

impl Meter {
    /// One that has not begun.
    pub(crate) const fn new() -> Meter {
        Meter { processor: Processor(0), seen: Span::ZERO }
    }

    /// A child runs on the processor of `own` from now on.
    pub(crate) fn start(&mut self, own: Own, port: &Port<'_>) {
        if let VpState::Running(processor) = port.own(own) {
            *self = Meter { processor, seen: port.stolen(processor) };
        }
    }

    /// What was stolen since the last look.
    pub(crate) fn take(&mut self, port: &Port<'_>) -> Span {
        let stolen = port.stolen(self.processor);
        stolen.saturating_sub(core::mem::replace(&mut self.seen, stolen))
    }
}
