//! Promises, judged while they are kept or broken.
//!
//! For each promise a [`Judged`] hears when its owner, a thread or an own virtual processor of a
//! scheduler, becomes runnable, is served, and stops being runnable. What its owner was granted is what a promise is about.
//! Time that others had of the processor meanwhile is given, but not received: stolen, where it is interrupts, a hypervisor, or
//! programs that are not supervised; overhead, where it is ours. What a thread gets outside of a grant is no part of it.
//! Promises are about the hierarchy that was checked: judgement ends with the first control request, or
//! when a scheduler is quarantined. Of the deadlines that a scheduler sends its parent in one instant, the last one counts.

mod judged;
mod watched;

use judged::Judged;
use windfall_hierarchy::{NodeId, OwnVp};
use windfall_scenario::outcome::{EARLIER, Promise, PromiseStatus, PromiseVerdict, Use, Watch};
use windfall_time::{Instant, Span};

/// An own virtual processor of a scheduler that has a promise.
struct Place {
    judged: usize,
    node: NodeId,
    own: OwnVp,
    /// Whether it waited, and how often it had requested, when it was last looked at.
    waits: bool,
    requests: u32,
    /// The processor that it has.
    cpu: Option<usize>,
    /// The deadline that it sent last, and how often it went back to an earlier one.
    deadline: Option<(Instant, u32)>,
}

/// All promises under judgement.
#[derive(Default)]
pub struct Promises {
    /// Some places are vacant: their threads have ended.
    judged: Vec<Option<Judged>>,
    vacant: Vec<usize>,
    /// Those whose judgement has ended: of each promise the time that it fared worst.
    ended: Vec<PromiseVerdict>,
    /// By thread.
    threads: Vec<Vec<usize>>,
    places: Vec<Place>,
    /// Promises to all threads of a program, by the name of its entry.
    programs: Vec<Promise>,
    /// How often promises to be judged were given: first those of the file, then those of the tree of the moment.
    rounds: u32,
    /// Whether they have heard that time is being stolen.
    stolen: bool,
}

impl Promises {
    fn add(&mut self, promise: Promise) -> usize {
        let judged = Some(Judged::new(Watch::new(promise)));
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

    /// A thread of a program has come, perhaps with the number of one that has ended long ago.
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

    /// Whether a promise to that thread is judged.
    pub(crate) fn is_judged(&self, thread: u32) -> bool {
        self.threads.get(thread as usize).is_some_and(|judged| !judged.is_empty())
    }

    fn each(&mut self, thread: u32, act: impl Fn(&mut Judged)) {
        for at in self.threads.get(thread as usize).into_iter().flatten() {
            if let Some(judged) = &mut self.judged[*at] {
                act(judged);
            }
        }
    }

    /// Time has passed on a processor that is granted to `owner`.
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

    /// The hierarchy is no longer the one that was checked.
    fn end(&mut self, now: Instant, within: (Option<Span>, Span)) {
        for judged in std::mem::take(&mut self.judged).into_iter().flatten() {
            self.fold(judged.verdict(now, within));
        }
        self.vacant.clear();
        self.threads.clear();
        self.places.clear();
        self.programs.clear();
    }

    /// Keeps what was found, unless the same promise has fared worse before.
    fn fold(&mut self, verdict: PromiseVerdict) {
        let same = |before: &&mut PromiseVerdict| before.promise == verdict.promise;
        match self.ended.iter_mut().find(same) {
            Some(before) if before.status() > verdict.status() => {}
            Some(before) => *before = verdict,
            None => self.ended.push(verdict),
        }
    }

    /// What is known of all promises, to be judged when there is time.
    #[must_use]
    pub fn read(&self, precision: Span) -> Judgement {
        let judged = self.judged.iter().flatten();
        let watches = judged.map(|judged| (judged.watch(), judged.last()));
        let (ended, anew) = (self.ended.clone(), self.rounds > 1);
        Judgement { ended, watches: watches.collect(), anew, precision }
    }
}

/// What is known of all promises.
pub struct Judgement {
    ended: Vec<PromiseVerdict>,
    watches: Vec<(Watch, Instant)>,
    anew: bool,
    precision: Span,
}

impl Judgement {
    /// What was found of each promise that there is at this moment; where requests of the file have ended all of them, of
    /// what there was until then.
    #[must_use]
    pub fn current(self, now: Instant, tick: Option<Span>) -> Vec<PromiseVerdict> {
        let ended = self.watches.is_empty() && !self.anew;
        let mut verdicts = self.verdicts(now, tick);
        verdicts.retain(|verdict| ended || verdict.until.is_none());
        verdicts
    }

    /// What was found of each promise: first of those whose judgement has ended before others began, where anything was.
    #[must_use]
    pub fn verdicts(self, now: Instant, tick: Option<Span>) -> Vec<PromiseVerdict> {
        let anew = self.anew;
        let empty = |verdict: &PromiseVerdict| {
            (anew || verdict.promise.owner.ends_with(EARLIER))
                && matches!(verdict.status(), PromiseStatus::NotAsking | PromiseStatus::NotTested)
        };
        let ended = self.ended.into_iter().filter(|verdict| !empty(verdict));
        let watches = self.watches.into_iter();
        let live =
            watches.map(|(watch, last)| watch.verdict_within(now.max(last), tick, self.precision));
        ended.chain(live).collect()
    }
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
