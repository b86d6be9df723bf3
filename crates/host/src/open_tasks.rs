//! Tasks that were admitted and have not ended, to count what becomes of each (decision 0033).
//!
//! A task of a process ends when that says so, whatever its scheduler knows of it by then: its work may have been used up, or the task lost. Of a task that a client
//! submitted no process knows: it ends when its scheduler says that it is used up or lost. Both end when they are withdrawn, and with their thread. The misses of tasks of jobs
//! are counted: they are here to be named when they are lost.
//!
//! Invariant: each task that was admitted, but for those of jobs, is either here, or counted in the outcome of its thread, once.

use crate::thread::Thread;
use std::collections::BTreeMap;
use windfall_hierarchy::NodeId;
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::{Instant, Span};
use windfall_trace::TaskState;

/// How many tasks are kept for a thread. Of more, the end of the one that was submitted first is unknown.
const KEPT: usize = 1 << 20;

/// By thread.
pub(crate) struct OpenTasks {
    all: BTreeMap<u32, Tasks>,
    kept: usize,
    /// Schedulers that have admitted some.
    admitting: Vec<NodeId>,
    /// Whether time was taken from a processor since tasks that are lost were last named.
    taken: bool,
}

/// The tasks of one thread.
#[derive(Default)]
struct Tasks {
    /// By number.
    open: BTreeMap<u32, Open>,
    /// Time stolen from its processor while it had tasks.
    stolen: Span,
}

/// The source of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A process, for itself or for another, which says when it is done.
    Process,
    /// The owner of the run.
    Client,
    /// The scenario, for a job of the thread.
    Job,
}

/// A task that has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Open {
    pub(crate) deadline: Instant,
    pub(crate) source: Source,
    /// The scheduler that admitted it.
    pub(crate) by: Option<NodeId>,
    /// The last that its scheduler said of it.
    pub(crate) state: TaskState,
    /// The time that had been stolen when it was submitted; once it has ended, what was stolen since.
    pub(crate) stolen: Span,
}

impl Default for OpenTasks {
    fn default() -> OpenTasks {
        OpenTasks { all: BTreeMap::new(), kept: KEPT, admitting: Vec::new(), taken: false }
    }
}

impl OpenTasks {
    /// A task was admitted. Returns how many are not kept any longer for it.
    pub(crate) fn admitted(&mut self, thread: u32, task: u32, mut open: Open) -> u64 {
        let tasks = self.all.entry(thread).or_default();
        open.stolen = tasks.stolen;
        if let Some(by) = open.by.filter(|by| !self.admitting.contains(by)) {
            self.admitting.push(by);
        }
        let before = tasks.open.len();
        let replaced = tasks.open.insert(task, open).is_some();
        let too_many = before >= self.kept && !replaced;
        if too_many {
            tasks.open.pop_first();
        }
        u64::from(replaced || too_many)
    }

    pub(crate) fn find(&mut self, thread: u32, task: u32) -> Option<&mut Open> {
        self.all.get_mut(&thread)?.open.get_mut(&task)
    }

    /// A task has ended, done or not.
    pub(crate) fn end(&mut self, thread: u32, task: u32) -> Option<Open> {
        let tasks = self.all.get_mut(&thread)?;
        let open = tasks.open.remove(&task)?;
        let stolen = tasks.stolen - open.stolen;
        if tasks.open.is_empty() {
            self.all.remove(&thread);
        }
        Some(Open { stolen, ..open })
    }

    /// Takes all tasks of a thread.
    pub(crate) fn end_all(&mut self, thread: u32) -> impl Iterator<Item = (u32, Open)> + use<> {
        let Tasks { open, stolen: all } = self.all.remove(&thread).unwrap_or_default();
        let ended = move |(task, open): (u32, Open)| {
            let stolen = all - open.stolen;
            (task, Open { stolen, ..open })
        };
        open.into_iter().map(ended)
    }

    /// The time that was stolen since an open task was submitted.
    pub(crate) fn stolen_since(&self, thread: u32, task: u32) -> Span {
        let Some(tasks) = self.all.get(&thread) else { return Span::ZERO };
        tasks.open.get(&task).map_or(Span::ZERO, |open| tasks.stolen - open.stolen)
    }

    pub(crate) fn first_admitted(&self, thread: u32) -> Option<u32> {
        let mut open = self.all.get(&thread)?.open.iter();
        let (task, _) = open.find(|(_, open)| open.state == TaskState::Admitted)?;
        Some(*task)
    }

    /// Time was taken from a processor.
    pub(crate) fn taken(&mut self) {
        self.taken = !self.admitting.is_empty();
    }

    /// Whether time was taken since this was last asked.
    pub(crate) fn was_taken(&mut self) -> bool {
        std::mem::take(&mut self.taken)
    }

    /// The scheduler of that number among those that have admitted some.
    pub(crate) fn admitting(&self, number: usize) -> Option<NodeId> {
        self.admitting.get(number).copied()
    }

    /// Time was stolen from a processor: from each thread that is there, or was there last.
    pub(crate) fn stolen(&mut self, cpu: usize, span: Span, threads: &[Thread]) {
        for (number, tasks) in &mut self.all {
            if threads[*number as usize].last_cpu.is_some_and(|last| usize::from(last) == cpu) {
                tasks.stolen = tasks.stolen.saturating_add(span);
            }
        }
    }

    /// The tasks that another scheduler promises than the one above their thread, by thread and number.
    pub(crate) fn elsewhere(&self, above: impl Fn(u32) -> Option<NodeId>) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for (thread, tasks) in &self.all {
            let above = above(*thread);
            let promised = |open: &Open| open.state == TaskState::Admitted && open.by != above;
            let its = tasks.open.iter().filter(|(_, open)| promised(open));
            found.extend(its.map(|(task, _)| (*thread, *task)));
        }
        found
    }
}

impl Open {
    /// Counts that its process says that it is done.
    pub(crate) fn is_done(self, now: Instant, outcome: &mut ThreadOutcome) {
        let late = now.saturating_since(self.deadline);
        if late.is_zero() {
            outcome.tasks.in_time += 1;
        } else {
            outcome.late_tasks.ends(late, self.stolen);
        }
        outcome.tasks.done_though_lost += u64::from(self.state == TaskState::Lost);
    }

    /// Counts that it was taken back. One that was lost before cannot be.
    pub(crate) fn is_withdrawn(self, now: Instant, outcome: &mut ThreadOutcome) {
        if self.state == TaskState::Lost {
            outcome.tasks.lost += 1;
        } else {
            outcome.tasks.withdrawn += 1;
            outcome.tasks.withdrawn_late += u64::from(now > self.deadline);
        }
    }

    /// Counts that it was not done by the end of its thread, or of the run.
    pub(crate) fn is_left(self, now: Instant, thread_ends: bool, outcome: &mut ThreadOutcome) {
        let passed = now > self.deadline;
        match (self.state, self.source) {
            (TaskState::Lost, _) => outcome.tasks.lost += 1,
            (_, Source::Process) if passed => outcome.late_tasks.never_ends(),
            (_, Source::Client) if passed => outcome.tasks.used_up += 1,
            _ if thread_ends => outcome.tasks.withdrawn += 1,
            _ => outcome.tasks.open += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn open(deadline: u64) -> Open {
        let (source, state) = (Source::Process, TaskState::Admitted);
        let deadline = Instant::from_nanos(deadline);
        Open { deadline, source, by: None, state, stolen: Span::ZERO }
    }

    #[test]
    fn limit_of_more_tasks_than_are_kept_the_first_are_unknown() {
        let mut tasks = OpenTasks { kept: 3, ..OpenTasks::default() };
        let unknown: Vec<u64> = (0..5).map(|task| tasks.admitted(7, task, open(9))).collect();
        assert_eq!(unknown, [0, 0, 0, 1, 1]);
        assert_eq!(
            (tasks.end(7, 0), tasks.end(7, 1), tasks.end(7, 2)),
            (None, None, Some(open(9)))
        );
        // There is room again, and each thread has its own.
        assert_eq!((tasks.admitted(7, 5, open(9)), tasks.admitted(8, 0, open(9))), (0, 0));
        assert_eq!((tasks.end_all(7).count(), tasks.end_all(8).count()), (3, 1));
        // A number that comes again: its former task will not be heard of.
        assert_eq!([1, 1].map(|task| tasks.admitted(7, task, open(9))), [0, 1]);
    }
}
