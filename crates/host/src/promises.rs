//! Judges promises during a run.
//!
//! For each promise, a [`Judged`] receives a report when its owner (a thread, or an own virtual processor of a scheduler) becomes runnable, is
//! served, and stops being runnable. A promise is about the time that its owner was granted. Time of a granted processor that others
//! used counts as given and not received: *stolen* by interrupts, a hypervisor or programs that are not supervised; *overhead*
//! if the host caused it. Time that a thread gets outside a grant does not count. Promises hold for the hierarchy that was
//! checked: a control request ends the judgement of those that it touches and begins that of those that hold afterwards. When a
//! scheduler is quarantined, all judgement ends. If a scheduler sends its parent
//! several deadlines in one instant, the last one counts.

mod judged;
mod watched;

use judged::Judged;
use std::collections::BTreeSet;
use windfall_hierarchy::{NodeId, OwnVp};
use windfall_scenario::outcome::{EARLIER, Promise, PromiseStatus, PromiseVerdict, Use, Watch};
use windfall_time::{Instant, Span};

/// A promise's owner that is an own virtual processor of a scheduler.
struct Place {
    judged: usize,
    node: NodeId,
    own: OwnVp,
    /// State at the last check: whether it waited, and its number of requests.
    waits: bool,
    requests: u32,
    /// The processor that it is granted.
    cpu: Option<usize>,
    /// The last deadline that it sent, and how often it went back to an earlier one.
    deadline: Option<(Instant, u32)>,
}

/// All promises that are being judged.
#[derive(Default)]
pub struct Promises {
    /// A vacant place belonged to a thread that has ended.
    judged: Vec<Option<Judged>>,
    vacant: Vec<usize>,
    /// Verdicts of promises whose judgement has ended; the worst one for each promise.
    ended: Vec<PromiseVerdict>,
    /// By thread: indices in `judged`.
    threads: Vec<Vec<usize>>,
    places: Vec<Place>,
    /// Promises to all threads of a program, by the name of its entry.
    programs: Vec<Promise>,
    /// How often promises were set: first those of the file, later those of the changed tree.
    rounds: u32,
    /// The promises that were set last.
    given: Vec<Promise>,
    /// When judgement of added promises begins.
    begins: Instant,
    /// Whether stolen time was reported to them.
    stolen: bool,
}

impl Promises {
    fn add(&mut self, promise: Promise) -> usize {
        let judged = Some(Judged::new(Watch::new(promise), self.begins));
        if let Some(at) = self.vacant.pop() {
            self.judged[at] = judged;
            return at;
        }
        self.judged.push(judged);
        self.judged.len() - 1
    }

    fn add_to(&mut self, thread: u32, promise: Promise) {
        let judged = self.add(promise);
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, Vec::new);
        }
        self.threads[thread].push(judged);
    }

    /// Adds a thread of a program. It may have the number of one that ended long ago, whose judgement then ends.
    pub(crate) fn joins(&mut self, thread: u32, (entry, name): (&str, &str), precision: Span) {
        let former = self.threads.get_mut(thread as usize).map(std::mem::take);
        for at in former.unwrap_or_default() {
            let Some(judged) = self.judged[at].take() else { continue };
            self.vacant.push(at);
            let last = judged.last();
            let mut verdict = judged.verdict(last, (None, precision));
            let owner = &mut verdict.promise.owner; // perhaps of another program
            owner.truncate(owner.rfind('-').unwrap_or(owner.len()));
            owner.push_str(EARLIER);
            self.fold(verdict);
        }
        for at in 0..self.programs.len() {
            if self.programs[at].owner == entry {
                let promise = self.programs[at].clone().to(name);
                self.add_to(thread, promise);
            }
        }
    }

    /// Whether a promise to a scheduler's own virtual processor is judged.
    pub(crate) fn has_place(&self, node: NodeId) -> bool {
        self.places.iter().any(|place| place.node == node)
    }

    /// Whether a promise to this thread is judged.
    pub(crate) fn is_judged(&self, thread: u32) -> bool {
        self.threads.get(thread as usize).is_some_and(|judged| !judged.is_empty())
    }

    /// Whether a promise to this thread is broken and was not found broken before.
    pub(crate) fn newly_broken(
        &mut self,
        thread: u32,
        now: Instant,
        within: (Option<Span>, Span),
    ) -> bool {
        let mut broken = false;
        for at in self.threads.get(thread as usize).into_iter().flatten() {
            if let Some(judged) = &mut self.judged[*at] {
                broken |= judged.newly_broken(now, within);
            }
        }
        broken
    }

    fn each(&mut self, thread: u32, act: impl Fn(&mut Judged)) {
        for at in self.threads.get(thread as usize).into_iter().flatten() {
            if let Some(judged) = &mut self.judged[*at] {
                act(judged);
            }
        }
    }

    /// Reports that time has passed on a processor that is granted to `owner`.
    fn passed(&mut self, cpu: usize, owner: Option<u32>, (from, to): (Instant, Instant), by: Use) {
        if let Some(owner) = owner {
            self.each(owner, |judged| judged.served(from, to, by));
        }
        for place in self.places.iter().filter(|place| place.cpu == Some(cpu)) {
            if let Some(judged) = &mut self.judged[place.judged] {
                judged.served(from, to, by);
            }
        }
    }

    /// Ends all judgement, because the hierarchy is no longer the one that was checked.
    fn end(&mut self, now: Instant, within: (Option<Span>, Span)) {
        for judged in std::mem::take(&mut self.judged).into_iter().flatten() {
            self.fold(judged.verdict(now, within));
        }
        self.vacant.clear();
        self.threads.clear();
        self.places.clear();
        self.programs.clear();
        self.given.clear();
    }

    /// The promises that were given last.
    pub(crate) fn given(&self) -> &[Promise] {
        &self.given
    }

    /// Whether a promise is among those that were set last.
    pub(crate) fn are_judged(&self, promise: &Promise) -> bool {
        self.given.contains(promise)
    }

    /// Ends the judgement of all promises that `keeps` does not keep.
    fn retain(
        &mut self,
        now: Instant,
        within: (Option<Span>, Span),
        keeps: impl Fn(&Promise) -> bool,
    ) {
        for at in 0..self.judged.len() {
            let ends = self.judged[at].as_ref().is_some_and(|judged| !keeps(judged.promise()));
            if ends && let Some(judged) = self.judged[at].take() {
                self.vacant.push(at);
                self.fold(judged.verdict(now, within));
            }
        }
        let judged = &self.judged;
        self.threads.iter_mut().for_each(|its| its.retain(|at| judged[*at].is_some()));
        self.places.retain(|place| judged[place.judged].is_some());
        self.programs.retain(keeps);
    }

    /// Keeps a verdict, unless there is a worse one for the same promise.
    fn fold(&mut self, verdict: PromiseVerdict) {
        let same = |before: &&mut PromiseVerdict| before.promise == verdict.promise;
        match self.ended.iter_mut().find(same) {
            Some(before) if before.status() > verdict.status() => {}
            Some(before) => *before = verdict,
            None => self.ended.push(verdict),
        }
    }

    /// Copies the state of all promises, to be judged later.
    #[must_use]
    pub fn read(&self, precision: Span) -> Judgement {
        let judged = self.judged.iter().flatten();
        let watches = judged.map(|judged| (judged.watch(), judged.last()));
        let (ended, anew) = (self.ended.clone(), self.rounds > 1);
        Judgement { ended, watches: watches.collect(), anew, precision }
    }
}

/// A copy of the state of all promises.
pub struct Judgement {
    ended: Vec<PromiseVerdict>,
    watches: Vec<(Watch, Instant)>,
    anew: bool,
    precision: Span,
}

impl Judgement {
    /// Verdicts of the promises that exist at this moment. If requests of the file have ended all, verdicts up to then.
    #[must_use]
    pub fn current(self, now: Instant, tick: Option<Span>) -> Vec<PromiseVerdict> {
        let ended = self.watches.is_empty() && !self.anew;
        let mut verdicts = self.verdicts(now, tick);
        verdicts.retain(|verdict| ended || verdict.until.is_none());
        verdicts
    }

    /// All verdicts. Those of ended judgements come first; they are left out if the promise was not tested, and its owner was promised
    /// something afterwards.
    #[must_use]
    pub fn verdicts(self, now: Instant, tick: Option<Span>) -> Vec<PromiseVerdict> {
        let anew = self.anew;
        let owners: BTreeSet<(String, Option<u16>)> =
            self.watches.iter().map(|(watch, _)| owner(watch.promise())).collect();
        let empty = |verdict: &PromiseVerdict| {
            let promise = &verdict.promise;
            (anew && owners.contains(&owner(promise)) || promise.owner.ends_with(EARLIER))
                && matches!(verdict.status(), PromiseStatus::Unused | PromiseStatus::NotTested)
        };
        let ended = self.ended.into_iter().filter(|verdict| !empty(verdict));
        let watches = self.watches.into_iter();
        let live =
            watches.map(|(watch, last)| watch.verdict_within(now.max(last), tick, self.precision));
        ended.chain(live).collect()
    }
}

fn owner(promise: &Promise) -> (String, Option<u16>) {
    (promise.owner.clone(), promise.own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_ended_long_ago_is_told_under_its_own_program() {
        let promise = |owner: &str| Promise::new(owner, "RESBH 1ms 10ms".parse().unwrap());
        let mut promises =
            Promises { programs: vec![promise("left"), promise("right")], ..Promises::default() };
        promises.joins(7, ("left", "left-1"), Span::ZERO);
        promises.joins(7, ("right", "right-1"), Span::ZERO);
        promises.joins(7, ("left", "left-2"), Span::ZERO);
        let owners: Vec<&str> =
            promises.ended.iter().map(|ended| ended.promise.owner.as_str()).collect();
        assert_eq!(owners, ["left-earlier", "right-earlier"]);
    }
}
