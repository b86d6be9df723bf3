//! How a thread comes into being: at its start, or because a process makes another.

use crate::host::Host;
use crate::machine::Machine;
use windfall_hierarchy::{NodeId, ThreadId};
use windfall_programs::{Node, ProcessError, ProcessParams, Program, ProgramRuntime};
use windfall_scenario::{Home, Place, PlannedThread};

impl<M: Machine> Host<M> {
    /// A thread comes into being, ready to run its program.
    pub(crate) fn start_thread(&mut self, number: u32) {
        let spec = &self.threads.list[number as usize].spec;
        let (name, messages) = (spec.name.clone(), spec.messages.clone());
        let wanted = (spec.parent, messages.as_slice());
        let place = self.send(|hierarchy, now| Place::take(hierarchy, now, &name, wanted));
        let Some(Place { thread: id, parent, remark }) = place else {
            self.programs.withdraw(number);
            self.log.not_admitted.push(name);
            return;
        };
        let now = self.machine.now();
        self.log.refused.extend(remark.map(|why| (now, why)));
        self.begin_thread(number, id, parent);
    }

    /// A thread has its place.
    fn begin_thread(&mut self, number: u32, id: ThreadId, parent: NodeId) {
        self.threads.is_known_as(number, id);
        self.declare(number, Some(parent));
        let promised = self.threads.list[number as usize].spec.promised.clone();
        let now = self.machine.now();
        self.machine.tracer().promise(now, windfall_trace::ThreadId(number), promised.as_deref());
        ProgramRuntime::begin(self, number);
    }

    /// A process makes another. It is below the scheduler of its node or nowhere.
    pub(crate) fn spawn_process(
        &mut self,
        node: Node,
        params: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError> {
        let Program::Process(start) = program else {
            return Err(ProcessError::NotAdmitted { node });
        };
        let home = Home::of(node, &self.threads.homes, self.hierarchy.default_node());
        let Home { scheduler, parameters } = home.ok_or(ProcessError::NotAdmitted { node })?;
        let messages = parameters(&params);
        let id = self.send(|hierarchy, now| hierarchy.create_thread(now, scheduler, &messages));
        let id = id.ok_or(ProcessError::NotAdmitted { node })?;
        let spec = PlannedThread {
            name: self.programs.name(start),
            parent: scheduler,
            messages,
            promised: None,
            program: program.clone().into(),
            start: self.machine.now(),
            working_set_kib: 0,
        };
        let number = self.make(spec, program);
        self.begin_thread(number, id, scheduler);
        Ok(number)
    }

    /// Tells whoever records where a thread is; the machine counts threads from 1.
    pub(crate) fn declare(&mut self, number: u32, parent: Option<NodeId>) {
        let (name, tid) = (&self.threads.list[number as usize].spec.name, number.saturating_add(1));
        let thread = windfall_trace::ThreadId(number);
        let now = self.machine.now();
        self.machine.tracer().thread(now, thread, (tid, tid), name, parent);
    }
}
