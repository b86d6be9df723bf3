//! Threads of external programs: they come later than the entry that they belong to, and are forgotten long after their end.

use crate::host::Host;
use crate::machine::Machine;
use crate::request_error::ControlRequestErrorKind;
use crate::thread::{Role, Thread};
use windfall_hierarchy::{Message, NodeId};
use windfall_programs::Program;
use windfall_scenario::PlannedThread;

impl<M: Machine> Host<M> {
    /// Adds a thread of an entry's program, which has no place in the hierarchy yet. Returns its number.
    pub fn adopt(&mut self, spec: PlannedThread, entry: u32) -> u32 {
        let names = (self.threads.list[entry as usize].outcome.name.as_str(), spec.name.as_str());
        let role = Role::Of(entry);
        if let Some(number) = self.threads.vacant.pop() {
            self.promises.joins(number, names, M::PRECISION);
            self.machine.make(number, &spec);
            self.threads.list[number as usize] = Thread::new(spec, role, true);
            return number;
        }
        let next = u32::try_from(self.threads.list.len()).expect("threads are numbered by 32 bits");
        self.promises.joins(next, names, M::PRECISION);
        self.make(spec, role, &Program::nothing()).0
    }

    /// Makes a thread belong to another entry, and renames it.
    pub fn rename(&mut self, number: u32, entry: u32, name: String, promised: Option<String>) {
        let of = self.threads.list[entry as usize].outcome.name.as_str();
        self.promises.joins(number, (of, &name), M::PRECISION);
        let thread = &mut self.threads.list[number as usize];
        thread.role = Role::Of(entry);
        thread.outcome.name = name;
        thread.outcome.promised = promised;
        thread.reports_jobs = true;
        if thread.ready {
            self.promise_wakes(number);
        }
        let id = self.threads.list[number as usize].id;
        self.declare(number, id.and_then(|id| self.hierarchy.parent_of(id).ok()));
        self.record_promise(number);
    }

    /// Forgets a thread that has ended: adds its outcome to that of its entry's earlier threads, and frees its number.
    pub fn forget(&mut self, number: u32) {
        let thread = &mut self.threads.list[number as usize];
        let Role::Of(entry) = thread.role else { return };
        let outcome = std::mem::take(&mut thread.outcome);
        self.threads.list[entry as usize].outcome.add(&outcome);
        self.threads.vacant.push(number);
    }

    /// Moves a thread below another scheduler.
    ///
    /// # Errors
    /// The thread is not in the hierarchy, or that scheduler has not admitted it; it is where it was then, and the refusal is
    /// in the log.
    ///
    /// # Panics
    /// When there is no thread of this number.
    pub fn move_thread(
        &mut self,
        number: u32,
        to: NodeId,
        messages: &[Message],
    ) -> Result<(), ControlRequestErrorKind> {
        let thread = self.threads.list[number as usize].id;
        let id = thread.ok_or_else(|| self.why_absent(number as usize))?;
        let mut refused = None;
        self.send(|hierarchy, now| {
            let answer = hierarchy.move_thread(now, id, to, messages);
            refused = answer.as_ref().err().cloned();
            answer
        });
        self.tasks_elsewhere_are_lost();
        refused.map_or(Ok(()), |why| Err(ControlRequestErrorKind::Hierarchy(why)))
    }
}
