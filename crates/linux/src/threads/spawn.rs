//! Processes that others make while a run lasts: each is a thread of ours, and begins when that is at its gate.

use crate::supervise::host::Host;
use crate::supervise::procfs_worker::WorkItem;
use crate::supervise::supervisor::Supervisor;
use crate::threads::member::{InProcess, Kind, Member};
use std::sync::Arc;
use windfall_programs::{Node, ProcessError, ProcessParams, Program, ProgramRuntime};
use windfall_scenario::Home;

impl Supervisor {
    /// A process makes another. It is below the scheduler of its node or nowhere; its thread is the /proc worker's work item.
    pub(crate) fn spawn_process(
        &mut self,
        node: Node,
        terms: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError> {
        let refusal = ProcessError::NotAdmitted { node };
        let Program::Process(start) = program else { return Err(refusal) };
        let home =
            Home::of(node, &self.threads.homes, self.hierarchy.default_node()).ok_or(refusal)?;
        let messages = (home.parameters)(&terms);
        let (now, parent) = (self.time(), home.scheduler);
        let created = self.notify(now, |tree, now| tree.create_thread(now, parent, &messages));
        let id = created.ok_or(refusal)?;
        let own = Arc::new(InProcess { keeps: self.threads.keeps, ..InProcess::default() });
        let name = self.runtime.name(start);
        let member = Member::new(Kind::InProcess(own), 0, &name, None);
        // Threads that came late are members, and play nothing.
        while self.runtime.count() < self.threads.members.len() {
            self.runtime.add(&Program::nothing(), 0);
        }
        let number = self.runtime.add(program, 0);
        self.threads.members.push(member);
        self.known_as(number, id);
        self.send(WorkItem::Make(number));
        Ok(number)
    }

    /// The thread of a process that was made is there, or cannot be.
    pub(crate) fn is_made(&mut self, number: u32, trouble: Option<std::io::Error>) {
        let now = self.time();
        match trouble {
            None => {
                self.trace_birth(number, now);
                ProgramRuntime::begin(self, number);
            }
            Some(error) => {
                let name = &self.threads.members[number as usize].outcome.name;
                self.log
                    .refused
                    .push((now, format!("no thread can be made for `{name}`: {error}")));
                self.runtime.withdraw(number);
                self.becomes_gone(number, now);
            }
        }
    }
}

impl Host {
    /// Makes the thread of a process.
    pub(crate) fn make(&self, number: u32) {
        let own = self.call(move |s| match &s.threads.members[number as usize].kind {
            Kind::InProcess(own) => Some(own.clone()),
            Kind::External { .. } => None,
        });
        let (Some(own), Some(host)) = (own, self.me.upgrade()) else { return };
        let life = move || crate::supervise::own::live(&host, number, &own);
        match std::thread::Builder::new().stack_size(crate::STACK).spawn(life) {
            Ok(thread) => self.keep(thread),
            Err(error) => self.leave(move |s| s.is_made(number, Some(error))),
        }
    }
}
