//! What schedulers of budgets make of time that is stolen from a child while it runs (HLS 11.5).
//!
//! A host tells how much was stolen from each processor (decision 0006). What counts against a child
//! is what is stolen from the processor that it has, while it has it: nothing before, nothing after.

use crate::catalogue::{Chosen, Form, Setting};
use windfall_hierarchy::{Context, OwnVp, Processor, VpState};
use windfall_time::Span;

/// What becomes of stolen time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stolen {
    /// It is taken from the budget, as if the child had received it.
    Charged,
    /// It is not taken from the budget, so that the child catches up (Rez-C). After stolen time, a rest
    /// below the granule counts as used up.
    CaughtUp {
        /// No timer is set for less on account of stolen time.
        granule: Span,
        /// Whether what deciding and switching took is left out, too.
        overhead: bool,
    },
    /// It is taken from the budget, and later budgets grow by it (Rez-FB).
    FedBack {
        /// Of what was missing, how many thousandths the next budget has more.
        gain: u16,
    },
}

/// For what a budget pays.
pub(crate) const CHARGES: Setting = Setting {
    name: "charges",
    form: Form::Word(&["elapsed", "received"]),
    default: "elapsed",
    help: "for what a budget pays: the time for which its child was chosen, or what of that the child received, as the kernel's \
           SCHED_DEADLINE has it",
};

/// What [`CHARGES`] says. A budget with less left after stolen time than a decision may take counts as used up: it would be decided
/// on without end.
pub(crate) fn charges(settings: &Chosen<'_>) -> Stolen {
    let received = Stolen::CaughtUp { granule: Span::from_nanos(50_000), overhead: true };
    let words = [("elapsed", Stolen::Charged), ("received", received)];
    settings.word(CHARGES.name, &words)
}

/// What became of a stretch of a child's time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Lost {
    pub(crate) stolen: Span,
    /// What deciding and switching took, where that counts.
    pub(crate) overhead: Span,
    /// The rest, which the child received.
    pub(crate) received: Span,
}

/// Tells what the running child lost since the last look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Meter {
    processor: Processor,
    stolen: Span,
    overhead: Span,
    /// Whether overhead counts.
    both: bool,
}

impl Meter {
    /// One that has not begun.
    pub(crate) const fn new(stolen: Stolen) -> Meter {
        let both = matches!(stolen, Stolen::CaughtUp { overhead: true, .. });
        Meter { processor: Processor(0), stolen: Span::ZERO, overhead: Span::ZERO, both }
    }

    /// A child runs on the processor of `own` from now on.
    pub(crate) fn start(&mut self, own: OwnVp, context: &Context<'_>) {
        if let VpState::Running(processor) = context.own(own) {
            let (stolen, overhead) = (context.stolen(processor), context.overhead(processor));
            *self = Meter { processor, stolen, overhead, ..*self };
        }
    }

    /// What was lost of what it had since the last look.
    pub(crate) fn take(&mut self, had: Span, context: &Context<'_>) -> Lost {
        let since = |seen: &mut Span, now: Span| now.saturating_sub(core::mem::replace(seen, now));
        let stolen = since(&mut self.stolen, context.stolen(self.processor)).min(had);
        let overhead = since(&mut self.overhead, context.overhead(self.processor));
        let overhead = if self.both { overhead.min(had - stolen) } else { Span::ZERO };
        Lost { stolen, overhead, received: had - stolen - overhead }
    }
}
