//! Reports what happens in a run to the judges of promises.

use super::judged::Judged;
use super::{Place, Promises};
use crate::host::Host;
use crate::machine::{Machine, Passed};
use crate::thread::{Role, Thread};
use std::collections::BTreeMap;
use windfall_hierarchy::{OwnVp, VpState};
use windfall_scenario::PromiseChange;
use windfall_scenario::outcome::{Promise, PromiseVerdict, Use};
use windfall_time::Instant;

impl Promises {
    /// Judges a promise to a thread, or to each thread of a program, including later ones.
    /// Returns the threads for which it is judged by now.
    fn judge_thread(&mut self, thread: u32, promise: &Promise, threads: &[Thread]) -> Vec<u32> {
        if threads[thread as usize].role != Role::Entry {
            self.add_to(thread, promise.clone());
            return vec![thread];
        }
        self.programs.push(promise.clone());
        let its = (0..).zip(threads);
        let its = its.filter(|(_, one)| one.role == Role::Of(thread) && one.id.is_some());
        let its: Vec<u32> = its.map(|(number, _)| number).collect();
        for number in &its {
            let name = &threads[*number as usize].outcome.name;
            self.add_to(*number, promise.clone().to(name));
        }
        its
    }

    /// The promise to a thread that was added last.
    fn last_of(&mut self, thread: u32) -> Option<&mut Judged> {
        let at = *self.threads.get(thread as usize)?.last()?;
        self.judged.get_mut(at)?.as_mut()
    }
}

impl<M: Machine> Host<M> {
    /// Judges these promises from now on, and no others. Promises to unknown owners are left out.
    pub fn judge_promises(&mut self, promises: &[Promise]) {
        if self.log.decisions == 0 {
            self.promises = Promises::default(); // no event has happened yet that could be judged
        }
        self.promises_end();
        self.judgement_changes(&PromiseChange::untouched(promises.to_vec()));
    }

    /// Judges the promises that hold after a request, and no others. The judgement of promises that the request has not touched continues.
    pub fn promises_change(&mut self, change: &PromiseChange) {
        self.supplies_change(&change.after);
        self.judgement_changes(change);
    }

    fn judgement_changes(&mut self, change: &PromiseChange) {
        self.account_all();
        let now = self.machine.now();
        let within = (self.agenda.resolution.resolution(), M::PRECISION);
        let given = std::mem::replace(&mut self.promises.given, change.after.clone());
        let (kept, added): (Vec<&Promise>, Vec<&Promise>) = change
            .after
            .iter()
            .partition(|promise| given.contains(promise) && change.keeps(promise));
        let threads = &self.threads.list;
        // A promise to a program is judged for each of its threads, by their names.
        let programs: BTreeMap<&str, &str> = threads
            .iter()
            .filter_map(|thread| {
                let entry = threads.get(thread.entry()? as usize)?;
                Some((thread.outcome.name.as_str(), entry.outcome.name.as_str()))
            })
            .collect();
        self.promises.retain(now, within, |judged| {
            let program = programs.get(judged.owner.as_str()).copied();
            kept.iter().any(|kept| {
                let is_its = kept.owner == judged.owner || program == Some(kept.owner.as_str());
                is_its && (*kept).clone().to(&judged.owner) == *judged
            })
        });
        self.promises.rounds += 1;
        self.promises.begins = now.saturating_add(change.settles);
        for promise in added {
            self.judge_promise(promise, now);
        }
        self.look_at_promises();
    }

    /// Begins to judge a promise.
    fn judge_promise(&mut self, promise: &Promise, now: Instant) {
        let list = &self.threads.list;
        if let Some(own) = promise.own {
            let Some(node) = self.hierarchy.find_node(&promise.owner) else { return };
            let (judged, own) = (self.promises.add(promise.clone()), OwnVp(own));
            let (waits, requests, cpu, deadline) = (true, 0, None, None);
            self.promises.places.push(Place { judged, node, own, waits, requests, cpu, deadline });
            return;
        }
        // If several have one name, the first counts.
        let Some(thread) = list.iter().position(|thread| thread.outcome.name == promise.owner)
        else {
            return;
        };
        let thread = u32::try_from(thread).expect("threads are numbered by 32 bits");
        let list = &self.threads.list;
        for number in self.promises.judge_thread(thread, promise, list) {
            if list[number as usize].ready {
                self.promises.last_of(number).into_iter().for_each(|judged| judged.wakes(now));
            }
        }
    }

    /// Reports that time has passed on a processor.
    #[inline]
    pub(crate) fn promises_passed(&mut self, cpu: usize, passed: &Passed) {
        if !self.promises.judged.is_empty() && !passed.span.is_zero() {
            let stretch = (passed.from, passed.from + passed.span);
            self.promises.passed(cpu, passed.owner, stretch, passed.by);
        }
    }

    /// Reports the time that deciding on a grant took: it was given to the thread, and not received.
    pub(crate) fn promise_decided(&mut self, owner: u32, (from, to): (Instant, Instant)) {
        self.promises.each(owner, |judged| judged.served(from, to, Use::Overhead));
    }

    /// Reports that time has been stolen from a processor; one report is enough for all promises. A live machine always loses some.
    pub(crate) fn promises_stolen(&mut self) {
        if !M::LIVE && !core::mem::replace(&mut self.promises.stolen, true) {
            for judged in self.promises.judged.iter_mut().flatten() {
                judged.time_was_stolen();
            }
        }
    }

    /// Reports that a thread becomes runnable.
    pub(crate) fn promise_wakes(&mut self, thread: u32) {
        if self.promises.is_judged(thread) {
            let now = self.machine.now();
            self.promises.each(thread, |judged| judged.wakes(now));
        }
    }

    /// Reports that a thread is not runnable any more.
    pub(crate) fn promise_sleeps(&mut self, thread: u32) {
        if !self.promises.is_judged(thread) {
            return;
        }
        if let Some(cpu) = self.threads.list[thread as usize].cpu {
            self.account(usize::from(cpu));
        }
        let now = self.machine.now();
        self.promises.each(thread, |judged| judged.sleeps(now));
    }

    /// Reports a thread's deadline for a job that was released at `release`. A live machine handles the release some time later; what
    /// the thread received since then counts for the new deadline.
    pub(crate) fn promise_deadline(&mut self, thread: u32, release: Instant, deadline: Instant) {
        if !self.promises.is_judged(thread) {
            return;
        }
        self.hear_before(thread);
        let now = self.machine.now();
        let at = if M::LIVE { release.min(now) } else { now };
        if let Some(cpu) = self.threads.list[thread as usize].cpu {
            self.account_until(usize::from(cpu), at);
        }
        self.promises.each(thread, |judged| judged.set_deadline(at, deadline));
    }

    /// Reports changes of schedulers' own virtual processors: requests, grants, deadlines.
    #[inline]
    pub(crate) fn look_at_promises(&mut self) {
        if !self.promises.places.is_empty() {
            self.look_at_places();
        }
    }

    fn look_at_places(&mut self) {
        for at in 0..self.promises.places.len() {
            let place = &self.promises.places[at];
            let (waited, requested, before) = (place.waits, place.requests, place.cpu);
            let state = self.hierarchy.own_state(place.node, place.own);
            let (state, requests) = state.unwrap_or((VpState::Waiting, requested));
            let deadline = self.hierarchy.own_reported_deadline(place.node, place.own);
            let cpu = match state {
                VpState::Running(processor) => Some(processor.index()),
                _ => None,
            };
            let waits = state == VpState::Waiting;
            let same = (before, requested, waited) == (cpu, requests, waits);
            if same && place.deadline == deadline {
                continue;
            }
            for cpu in [before, cpu].into_iter().flatten() {
                self.account(cpu);
            }
            let now = self.machine.now();
            let place = &mut self.promises.places[at];
            (place.waits, place.requests, place.cpu) = (waits, requests, cpu);
            let deadline_before = std::mem::replace(&mut place.deadline, deadline);
            let Some(judged) = &mut self.promises.judged[place.judged] else { continue };
            if requests != requested || waits {
                judged.sleeps(now);
            }
            if !waits {
                judged.wakes(now);
            }
            if let Some((deadline, back)) = deadline.filter(|_| deadline != deadline_before) {
                if deadline_before.is_some_and(|(_, before)| before != back) {
                    judged.set_deadline(now, Instant::MAX); // it sent a later deadline in between
                }
                judged.set_deadline(now, deadline);
            }
        }
    }

    /// The hierarchy is no longer the one that was checked: ends judgement, and, when all that is due has been applied, what schedulers
    /// that admit count on.
    pub(crate) fn unchecked(&mut self) {
        self.step.unsupplied |= !self.promises.given().is_empty();
        self.promises_end();
    }

    /// Tells schedulers that admit that they hold nothing by promise, if that is so.
    #[inline]
    pub(crate) fn supplies_end(&mut self) {
        if self.step.unsupplied {
            self.step.unsupplied = false;
            self.supplies_change(&[]);
        }
    }

    /// Ends judgement.
    fn promises_end(&mut self) {
        if self.promises.judged.is_empty() {
            return;
        }
        self.account_all();
        let now = self.machine.now();
        let within = (self.agenda.resolution.resolution(), M::PRECISION);
        self.promises.end(now, within);
    }

    /// The verdicts. Every processor's accounts must be up to date.
    pub(crate) fn promise_verdicts(&self) -> Vec<PromiseVerdict> {
        let tick = self.agenda.resolution.resolution();
        self.promises.read(M::PRECISION).verdicts(self.machine.now(), tick)
    }
}
