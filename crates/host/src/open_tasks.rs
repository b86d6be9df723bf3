//! Tasks that processes submitted and have not finished, to count those that end late (decision 0033).
//!
//! Here a task ends when its process says so, whatever its scheduler knows of it by then: its work may have been used up, or the task lost. Tasks of jobs are not here, whose
//! misses are counted; nor are those that clients submit, of which no process knows.

use crate::host::Host;
use crate::machine::Machine;
use crate::thread::Thread;
use std::collections::BTreeMap;
use windfall_time::{Instant, Span};

/// How many tasks are kept for a process. Of more, the one that it submitted first counts as ended when its work was used up.
const KEPT: usize = 1 << 20;

/// By thread.
#[derive(Default)]
pub(crate) struct OpenTasks(BTreeMap<u32, Tasks>);

/// The tasks of one process.
#[derive(Default)]
struct Tasks {
    /// By number: the deadline, and what had been stolen when it was submitted.
    open: BTreeMap<u32, (Instant, Span)>,
    /// Time stolen from its processor while it had tasks.
    stolen: Span,
}

impl OpenTasks {
    /// A task of a process was admitted.
    pub(crate) fn admitted(&mut self, thread: u32, task: u32, deadline: Instant) {
        let Tasks { open, stolen } = self.0.entry(thread).or_default();
        open.insert(task, (deadline, *stolen));
        if open.len() > KEPT {
            open.pop_first();
        }
    }

    /// The deadline of a task.
    fn deadline(&self, thread: u32, task: u32) -> Option<Instant> {
        self.0.get(&thread)?.open.get(&task).map(|(deadline, _)| *deadline)
    }

    /// A task has ended, done or not. Returns what was stolen since it was submitted.
    pub(crate) fn ended(&mut self, thread: u32, task: u32) -> Option<Span> {
        let Tasks { open, stolen } = self.0.get_mut(&thread)?;
        let (_, before) = open.remove(&task)?;
        let stolen = *stolen - before;
        if open.is_empty() {
            self.0.remove(&thread);
        }
        Some(stolen)
    }

    /// A process has ended, with its tasks.
    pub(crate) fn forget(&mut self, thread: u32) {
        self.0.remove(&thread);
    }

    /// Time was stolen from a processor: from each process that is there, or was there last.
    pub(crate) fn stolen(&mut self, cpu: usize, span: Span, threads: &[Thread]) {
        for (number, tasks) in &mut self.0 {
            if threads[*number as usize].last_cpu.is_some_and(|last| usize::from(last) == cpu) {
                tasks.stolen = tasks.stolen.saturating_add(span);
            }
        }
    }
}

impl<M: Machine> Host<M> {
    /// A process says that a task is done, in time or late.
    pub(crate) fn task_is_done(&mut self, number: u32, task: u32) {
        let now = self.machine.now();
        let deadline = self.tasks.deadline(number, task);
        let late = deadline.map_or(Span::ZERO, |deadline| now.saturating_since(deadline));
        if M::LIVE && !late.is_zero() {
            self.hear(); // what was stolen up to now must be known
            self.account_all();
        }
        let stolen = self.tasks.ended(number, task).unwrap_or(Span::ZERO);
        if !late.is_zero() {
            self.threads.list[number as usize].outcome.late_tasks.ends(late, stolen);
        }
    }
}
