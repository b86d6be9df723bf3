//! Whether a promise is kept, judged while it happens, so memory does not grow with the run.
//!
//! A host reports when the promise's owner becomes runnable, is served, and stops being runnable. Service is
//! the owner's processor time less the time of interrupts, switching and scheduling. A second judge
//! includes the stolen time: it distinguishes a promise that the schedulers broke from one that the machine did
//! not permit (HLS 5.1.3, assumption 5). A third one includes the costs of switching and scheduling, too, which are
//! never called stolen (decision 0006). Below a scheduler that makes up for stolen time an owner may get
//! less because others recover time that was stolen from them; there, every broken promise counts as broken by
//! stolen time once any time was stolen.
//!
//! Invariant: after [`Watch::end`] nothing changes any more.

use super::promise::within;
use super::{Promise, PromiseVerdict};
use windfall_guarantees::meaning::{Judge, Verdict};
use windfall_time::{Instant, Span};

/// The user of a processor that an owner was granted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    /// The owner itself.
    Own,
    /// Interrupts, a hypervisor, or programs that are not scheduled, if there are any.
    Stolen,
    /// Switching and deciding.
    Overhead,
}

/// One promise under judgement. Instants never go back from call to call.
#[derive(Clone, Debug)]
pub struct Watch {
    promise: Promise,
    /// Three judges: of the time received alone, with stolen time added, and with overhead added as well. `None` if
    /// the promise cannot be judged exactly.
    judges: Option<[Judge; 3]>,
    /// The time since when its owner has been runnable without a break.
    awake: Option<Instant>,
    runnable: Span,
    until: Option<Instant>,
    /// Whether time was stolen that others may have made up for.
    stolen: bool,
}

impl Watch {
    /// Begins with an owner that is not runnable yet.
    #[must_use]
    pub fn new(promise: Promise) -> Watch {
        let judge = Judge::new(&promise.guarantee, promise.behind);
        Watch {
            promise,
            judges: judge.map(|judge| [judge.clone(), judge.clone(), judge]),
            awake: None,
            runnable: Span::ZERO,
            until: None,
            stolen: false,
        }
    }

    /// The promise under judgement.
    #[must_use]
    pub const fn promise(&self) -> &Promise {
        &self.promise
    }

    fn each(&mut self, tell: impl Fn(&mut Judge)) {
        if let (Some(judges), None) = (&mut self.judges, self.until) {
            judges.iter_mut().for_each(tell);
        }
    }

    /// Records that its owner becomes runnable; no effect if it is already.
    pub fn wakes(&mut self, now: Instant) {
        if self.until.is_none() && self.awake.is_none() {
            self.awake = Some(now);
            self.each(|judge| judge.wakes(now));
        }
    }

    /// Records that its owner is no longer runnable; no effect if it was not. All service up to then must have been reported.
    pub fn sleeps(&mut self, now: Instant) {
        if let (None, Some(since)) = (self.until, self.awake.take()) {
            self.runnable += now - since;
            self.each(|judge| judge.sleeps(now));
        }
    }

    /// Records that its owner was granted a processor, whose time went to `by`.
    pub fn served(&mut self, from: Instant, to: Instant, by: Use) {
        if let (Some(judges), None, Some(_)) = (&mut self.judges, self.until, self.awake) {
            judges[by as usize..].iter_mut().for_each(|judge| judge.served(from, to));
        }
    }

    /// Records a deadline that its owner sends its parent. If there are several in one instant, the last one counts.
    pub fn set_deadline(&mut self, now: Instant, deadline: Instant) {
        self.each(|judge| judge.set_deadline(now, deadline));
    }

    /// Records that time is stolen from a processor, its owner's or another.
    pub fn time_was_stolen(&mut self) {
        self.stolen |= self.promise.makeup && self.until.is_none();
    }

    /// Whether judgement has ended.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.until.is_some()
    }

    /// Ends judgement before the run does: the hierarchy is no longer the one that was checked.
    pub fn end(&mut self, now: Instant) {
        if self.until.is_none() {
            self.sleeps(now);
            self.until = Some(now);
        }
    }

    /// The verdict for a run that ends `now`, on a machine whose timer may be late by a `tick`.
    #[must_use]
    pub fn verdict(self, now: Instant, tick: Option<Span>) -> PromiseVerdict {
        self.verdict_within(now, tick, Span::ZERO)
    }

    /// As [`verdict`](Self::verdict), on a machine that cannot be held to less than `precision`.
    #[must_use]
    pub fn verdict_within(
        mut self,
        now: Instant,
        tick: Option<Span>,
        precision: Span,
    ) -> PromiseVerdict {
        self.sleeps(now);
        let verdicts = self.judges.as_ref().map(|judges| judges.each_ref().map(Judge::verdict));
        let [verdict, unstolen, given] = [Use::Own, Use::Stolen, Use::Overhead]
            .map(|with| verdicts.map(|verdicts| verdicts[with as usize]));
        // A difference of less than a tick is no breach.
        let short = |verdict: Option<Verdict>| match verdict {
            Some(verdict @ Verdict::Broken { short, .. }) => {
                !within(&verdict, precision) && tick.is_none_or(|tick| short >= tick.into())
            }
            _ => false,
        };
        let cause = match short(verdict) {
            true if !short(unstolen) || self.stolen => Some(Use::Stolen),
            true if !short(given) => Some(Use::Overhead),
            _ => None,
        };
        PromiseVerdict {
            cause,
            promise: self.promise,
            verdict,
            tick,
            precision,
            runnable: self.runnable,
            until: self.until,
        }
    }
}
