//! How a thread comes into being.

use crate::run::Sim;
use windfall_hierarchy::NodeId;
use windfall_programs::Players;
use windfall_scenario::Place;
use windfall_trace::ThreadId;

impl Sim<'_> {
    /// A thread comes into being, ready to run its program.
    pub(crate) fn birth(&mut self, number: u32) {
        let spec = &self.threads[number as usize].spec;
        let (name, promised) = (spec.name.clone(), spec.promised.clone());
        let messages = spec.messages.clone();
        let wanted = (spec.parent, messages.as_slice());
        let place = self.tell(|hierarchy, now| Place::take(hierarchy, now, &name, wanted));
        let Some(Place { thread: id, parent, remark }) = place else {
            self.players.withdraw(number);
            self.unborn.push(name);
            return;
        };
        self.refused.extend(remark.map(|why| (self.now, why)));
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
