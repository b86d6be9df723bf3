//! How a thread comes into being: at its start, or because a process makes another.

use crate::run::Sim;
use windfall_hierarchy::{NodeId, ThreadId};
use windfall_programs::{Node, ProcessError, ProcessParams, Program, ProgramRuntime};
use windfall_scenario::{Home, Place, PlannedThread};

impl Sim<'_> {
    /// A thread comes into being, ready to run its program.
    pub(crate) fn start_thread(&mut self, number: u32) {
        let spec = &self.threads[number as usize].spec;
        let (name, messages) = (spec.name.clone(), spec.messages.clone());
        let wanted = (spec.parent, messages.as_slice());
        let place = self.tell(|hierarchy, now| Place::take(hierarchy, now, &name, wanted));
        let Some(Place { thread: id, parent, remark }) = place else {
            self.players.withdraw(number);
            self.not_admitted.push(name);
            return;
        };
        self.refused.extend(remark.map(|why| (self.now, why)));
        self.begin(number, id, parent);
    }

    /// A thread has its place.
    fn begin(&mut self, number: u32, id: ThreadId, parent: NodeId) {
        if self.numbers.len() <= id.index() {
            self.numbers.resize(id.index() + 1, u32::MAX);
        }
        self.numbers[id.index()] = number;
        self.threads[number as usize].id = Some(id);
        self.declare(number, Some(parent));
        let promised = self.threads[number as usize].spec.promised.clone();
        self.tracer.promise(self.now, windfall_trace::ThreadId(number), promised.as_deref());
        ProgramRuntime::begin(self, number);
    }

    /// A process makes another. It is below the scheduler of its node or nowhere.
    pub(crate) fn conceive(
        &mut self,
        node: Node,
        terms: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError> {
        let Program::Process(start) = program else {
            return Err(ProcessError::NotAdmitted { node });
        };
        let home = Home::of(node, &self.homes, self.hierarchy.default_node());
        let Home { scheduler, asks } = home.ok_or(ProcessError::NotAdmitted { node })?;
        let messages = asks(&terms);
        let id = self.tell(|hierarchy, now| hierarchy.create_thread(now, scheduler, &messages));
        let id = id.ok_or(ProcessError::NotAdmitted { node })?;
        let spec = PlannedThread {
            name: self.players.name(start),
            parent: scheduler,
            messages,
            promised: None,
            program: program.clone().into(),
            start: self.now,
            working_set_kib: 0,
        };
        let number = self.enlist(spec, program);
        self.begin(number, id, scheduler);
        Ok(number)
    }

    /// Tells whoever records where a thread is; the machine counts threads from 1.
    pub(crate) fn declare(&mut self, number: u32, parent: Option<NodeId>) {
        let (name, tid) = (&self.threads[number as usize].spec.name, number.saturating_add(1));
        let thread = windfall_trace::ThreadId(number);
        self.tracer.thread(self.now, thread, (tid, tid), name, parent);
    }
}
