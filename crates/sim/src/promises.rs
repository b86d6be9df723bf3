//! Whether promises are kept while a machine is simulated.
//!
//! For each promise a [`Judge`] hears when its owner, a thread or an own virtual processor of a
//! scheduler, becomes runnable, is served, and stops being runnable. Service is what it has of a
//! processor less what interrupts, switching and scheduling take. A second judge counts the stolen time
//! in: it tells a promise that the schedulers broke from one that the machine did not permit (HLS 5.1.3,
//! assumption 5).
//!
//! Invariant: judged while it happens, so memory does not grow with the run.
//! Promises are about the hierarchy that was checked: judgement ends with the first control request, or
//! when a scheduler is quarantined.
//! Of the deadlines that a scheduler tells its parent in one instant, the last one counts.

use crate::run::Sim;
use std::collections::BTreeMap;
use windfall_guarantees::Guarantee;
use windfall_guarantees::meaning::{Judge, Verdict, Window};
use windfall_hierarchy::{NodeId, Own, VpState};
use windfall_scenario::model::Timer;
use windfall_time::{Instant, Span};

/// A promise to a thread, or to an own virtual processor of a scheduler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Promise {
    /// The thread's or the scheduler's name.
    pub owner: String,
    /// Which of the scheduler's own virtual processors; `None` for a thread.
    pub own: Option<u16>,
    /// What is promised.
    pub guarantee: Guarantee,
    /// Whether the checker has granted it; otherwise it is only asked for.
    pub granted: bool,
}

/// How a promise fared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PromiseVerdict {
    /// The promise.
    pub promise: Promise,
    /// What was found; `None` when the guarantee's numbers are too fine to be judged exactly.
    pub verdict: Option<Verdict>,
    /// Whether it would not have been broken if no time had been stolen from its owner's processors.
    pub stolen: bool,
    /// Whether the machine's timer ticks: nobody can be held to less than a tick.
    pub ticks: bool,
    /// How long its owner was runnable.
    pub runnable: Span,
    /// When judgement ended before the simulation did.
    pub until: Option<Instant>,
}

/// How a promise fared, in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Faring {
    /// Its owner was never runnable.
    NotAsking,
    /// Its owner was never runnable for long enough, or its numbers are too fine.
    NotTested,
    /// In all windows.
    Kept,
    /// Broken by stolen time alone.
    Stolen,
    /// A hard reservation got more than it allows.
    Exceeded,
    /// Broken.
    Missed,
}

impl Faring {
    /// For tables and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Faring::NotAsking => "not asking",
            Faring::NotTested => "not tested",
            Faring::Kept => "kept",
            Faring::Stolen => "stolen",
            Faring::Exceeded => "exceeded",
            Faring::Missed => "missed",
        }
    }
}

impl PromiseVerdict {
    /// In a word.
    #[must_use]
    pub fn faring(&self) -> Faring {
        match self.verdict {
            _ if self.runnable.is_zero() => Faring::NotAsking,
            None | Some(Verdict::NeverTested) => Faring::NotTested,
            Some(Verdict::Kept { .. } | Verdict::NotRefuted { .. }) => Faring::Kept,
            Some(Verdict::Exceeded { .. }) => Faring::Exceeded,
            Some(Verdict::Broken { .. }) if self.stolen => Faring::Stolen,
            Some(Verdict::Broken { .. }) => Faring::Missed,
        }
    }

    /// Whether the checker granted what the schedulers then broke, on a machine that let them keep it:
    /// neither stolen time nor a timer that ticks is theirs.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.promise.granted
            && !self.ticks
            && matches!(self.faring(), Faring::Missed | Faring::Exceeded)
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

/// One promise under judgement.
struct Watch {
    promise: Promise,
    /// By what was received, and with stolen time counted in.
    judges: Option<(Judge, Judge)>,
    /// Since when its owner is runnable without a break.
    awake: Option<Instant>,
    runnable: Span,
    until: Option<Instant>,
}

impl Watch {
    fn each(&mut self, tell: impl Fn(&mut Judge)) {
        if let (Some((received, given)), None) = (&mut self.judges, self.until) {
            tell(received);
            tell(given);
        }
    }

    fn wakes(&mut self, now: Instant) {
        if self.until.is_none() && self.awake.is_none() {
            self.awake = Some(now);
            self.each(|judge| judge.wakes(now));
        }
    }

    fn sleeps(&mut self, now: Instant) {
        if let (None, Some(since)) = (self.until, self.awake.take()) {
            self.runnable += now - since;
            self.each(|judge| judge.sleeps(now));
        }
    }

    fn served(&mut self, from: Instant, to: Instant, stolen: bool) {
        if let (Some((received, given)), None, Some(_)) = (&mut self.judges, self.until, self.awake)
        {
            if !stolen {
                received.served(from, to);
            }
            given.served(from, to);
        }
    }

    fn verdict(self, ticks: bool) -> PromiseVerdict {
        let verdict = self.judges.as_ref().map(|(received, _)| received.verdict());
        let given = self.judges.as_ref().map(|(_, given)| given.verdict());
        let short = |verdict| matches!(verdict, Some(Verdict::Broken { .. }));
        PromiseVerdict {
            stolen: short(verdict) && !short(given),
            promise: self.promise,
            verdict,
            ticks,
            runnable: self.runnable,
            until: self.until,
        }
    }
}

/// An own virtual processor of a scheduler that has a promise.
struct Place {
    watch: usize,
    node: NodeId,
    own: Own,
    /// How often it had requested when it was last looked at.
    requests: u32,
    /// The processor that it has.
    cpu: Option<u16>,
    /// The deadline that it told last, and how often it went back to an earlier one.
    told: Option<(Instant, u32)>,
}

/// All promises under judgement.
#[derive(Default)]
pub(crate) struct Promises {
    watches: Vec<Watch>,
    /// By thread.
    threads: BTreeMap<u32, Vec<usize>>,
    places: Vec<Place>,
}

impl Promises {
    /// Time has passed on a processor.
    fn passed(
        &mut self,
        cpu: usize,
        thread: Option<u32>,
        (from, to): (Instant, Instant),
        stolen: bool,
    ) {
        for at in thread.and_then(|thread| self.threads.get(&thread)).into_iter().flatten() {
            self.watches[*at].served(from, to, stolen);
        }
        for place in self.places.iter().filter(|place| place.cpu.map(usize::from) == Some(cpu)) {
            self.watches[place.watch].served(from, to, stolen);
        }
    }

    fn each(&mut self, thread: u32, tell: impl Fn(&mut Watch)) {
        for at in self.threads.get(&thread).into_iter().flatten() {
            tell(&mut self.watches[*at]);
        }
    }
}

impl Sim<'_> {
    /// Has promises judged; those to nobody that is known are left out. `grain` is the quantum of the
    /// schedulers that promise shares in the long run. To be called before the simulation runs.
    pub fn judge_promises(&mut self, promises: &[Promise], grain: Span) {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let threads: BTreeMap<&str, u32> = (0..self.threads.len())
            .map(|at| (self.threads[at].spec.name.as_str(), number(at)))
            .collect();
        for promise in promises {
            let watch = self.promises.watches.len();
            match promise.own {
                None => match threads.get(promise.owner.as_str()) {
                    Some(thread) => self.promises.threads.entry(*thread).or_default().push(watch),
                    None => continue,
                },
                Some(own) => match self.hierarchy.find_node(&promise.owner) {
                    Some(node) => {
                        let own = Own(own);
                        let place = Place { watch, node, own, requests: 0, cpu: None, told: None };
                        self.promises.places.push(place);
                    }
                    None => continue,
                },
            }
            let judge = Judge::new(&promise.guarantee, grain);
            self.promises.watches.push(Watch {
                promise: promise.clone(),
                judges: judge.map(|judge| (judge.clone(), judge)),
                awake: None,
                runnable: Span::ZERO,
                until: None,
            });
        }
    }

    /// Time has passed on a processor since `from`.
    #[inline]
    pub(crate) fn promises_passed(&mut self, cpu: usize, from: Instant, stolen: bool) {
        if !self.promises.watches.is_empty() && from < self.now {
            let thread = self.cpus[cpu].thread;
            self.promises.passed(cpu, thread, (from, self.now), stolen);
        }
    }

    /// A thread becomes runnable.
    pub(crate) fn promise_wakes(&mut self, thread: u32) {
        let now = self.now;
        self.promises.each(thread, |watch| watch.wakes(now));
    }

    /// A thread is runnable no longer.
    pub(crate) fn promise_sleeps(&mut self, thread: u32) {
        if !self.promises.threads.contains_key(&thread) {
            return;
        }
        if let Some(cpu) = self.threads[thread as usize].cpu {
            self.account(usize::from(cpu));
        }
        let now = self.now;
        self.promises.each(thread, |watch| watch.sleeps(now));
    }

    /// A thread tells a deadline.
    pub(crate) fn promise_told(&mut self, thread: u32, deadline: Instant) {
        let now = self.now;
        self.promises.each(thread, |watch| watch.each(|judge| judge.told(now, deadline)));
    }

    /// Looks at the virtual processors of schedulers: who asks, who has a processor.
    pub(crate) fn look_at_promises(&mut self) {
        for at in 0..self.promises.places.len() {
            let place = &self.promises.places[at];
            let (watch, requested, before) = (place.watch, place.requests, place.cpu);
            let state = self.hierarchy.own_state(place.node, place.own);
            let (state, requests) = state.unwrap_or((VpState::Waiting, requested));
            let cpu = match state {
                VpState::Running(processor) => Some(processor.0),
                _ => None,
            };
            if before != cpu {
                for cpu in [before, cpu].into_iter().flatten() {
                    self.account(usize::from(cpu));
                }
            } else if requests != requested
                && let Some(cpu) = cpu
            {
                self.account(usize::from(cpu));
            }
            let now = self.now;
            let watch = &mut self.promises.watches[watch];
            if requests != requested || state == VpState::Waiting {
                watch.sleeps(now);
            }
            if state != VpState::Waiting {
                watch.wakes(now);
            }
            let place = &mut self.promises.places[at];
            (place.requests, place.cpu) = (requests, cpu);
            let told = self.hierarchy.own_told(place.node, place.own);
            let watch = place.watch;
            let before = core::mem::replace(&mut place.told, told);
            if let Some((deadline, back)) = told
                && before != told
            {
                if let Some(cpu) = cpu {
                    self.account(usize::from(cpu));
                }
                if before.is_some_and(|(_, before)| before != back) {
                    // It told a later one in between.
                    self.promises.watches[watch].each(|judge| judge.told(now, Instant::MAX));
                }
                self.promises.watches[watch].each(|judge| judge.told(now, deadline));
            }
        }
    }

    /// The hierarchy is no longer the one that was checked.
    pub(crate) fn promises_end(&mut self) {
        if self.promises.watches.iter().all(|watch| watch.until.is_some()) {
            return;
        }
        (0..self.cpus.len()).for_each(|cpu| self.account(cpu));
        let now = self.now;
        for watch in self.promises.watches.iter_mut().filter(|watch| watch.until.is_none()) {
            watch.sleeps(now);
            watch.until = Some(now);
        }
    }

    /// What was found. Every processor's accounts are closed.
    pub(crate) fn promise_verdicts(&mut self) -> Vec<PromiseVerdict> {
        let now = self.now;
        let ticks = self.machine.timer != Timer::Precise;
        let watches = std::mem::take(&mut self.promises).watches.into_iter();
        let verdicts = watches.map(|mut watch| {
            watch.sleeps(now);
            watch.verdict(ticks)
        });
        verdicts.collect()
    }
}
