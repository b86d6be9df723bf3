//! What becomes of a thread: it gets its place in the hierarchy, can run, waits, ends.

use crate::supervise::supervisor::Supervisor;
use crate::threads::member::{Member, ThreadSpec};
use windfall_hierarchy::{Hierarchy, Target, ThreadId};
use windfall_scenario::Place;
use windfall_scenario::outcome::Figures;
use windfall_time::Instant;
use windfall_trace::Event;

impl Supervisor {
    /// A member gets its place in the hierarchy.
    pub(crate) fn admit(&mut self, number: u32, spec: &ThreadSpec) -> bool {
        let now = self.time();
        let wanted = (spec.parent, spec.messages.as_slice());
        let place = self.notify(now, |tree, now| Place::take(tree, now, &spec.name, wanted));
        let Some(Place { thread: id, remark, .. }) = place else {
            self.log.not_admitted.push(spec.name.clone());
            return false;
        };
        self.log.refused.extend(remark.map(|why| (now, why)));
        self.known_as(number, id);
        self.trace_birth(number, now);
        true
    }

    /// The hierarchy knows a member.
    pub(crate) fn known_as(&mut self, number: u32, id: ThreadId) {
        if self.threads.numbers.len() <= id.index() {
            self.threads.numbers.resize(id.index() + 1, u32::MAX);
        }
        self.threads.numbers[id.index()] = number;
        self.threads.members[number as usize].id = Some(id);
    }

    /// A member can run; `by` is what a trace calls who has woken it, if that is known.
    pub(crate) fn becomes_ready(
        &mut self,
        number: u32,
        at: Instant,
        by: Option<windfall_trace::ThreadId>,
    ) {
        let member = &mut self.threads.members[number as usize];
        let Some(id) = member.id.filter(|_| !member.ready) else { return };
        member.ready = true;
        member.awake = at;
        member.unserved = Some(at);
        member.outcome.wakeups += 1;
        self.books.judging.wakes(number, at);
        if member.is_external() {
            self.step.risen.push(number);
        }
        self.trace_wake(number, at, by);
        self.notify(at, |hierarchy, now| hierarchy.ready(now, id));
    }

    /// A member waits.
    pub(crate) fn becomes_blocked(&mut self, number: u32, at: Instant) {
        let member = &mut self.threads.members[number as usize];
        let Some(id) = member.id.filter(|_| member.ready) else { return };
        member.stops(at);
        self.promise_sleeps(number, at);
        self.notify(at, |hierarchy, now| hierarchy.blocked(now, id));
    }

    /// What the scheduler above a member counts of it, or counted until it ended.
    pub(crate) fn counted(&self, member: usize) -> Figures {
        let member = &self.threads.members[member];
        match member.id {
            Some(id) => self.hierarchy.counted(self.time(), Target::Thread(id)),
            None => member.outcome.stats.clone(),
        }
    }

    /// A member has ended.
    pub(crate) fn becomes_gone(&mut self, number: u32, at: Instant) {
        let counted = self.counted(number as usize);
        let member = &mut self.threads.members[number as usize];
        let Some(id) = member.id.take() else { return };
        member.outcome.stats = counted;
        if member.ready {
            member.stops(at);
        }
        member.outcome.parent = name_above(&self.hierarchy, id);
        self.threads.tids.remove(&member.tid);
        self.promise_sleeps(number, at);
        self.trace_about(number, at, |thread| Event::Exit { thread });
        self.notify(at, |hierarchy, now| hierarchy.exited(now, id));
        if let Some(slot) = self.threads.numbers.get_mut(id.index()) {
            *slot = u32::MAX;
        }
        self.ended(number);
    }
}

impl Member {
    /// It can run no longer.
    fn stops(&mut self, at: Instant) {
        self.ready = false;
        self.unserved = None;
        self.outcome.runnable += at.saturating_since(self.awake);
        if self.bursts && self.outcome.released == 0 {
            let awake = self.awake;
            self.outcome.complete(awake, at.max(awake), false);
        }
    }
}

/// The scheduler above a thread, by name.
pub(crate) fn name_above(hierarchy: &Hierarchy, id: ThreadId) -> Option<String> {
    let parent = hierarchy.parent_of(id).ok()?;
    hierarchy.name(parent).map(str::to_owned)
}
