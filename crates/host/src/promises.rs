//! What a host says to those who judge promises while it runs.
//!
//! For each promise a [`Watch`] hears when its owner, a thread or an own virtual processor of a
//! scheduler, becomes runnable, is served, and stops being runnable.
//! Promises are about the hierarchy that was checked: judgement ends with the first control request, or
//! when a scheduler is quarantined.
//! Of the deadlines that a scheduler tells its parent in one instant, the last one counts.

use crate::host::Host;
use crate::machine::{Machine, Passed};
use std::collections::BTreeMap;
use windfall_hierarchy::{NodeId, OwnVp, VpState};
use windfall_scenario::outcome::{Promise, PromiseVerdict, Use, Watch};
use windfall_time::Instant;

/// An own virtual processor of a scheduler that has a promise.
struct Place {
    watch: usize,
    node: NodeId,
    own: OwnVp,
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
    /// Whether they have heard that time is being stolen.
    stolen: bool,
}

impl Promises {
    /// Time has passed on a processor.
    fn passed(&mut self, cpu: usize, thread: Option<u32>, (from, to): (Instant, Instant), by: Use) {
        for at in thread.and_then(|thread| self.threads.get(&thread)).into_iter().flatten() {
            self.watches[*at].served(from, to, by);
        }
        for place in self.places.iter().filter(|place| place.cpu.map(usize::from) == Some(cpu)) {
            self.watches[place.watch].served(from, to, by);
        }
    }

    fn each(&mut self, thread: u32, tell: impl Fn(&mut Watch)) {
        for at in self.threads.get(&thread).into_iter().flatten() {
            tell(&mut self.watches[*at]);
        }
    }
}

impl<M: Machine> Host<M> {
    /// Has promises judged; those to nobody that is known are left out. They take the place of those
    /// that the plan has. To be called before the simulation runs.
    pub fn judge_promises(&mut self, promises: &[Promise]) {
        self.promises = Promises::default();
        let number = |at: usize| u32::try_from(at).expect("threads are numbered by 32 bits");
        let threads: BTreeMap<&str, u32> = (0..self.threads.list.len())
            .map(|at| (self.threads.list[at].spec.name.as_str(), number(at)))
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
                        let own = OwnVp(own);
                        let place = Place { watch, node, own, requests: 0, cpu: None, told: None };
                        self.promises.places.push(place);
                    }
                    None => continue,
                },
            }
            self.promises.watches.push(Watch::new(promise.clone()));
        }
    }

    /// Time has passed on a processor.
    #[inline]
    pub(crate) fn promises_passed(&mut self, cpu: usize, passed: &Passed, by: Use) {
        if !self.promises.watches.is_empty() && !passed.span.is_zero() {
            let stretch = (passed.from, passed.from + passed.span);
            self.promises.passed(cpu, passed.thread, stretch, by);
        }
    }

    /// Time has been stolen from a processor; the first time says it for all.
    pub(crate) fn promises_stolen(&mut self) {
        if !core::mem::replace(&mut self.promises.stolen, true) {
            self.promises.watches.iter_mut().for_each(Watch::time_was_stolen);
        }
    }

    /// A thread becomes runnable.
    pub(crate) fn promise_wakes(&mut self, thread: u32) {
        let now = self.machine.now();
        self.promises.each(thread, |watch| watch.wakes(now));
    }

    /// A thread is runnable no longer.
    pub(crate) fn promise_sleeps(&mut self, thread: u32) {
        if !self.promises.threads.contains_key(&thread) {
            return;
        }
        if let Some(cpu) = self.threads.list[thread as usize].cpu {
            self.account(usize::from(cpu));
        }
        let now = self.machine.now();
        self.promises.each(thread, |watch| watch.sleeps(now));
    }

    /// A thread says what its deadline is.
    pub(crate) fn promise_deadline(&mut self, thread: u32, deadline: Instant) {
        let now = self.machine.now();
        self.promises.each(thread, |watch| watch.set_deadline(now, deadline));
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
            let now = self.machine.now();
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
                    self.promises.watches[watch].set_deadline(now, Instant::MAX);
                }
                self.promises.watches[watch].set_deadline(now, deadline);
            }
        }
    }

    /// The hierarchy is no longer the one that was checked.
    pub(crate) fn promises_end(&mut self) {
        if self.promises.watches.iter().all(Watch::has_ended) {
            return;
        }
        (0..self.step.on.len()).for_each(|cpu| self.account(cpu));
        let now = self.machine.now();
        self.promises.watches.iter_mut().for_each(|watch| watch.end(now));
    }

    /// What was found. Every processor's accounts are closed.
    pub(crate) fn promise_verdicts(&mut self) -> Vec<PromiseVerdict> {
        let now = self.machine.now();
        let tick = self.agenda.resolution.resolution();
        let watches = std::mem::take(&mut self.promises).watches.into_iter();
        watches.map(|watch| watch.verdict(now, tick)).collect()
    }
}
