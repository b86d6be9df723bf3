//! A promise, and how it fared in a run.

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
    /// What is promised.
    pub guarantee: Guarantee,
    /// Whether the checker has granted it; otherwise it is only asked for.
    pub granted: bool,
    /// Whether a scheduler above its owner makes up for stolen time
    /// ([`windfall_guarantees::check::Tree::is_below_makeup`]).
    pub makeup: bool,
    /// By how much a share in the long run may be behind, by its scheduler's own bound.
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
    /// What was found; `None` when the guarantee's numbers are too fine to be judged exactly.
    pub verdict: Option<Verdict>,
    /// What broke it, if not its schedulers. Stolen: it would not have been broken if no time had been stolen from its
    /// owner's processors, or may have been because others made up for stolen time. Overhead: without stolen time it
    /// would have been broken, too, but not without what switching and deciding cost besides.
    pub cause: Option<Use>,
    /// How late the machine's timer may be, where it ticks: what is short, or over, by less is no breach.
    pub tick: Option<Span>,
    /// What the machine cannot be held to: this much, and beside it a hundredth of what was promised, is
    /// no breach. Zero, and nothing beside it, when it is simulated.
    pub precision: Span,
    /// How long its owner was runnable.
    pub runnable: Span,
    /// When judgement ended before the simulation did.
    pub until: Option<Instant>,
}

/// How a promise fared, in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PromiseStatus {
    /// Its owner was never runnable.
    NotAsking,
    /// Its owner was never runnable for long enough, or its numbers are too fine.
    NotTested,
    /// In all windows.
    Kept,
    /// Broken by stolen time alone.
    Stolen,
    /// Broken by what switching and deciding cost.
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
            PromiseStatus::NotAsking => "not asking",
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
    /// In a word.
    #[must_use]
    pub fn status(&self) -> PromiseStatus {
        match self.verdict {
            _ if self.runnable.is_zero() => PromiseStatus::NotAsking,
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

    /// Whether the checker granted what the schedulers then broke, on a machine that let them keep it:
    /// stolen time is not theirs, nor is less than a tick.
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

/// Whether a guarantee was broken by no more than a machine can help.
pub(super) fn within(verdict: &Verdict, precision: Span) -> bool {
    let (Verdict::Broken { short: by, worst, .. } | Verdict::Exceeded { by, worst, .. }) = verdict
    else {
        return true;
    };
    let hundredth = Ratio::new(1, 100).and_then(|part| worst.promised.checked_mul(part));
    let allowed = hundredth.and_then(|part| part.checked_add(precision.into()));
    !precision.is_zero() && allowed.is_some_and(|allowed| *by <= allowed)
}
