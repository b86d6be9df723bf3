//! How a thread comes into being.

use crate::run::Sim;
use windfall_hierarchy::NodeId;
use windfall_programs::Players;
use windfall_scenario::Place;
use windfall_trace::ThreadId;

impl Sim<'_> {
    /// A thread comes into being, ready to run its program: below its scheduler, or below the default
    /// if that is gone by then.
    pub(crate) fn birth(&mut self, number: u32) {
        let spec = &self.threads[number as usize].spec;
        let (name, promised) = (spec.name.clone(), spec.promised.clone());
        let messages = spec.messages.clone();
        let place = Place::of(&self.hierarchy, &name, spec.parent, &messages);
        let parent = place.parent;
        self.refused.extend(place.remark.map(|why| (self.now, why)));
        let id = self.tell(|hierarchy, now| hierarchy.create_thread(now, parent, place.messages));
        let Some(id) = id else {
            self.players.withdraw(number);
            self.unborn.push(name);
            return;
        };
        if self.numbers.len() <= id.index() {
            self.numbers.resize(id.index() + 1, u32::MAX);
        }
        self.numbers[id.index()] = number;
        self.threads[number as usize].id = Some(id);
        self.declare(number, Some(parent));
        self.tracer.promise(self.now, ThreadId(number), promised.as_deref());
        Players::begin(self, number);
    }

    /// Tells whoever records where a thread is; the machine counts threads from 1.
    pub(crate) fn declare(&mut self, number: u32, parent: Option<NodeId>) {
        let (name, tid) = (&self.threads[number as usize].spec.name, number.saturating_add(1));
        self.tracer.thread(self.now, ThreadId(number), (tid, tid), name, parent);
    }
}
