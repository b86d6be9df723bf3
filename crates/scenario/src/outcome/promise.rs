//! A promise, and its verdict in a run.

use super::watch::Use;
use windfall_guarantees::meaning::{Verdict, Window};
use windfall_guarantees::{Allowance, Guarantee};
use windfall_time::{Instant, Ratio, Span};

/// A promise to a thread, or to an own virtual processor of a scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Promise {
    /// The thread's or the scheduler's name.
    pub owner: String,
    /// Which of the scheduler's own virtual processors; `None` for a thread.
    pub own: Option<u16>,
    /// The guarantee.
    pub guarantee: Guarantee,
    /// Whether the checker has granted it; otherwise it is only requested.
    pub granted: bool,
    /// Whether a scheduler above its owner makes up for stolen time
    /// ([`windfall_guarantees::check::Tree::is_below_makeup`]).
    pub makeup: bool,
    /// The largest lag of a long-run share, by its scheduler's own bound.
    pub behind: Allowance,
}

impl Promise {
    /// A guarantee that is granted to a thread.
    #[must_use]
    pub fn new(owner: impl Into<String>, guarantee: Guarantee) -> Promise {
        let (owner, behind) = (owner.into(), Allowance::ZERO);
        Promise { owner, own: None, guarantee, granted: true, makeup: false, behind }
    }

    /// The same to another.
    #[must_use]
    pub fn to(mut self, owner: impl Into<String>) -> Promise {
        self.owner = owner.into();
        self
    }
}

/// How a promise fared.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PromiseVerdict {
    /// The promise.
    pub promise: Promise,
    /// The findings; `None` when the guarantee's numbers are too fine to be judged exactly.
    pub verdict: Option<Verdict>,
    /// The cause of a breach outside its schedulers. Stolen: it would not have been broken if no time had been stolen from its
    /// owner's processors, or may have been because others made up for stolen time. Overhead: without stolen time it
    /// would have been broken, too, but not if switching and deciding had cost nothing either.
    pub cause: Option<Use>,
    /// How late the machine's timer may be, if it ticks: a shortfall or excess below this is no breach.
    pub tick: Option<Span>,
    /// The tolerance of the machine: a difference of this much plus a hundredth of the promised amount is
    /// no breach. Both are zero on a simulated machine.
    pub precision: Span,
    /// How long its owner was runnable.
    pub runnable: Span,
    /// When judgement ended before the simulation did.
    pub until: Option<Instant>,
}

/// The status of a promise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PromiseStatus {
    /// Its owner was never runnable.
    Unused,
    /// Its owner was never runnable for long enough, or its numbers are too fine.
    NotTested,
    /// In all windows.
    Kept,
    /// Broken by stolen time alone.
    Stolen,
    /// Broken by the costs of switching and deciding.
    Overhead,
    /// A hard reservation got more than it allows.
    Exceeded,
    /// Broken.
    Missed,
}

impl PromiseStatus {
    /// For tables and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PromiseStatus::Unused => "unused",
            PromiseStatus::NotTested => "not tested",
            PromiseStatus::Kept => "kept",
            PromiseStatus::Stolen => "stolen",
            PromiseStatus::Overhead => "overhead",
            PromiseStatus::Exceeded => "exceeded",
            PromiseStatus::Missed => "missed",
        }
    }
}

impl PromiseVerdict {
    /// Its name.
    #[must_use]
    pub fn status(&self) -> PromiseStatus {
        match self.verdict {
            _ if self.runnable.is_zero() => PromiseStatus::Unused,
            None | Some(Verdict::NeverTested) => PromiseStatus::NotTested,
            Some(Verdict::Kept { .. } | Verdict::NotRefuted { .. }) => PromiseStatus::Kept,
            Some(verdict) if within(&verdict, self.precision) || self.is_less_than_a_tick() => {
                PromiseStatus::Kept
            }
            Some(Verdict::Exceeded { .. }) => PromiseStatus::Exceeded,
            Some(Verdict::Broken { .. }) => match self.cause {
                Some(Use::Stolen) => PromiseStatus::Stolen,
                Some(Use::Overhead) => PromiseStatus::Overhead,
                Some(Use::Own) | None => PromiseStatus::Missed,
            },
        }
    }

    /// Whether the schedulers broke a promise that the checker granted, on a machine that let them keep it:
    /// stolen time, and less than a tick, do not count against them.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.promise.granted
            && matches!(self.status(), PromiseStatus::Missed | PromiseStatus::Exceeded)
    }

    fn is_less_than_a_tick(&self) -> bool {
        let (Some(tick), Some(Verdict::Broken { short: by, .. } | Verdict::Exceeded { by, .. })) =
            (self.tick, self.verdict)
        else {
            return false;
        };
        by < tick.into()
    }

    /// Owner and, for one of several own virtual processors, its number.
    #[must_use]
    pub fn owner(&self) -> String {
        match self.promise.own {
            None | Some(0) => self.promise.owner.clone(),
            Some(number) => format!("{}/{number}", self.promise.owner),
        }
    }

    /// The worst window, where there is one.
    #[must_use]
    pub fn worst(&self) -> Option<Window> {
        self.verdict.as_ref().and_then(Verdict::worst)
    }
}

/// Whether a guarantee was broken by no more than the tolerance of the machine.
pub(super) fn within(verdict: &Verdict, precision: Span) -> bool {
    let (Verdict::Broken { short: by, worst, .. } | Verdict::Exceeded { by, worst, .. }) = verdict
    else {
        return true;
    };
    let hundredth = Ratio::new(1, 100).and_then(|part| worst.promised.checked_mul(part));
    let allowed = hundredth.and_then(|part| part.checked_add(precision.into()));
    !precision.is_zero() && allowed.is_some_and(|allowed| *by <= allowed)
}
