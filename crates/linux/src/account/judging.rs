//! Promises, judged while they are kept or broken.
//!
//! What its owner was granted is what a promise is about. Time that others had of the processor
//! meanwhile is given, but not received: stolen, where it is interrupts, a hypervisor, or programs that are not
//! supervised; overhead, where it is ours (deciding, switching, holding threads off). What a thread
//! gets outside of a grant has leaked, and is no part of what it was promised.
//! Words about one owner are put in order: the kernel's come a little later than ours.

mod judged;

use crate::supervise::supervisor::Supervisor;
use crate::threads::member::Member;
use judged::Judged;
use windfall_hierarchy::{NodeId, OwnVp, VpState};
use windfall_scenario::outcome::{EARLIER, Promise, PromiseStatus, PromiseVerdict, Use, Watch};
use windfall_time::{Instant, Span};

/// What a machine like this one cannot help: a wake-up that is heard of late, a timer that goes off late.
const PRECISION: Span = Span::from_nanos(100_000);

/// An own virtual processor of a scheduler that has a promise.
struct Place {
    judged: usize,
    node: NodeId,
    own: OwnVp,
    /// How often it had requested when it was last looked at.
    requests: u32,
    /// The processor that it has.
    cpu: Option<usize>,
    /// The deadline that it told last, and how often it went back to an earlier one.
    told: Option<(Instant, u32)>,
}

/// All promises under judgement.
#[derive(Default)]
pub(crate) struct Judging {
    /// Some places are vacant: their threads have ended.
    judged: Vec<Option<Judged>>,
    vacant: Vec<usize>,
    /// Those whose judgement has ended: of each promise the time that it fared worst.
    ended: Vec<PromiseVerdict>,
    /// By member.
    members: Vec<Option<usize>>,
    places: Vec<Place>,
    /// Promises to all threads of a program, by the name of its entry.
    programs: Vec<Promise>,
    /// How often promises to be judged were given: first those of the file, then those of the tree of the moment.
    rounds: u32,
}

impl Judging {
    fn add(&mut self, promise: Promise) -> usize {
        let watch = Watch::new(promise);
        let judged = Some(Judged::new(watch));
        if let Some(at) = self.vacant.pop() {
            self.judged[at] = judged;
            return at;
        }
        self.judged.push(judged);
        self.judged.len() - 1
    }

    fn set(&mut self, number: u32, judged: usize) {
        let number = number as usize;
        if self.members.len() <= number {
            self.members.resize(number + 1, None);
        }
        self.members[number] = Some(judged);
    }

    /// A thread of a program has come, perhaps with the number of one that has ended long ago.
    pub(crate) fn joins(&mut self, number: u32, entry: &str, name: &str) {
        let former = self.members.get_mut(number as usize).and_then(Option::take);
        if let Some(judged) = former.and_then(|former| self.judged[former].take()) {
            self.vacant.extend(former);
            let last = judged.last();
            let mut verdict = judged.verdict(last, None);
            let owner = &mut verdict.promise.owner; // perhaps of another program
            owner.truncate(owner.rfind('-').unwrap_or(owner.len()));
            owner.push_str(EARLIER);
            self.fold(verdict);
        }
        let promise = self.programs.iter().find(|promise| promise.owner == entry).cloned();
        if let Some(promise) = promise {
            let judged = self.add(Promise { owner: name.to_owned(), ..promise });
            self.set(number, judged);
        }
    }

    /// Whether a promise to that member is judged.
    pub(crate) fn is_judged(&self, number: u32) -> bool {
        self.of(number).is_some()
    }

    fn of(&self, number: u32) -> Option<usize> {
        self.members.get(number as usize).copied().flatten()
    }

    fn judged(&mut self, number: u32) -> Option<&mut Judged> {
        let at = self.of(number)?;
        self.judged.get_mut(at)?.as_mut()
    }

    pub(crate) fn wakes(&mut self, number: u32, at: Instant) {
        if let Some(judged) = self.judged(number) {
            judged.wakes(at);
        }
    }

    /// A thread tells a deadline.
    pub(crate) fn told(&mut self, number: u32, at: Instant, deadline: Instant) {
        if let Some(judged) = self.judged(number) {
            judged.told(at, deadline);
        }
    }

    /// Time has passed on a processor that is granted to `owner`.
    pub(crate) fn passed(
        &mut self,
        cpu: usize,
        owner: Option<u32>,
        (from, to): (Instant, Instant),
        by: Use,
    ) {
        if from >= to {
            return;
        }
        if let Some(judged) = owner.and_then(|owner| self.judged(owner)) {
            judged.served(from, to, by);
        }
        for place in self.places.iter().filter(|place| place.cpu == Some(cpu)) {
            if let Some(judged) = &mut self.judged[place.judged] {
                judged.served(from, to, by);
            }
        }
    }

    /// The hierarchy is no longer the one that was checked.
    fn end(&mut self, now: Instant, tick: Option<Span>) {
        for judged in std::mem::take(&mut self.judged).into_iter().flatten() {
            self.fold(judged.verdict(now, tick));
        }
        self.vacant.clear();
        self.members.clear();
        self.places.clear();
        self.programs.clear();
    }

    /// Deciding that a thread gets a processor took that long: it was given, and not received.
    pub(crate) fn decided(&mut self, owner: Option<u32>, (from, to): (Instant, Instant)) {
        if let Some(judged) = owner.and_then(|owner| self.judged(owner)) {
            judged.served(from, to, Use::Overhead);
        }
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

    /// What is known of all promises, to be judged when the lock has been given back.
    pub(crate) fn read(&self) -> Judgement {
        let judged = self.judged.iter().flatten();
        let watches = judged.map(|judged| (judged.watch(), judged.last()));
        Judgement { ended: self.ended.clone(), watches: watches.collect(), anew: self.rounds > 1 }
    }
}

/// What is known of all promises.
pub(crate) struct Judgement {
    ended: Vec<PromiseVerdict>,
    watches: Vec<(Watch, Instant)>,
    anew: bool,
}

impl Judgement {
    /// What was found of each promise that there is at this moment; where requests of the file have ended all of them, of
    /// what there was until then.
    pub(crate) fn current(self, now: Instant, tick: Option<Span>) -> Vec<PromiseVerdict> {
        let ended = self.watches.is_empty() && !self.anew;
        let mut verdicts = self.verdicts(now, tick);
        verdicts.retain(|verdict| ended || verdict.until.is_none());
        verdicts
    }

    /// What was found of each promise: first of those whose judgement has ended, where anything was.
    pub(crate) fn verdicts(self, now: Instant, tick: Option<Span>) -> Vec<PromiseVerdict> {
        let empty = |verdict: &PromiseVerdict| {
            matches!(verdict.status(), PromiseStatus::NotAsking | PromiseStatus::NotTested)
        };
        let ended = self.ended.into_iter().filter(|verdict| !empty(verdict));
        let watches = self.watches.into_iter();
        let live =
            watches.map(|(watch, last)| watch.verdict_within(now.max(last), tick, PRECISION));
        ended.chain(live).collect()
    }
}

impl Supervisor {
    /// Has promises judged from now on, and no others.
    pub(crate) fn judge_promises(&mut self, promises: Vec<Promise>) {
        let now = self.time();
        self.end_promises();
        self.books.judging.rounds += 1;
        for promise in promises {
            let Some(own) = promise.own else {
                self.judge_thread(promise, now);
                continue;
            };
            let Some(node) = self.hierarchy.find_node(&promise.owner) else { continue };
            let judged = self.books.judging.add(promise);
            let place = Place { judged, node, own: OwnVp(own), requests: 0, cpu: None, told: None };
            self.books.judging.places.push(place);
        }
        self.look_at_promises();
    }

    /// A promise to a thread, or to each of a program, those that come later included.
    fn judge_thread(&mut self, promise: Promise, now: Instant) {
        let named = |member: &Member| member.outcome.name == promise.owner;
        let Some(at) = self.threads.members.iter().position(named) else { return };
        if at >= self.threads.specs.len() || !self.threads.members[at].is_external() {
            self.judge_member(at, promise, now);
            return;
        }
        for late in self.threads.specs.len()..self.threads.members.len() {
            if self.threads.members[late].belongs_to(at) {
                let owner = self.threads.members[late].outcome.name.clone();
                self.judge_member(late, Promise { owner, ..promise.clone() }, now);
            }
        }
        self.books.judging.programs.push(promise);
    }

    fn judge_member(&mut self, at: usize, promise: Promise, now: Instant) {
        let number = u32::try_from(at).expect("threads are numbered by 32 bits");
        let judged = self.books.judging.add(promise);
        self.books.judging.set(number, judged);
        if self.threads.members[at].ready {
            self.books.judging.wakes(number, now);
        }
    }

    /// Judgement of all promises ends: the hierarchy is no longer the one that was checked.
    pub(crate) fn end_promises(&mut self) {
        if !self.books.judging.judged.is_empty() {
            let now = self.time();
            (0..self.cpus.len()).for_each(|cpu| self.account(cpu, now));
            self.books.judging.end(now, self.agenda.resolution.resolution());
        }
    }

    /// What the kernel has seen of a thread of ours before it says what it does.
    pub(crate) fn hear_before(&mut self, number: u32) {
        if self.books.judging.is_judged(number) {
            self.listen();
        }
    }

    /// A member tells a deadline, from an instant on: what it had until then belongs to what it told before.
    pub(crate) fn promise_told(&mut self, number: u32, from: Instant, deadline: Instant) {
        if !self.books.judging.is_judged(number) {
            return;
        }
        self.hear_before(number);
        let now = self.time();
        if let Some(cpu) = self.threads.members[number as usize].on {
            self.account(cpu, now.min(from));
        }
        self.books.judging.told(number, from, deadline);
    }

    /// A member is runnable no longer.
    pub(crate) fn promise_sleeps(&mut self, number: u32, at: Instant) {
        if !self.books.judging.is_judged(number) {
            return;
        }
        if let Some(cpu) = self.threads.members[number as usize].on {
            self.account(cpu, at);
        }
        if let Some(judged) = self.books.judging.judged(number) {
            judged.sleeps(at);
        }
    }

    /// Looks at the virtual processors of schedulers that have promises: who asks, who has a processor.
    pub(crate) fn look_at_promises(&mut self) {
        for at in 0..self.books.judging.places.len() {
            let place = &self.books.judging.places[at];
            let (requested, before) = (place.requests, place.cpu);
            let state = self.hierarchy.own_state(place.node, place.own);
            let told = self.hierarchy.own_told(place.node, place.own);
            let (state, requests) = state.unwrap_or((VpState::Waiting, requested));
            let cpu = match state {
                VpState::Running(processor) => Some(processor.index()),
                _ => None,
            };
            let same = (before, requested) == (cpu, requests) && place.told == told;
            if same {
                continue;
            }
            let now = self.told();
            for cpu in [before, cpu].into_iter().flatten() {
                self.account(cpu, now);
            }
            let place = &mut self.books.judging.places[at];
            let told_before = std::mem::replace(&mut place.told, told);
            (place.requests, place.cpu) = (requests, cpu);
            let Some(judged) = &mut self.books.judging.judged[place.judged] else { continue };
            if requests != requested || state == VpState::Waiting {
                judged.sleeps(now);
            }
            if state != VpState::Waiting {
                judged.wakes(now);
            }
            if let Some((deadline, back)) = told.filter(|_| told != told_before) {
                if told_before.is_some_and(|(_, before)| before != back) {
                    judged.told(now, Instant::MAX); // it told a later one in between
                }
                judged.told(now, deadline);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_ended_long_ago_is_told_under_its_own_program() {
        let promise = |owner: &str| Promise {
            owner: owner.to_owned(),
            own: None,
            guarantee: "RESBH 1ms 10ms".parse().unwrap(),
            granted: true,
            makeup: false,
            behind: windfall_guarantees::Allowance::ZERO,
        };
        let mut judging =
            Judging { programs: vec![promise("left"), promise("right")], ..Judging::default() };
        judging.joins(7, "left", "left-1");
        judging.joins(7, "right", "right-1");
        judging.joins(7, "left", "left-2");
        let owners: Vec<&str> =
            judging.ended.iter().map(|ended| ended.promise.owner.as_str()).collect();
        assert_eq!(owners, ["left-earlier", "right-earlier"]);
    }
}
