//! Making templates and processes, and deleting objects.

use super::System;
use crate::process::{
    Answer, Event, Handle, Kind, Loaded, Node, ProcessError, ProcessHandle, ProcessParams, Queue,
    Reply,
};

impl System {
    pub(super) fn make_template(&mut self, node: Node, name: &'static str, kib: u64) -> Answer {
        self.check_node(node)?;
        let template = self.templates.insert(node, name)?;
        let took = self.costs.load.saturating_mul(kib);
        let took = took.saturating_add(self.costs.make_template);
        self.counts.loaded.push(Loaded { name, node, kib, took });
        Ok(Reply::made(template))
    }

    /// Checks whether a process can be made of this template with these parameters.
    pub(crate) fn check_process(
        &mut self,
        (template, name): (Handle, &'static str),
        node: Node,
        params: ProcessParams,
    ) -> Result<(), ProcessError> {
        if *self.templates.at(template)? != name {
            return Err(ProcessError::WrongCode { template });
        }
        self.check_node(node)?;
        if params.priority > ProcessParams::MOST_PRIORITY {
            return Err(ProcessError::NoPriority { priority: params.priority });
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, me: ProcessHandle, handle: Handle) -> Answer {
        match handle.kind() {
            Some(Kind::Event) => self.events.delete(Event::from_handle(handle), me)?,
            Some(Kind::Template) => self.templates.remove(handle).map(|_| ())?,
            Some(Kind::Queue) => {
                let queue = Queue::from_handle(handle);
                let waiters: Vec<_> = self.queues.at(handle)?.waiters().collect();
                let alive = |(event, ticket)| self.events.stands(event, (queue, ticket));
                if waiters.into_iter().any(alive) {
                    return Err(ProcessError::HasWaiters { queue });
                }
                self.queues.remove(handle)?;
            }
            Some(Kind::Process) | None => {
                self.processes.at(handle)?;
                return Err(ProcessError::NotDeletable { handle });
            }
        }
        Ok(Reply::DONE)
    }
}
