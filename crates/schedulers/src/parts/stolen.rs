//! How schedulers of budgets treat time that is stolen from a running child (HLS 11.5).
//!
//! A host reports the time stolen from each processor (decision 0006). Only time that is stolen from the child's
//! processor while the child holds it counts against the child.

use windfall_hierarchy::{OwnVp, Processor, View, VpState};
use windfall_time::Span;

/// The treatment of stolen time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stolen {
    /// It is charged to the budget, as if the child had received it.
    Charged,
    /// It is not charged to the budget, so that the child catches up (Rez-C). After stolen time, a rest below the
    /// granule counts as used up.
    CaughtUp {
        /// The shortest time for which a timer is set because of stolen time.
        granule: Span,
        /// Whether the time for deciding and switching is not charged either.
        overhead: bool,
    },
    /// It is charged to the budget, and later budgets grow by it (Rez-FB).
    FedBack {
        /// By how many thousandths of the missing time the next budget grows.
        gain: u16,
    },
}

words! {
    /// The time that a budget pays for.
    pub enum Charges {
        /// All the time in which its child holds the processor.
        Elapsed = "elapsed",
        /// The time that its child receives.
        Received = "received",
    }
}

impl Charges {
    /// The treatment that it selects. If stolen time leaves less than the next decision may take, the budget
    /// counts as used up; otherwise there would be decisions without end.
    pub(crate) fn stolen(self) -> Stolen {
        match self {
            Charges::Elapsed => Stolen::Charged,
            Charges::Received => {
                Stolen::CaughtUp { granule: Span::from_nanos(50_000), overhead: true }
            }
        }
    }
}

/// The parts of the time in which a child held the processor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Lost {
    pub(crate) stolen: Span,
    /// Time for deciding and switching, if it counts separately.
    pub(crate) overhead: Span,
    /// The rest, which the child received.
    pub(crate) received: Span,
}

/// Measures the time that the running child lost since the last measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Meter {
    processor: Processor,
    stolen: Span,
    overhead: Span,
    /// Whether overhead counts separately.
    both: bool,
}

impl Meter {
    /// Creates a meter that has not started.
    pub(crate) const fn new(stolen: Stolen) -> Meter {
        let both = matches!(stolen, Stolen::CaughtUp { overhead: true, .. });
        Meter { processor: Processor(0), stolen: Span::ZERO, overhead: Span::ZERO, both }
    }

    /// Starts when a child begins to run on the processor of `own`.
    pub(crate) fn start(&mut self, own: OwnVp, view: &View<'_>) {
        if let VpState::Running(processor) = view.own(own) {
            let (stolen, overhead) = (view.stolen(processor), view.overhead(processor));
            *self = Meter { processor, stolen, overhead, ..*self };
        }
    }

    /// Divides the time `had`, which has passed since the last measurement.
    pub(crate) fn take(&mut self, had: Span, view: &View<'_>) -> Lost {
        let since = |seen: &mut Span, now: Span| now.saturating_sub(core::mem::replace(seen, now));
        let stolen = since(&mut self.stolen, view.stolen(self.processor)).min(had);
        let overhead = since(&mut self.overhead, view.overhead(self.processor));
        let overhead = if self.both { overhead.min(had - stolen) } else { Span::ZERO };
        Lost { stolen, overhead, received: had - stolen - overhead }
    }
}
