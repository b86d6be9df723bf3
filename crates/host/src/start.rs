//! Starts threads: at their start time, or when a process makes another.

use crate::host::Host;
use crate::machine::Machine;
use crate::thread::Role;
use windfall_hierarchy::NodeId;
use windfall_programs::{Node, ProcessError, ProcessParams, Program, ProgramRuntime};
use windfall_scenario::outcome::Promise;
use windfall_scenario::{Home, Place, PlannedThread};
use windfall_time::Instant;
use windfall_trace::Event;

impl<M: Machine> Host<M> {
    /// Starts a thread, ready to run its program, or the program of an entry.
    pub(crate) fn start_thread(&mut self, number: u32) {
        if self.threads.list[number as usize].role == Role::Entry {
            self.machine.begin_program(number);
        } else if self.admit(number) {
            ProgramRuntime::begin(self, number);
        } else {
            self.programs.withdraw(number);
        }
    }

    /// Asks for a thread's place in the hierarchy. Returns whether it was admitted.
    pub fn admit(&mut self, number: u32) -> bool {
        let spec = &self.threads.list[number as usize].spec;
        let (name, messages) = (spec.name.clone(), spec.messages.clone());
        let wanted = (spec.parent, messages.as_slice());
        let place = self.send(|hierarchy, now| Place::take(hierarchy, now, &name, wanted));
        let Some(Place { thread: id, parent, remark, .. }) = place else {
            self.log.not_admitted.push(name);
            return false;
        };
        let now = self.machine.now();
        self.log.refused.extend(remark.map(|why| (now, why)));
        self.threads.is_known_as(number, id);
        self.declare(number, Some(parent));
        self.record_promise(number);
        self.begins_reserved(number);
        true
    }

    /// Begins the program of a process whose thread was made later.
    pub fn begin_made(&mut self, number: u32) {
        let parent = self.threads.list[number as usize].spec.parent;
        self.declare(number, Some(parent));
        self.record_promise(number);
        ProgramRuntime::begin(self, number);
    }

    /// Withdraws a process for which no thread can be made, for reason `why`.
    pub fn cannot_make(&mut self, number: u32, why: &str) {
        let name = &self.threads.list[number as usize].outcome.name;
        let why = format!("no thread can be made for `{name}`: {why}");
        self.log.refused.push((self.machine.now(), why));
        self.programs.withdraw(number);
        self.ends(number);
    }

    /// Makes a process for another. It belongs to the scheduler of its node; without one it is refused.
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
        let Home { scheduler, parameters, .. } = home.ok_or(ProcessError::NotAdmitted { node })?;
        let messages = parameters(&params);
        let id = self.send(|hierarchy, now| hierarchy.create_thread(now, scheduler, &messages));
        let id = id.ok_or(ProcessError::NotAdmitted { node })?;
        let mut spec = PlannedThread::new(self.programs.name(start), scheduler, program.clone());
        spec.messages = messages;
        spec.start = self.machine.now();
        let (number, made) = self.make(spec, Role::Own, program);
        self.threads.is_known_as(number, id);
        if made {
            self.begin_made(number);
        }
        Ok(number)
    }

    /// Records a thread's promise.
    pub(crate) fn record_promise(&mut self, number: u32) {
        if let Some(thread) = self.machine.traced(number) {
            let now = self.machine.now();
            let promised = self.threads.list[number as usize].outcome.promised.as_deref();
            self.machine.tracer().promise(now, thread, promised);
        }
    }

    /// Records the promises of all threads from now on; a thread that is not named has none.
    pub fn record_promises(&mut self, promises: &[Promise]) {
        for at in 0..self.threads.list.len() {
            let thread = &self.threads.list[at];
            if thread.id.is_none() {
                continue;
            }
            let entry = thread.entry().map_or(at, |entry| entry as usize);
            let owner = &self.threads.list[entry].outcome.name;
            let its = promises.iter().find(|one| one.own.is_none() && one.owner == *owner);
            let guarantee = its.map(|promise| promise.guarantee.to_string());
            let number = u32::try_from(at).expect("threads are numbered by 32 bits");
            self.record(number, |thread| Event::Promise { thread, guarantee });
        }
    }

    /// Records an event of a thread, if the thread has been declared.
    #[inline]
    pub(crate) fn record(
        &mut self,
        number: u32,
        event: impl FnOnce(windfall_trace::ThreadId) -> windfall_trace::Event,
    ) {
        if let Some(thread) = self.machine.traced(number) {
            let now = self.machine.now();
            self.machine.tracer().record(now, || event(thread));
        }
    }

    /// Like [`record`](Self::record), at a time that is known already.
    #[inline]
    pub(crate) fn record_at(
        &mut self,
        now: Instant,
        number: u32,
        event: impl FnOnce(windfall_trace::ThreadId) -> Event,
    ) {
        if let Some(thread) = self.machine.traced(number) {
            self.machine.tracer().record(now, || event(thread));
        }
    }

    /// Declares a thread and its scheduler in the trace.
    pub(crate) fn declare(&mut self, number: u32, parent: Option<NodeId>) {
        self.machine.declare(number, &self.threads.list[number as usize], parent);
    }
}
