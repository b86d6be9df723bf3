//! Tasks that were admitted and have not ended, to count what becomes of each (decision 0033).
//!
//! A task of a process ends when that says so, whatever its scheduler knows of it by then: its work may have been used up, or the task lost. Of a task that a client
//! submitted no process knows: it ends when its scheduler says that it is used up or lost. Both end when they are withdrawn, and with their thread. Tasks of jobs are not here, whose misses
//! are counted; that one was lost is.
//!
//! Invariant: each task that was admitted is either here, or counted in the outcome of its thread, once.

use crate::host::Host;
use crate::machine::Machine;
use crate::thread::Thread;
use std::collections::BTreeMap;
use windfall_hierarchy::{JournalEntry, JournalEvent, Message, NodeId, Note, Target};
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, TaskEnd, TaskEvent, TaskState};

/// How many tasks are kept for a thread. Of more, the end of the one that was submitted first is unknown.
const KEPT: usize = 1 << 20;

/// By thread.
pub(crate) struct OpenTasks {
    all: BTreeMap<u32, Tasks>,
    kept: usize,
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
}

/// A task that has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Open {
    deadline: Instant,
    source: Source,
    /// The scheduler that admitted it.
    by: Option<NodeId>,
    /// The last that its scheduler said of it.
    state: TaskState,
    /// The time that had been stolen when it was submitted; once it has ended, what was stolen since.
    stolen: Span,
}

impl Default for OpenTasks {
    fn default() -> OpenTasks {
        OpenTasks { all: BTreeMap::new(), kept: KEPT }
    }
}

impl OpenTasks {
    /// A task was admitted. Returns how many are not kept any longer for it.
    fn admitted(&mut self, thread: u32, task: u32, mut open: Open) -> u64 {
        let tasks = self.all.entry(thread).or_default();
        open.stolen = tasks.stolen;
        let before = tasks.open.len();
        let replaced = tasks.open.insert(task, open).is_some();
        let too_many = before >= self.kept && !replaced;
        if too_many {
            tasks.open.pop_first();
        }
        u64::from(replaced || too_many)
    }

    fn find(&mut self, thread: u32, task: u32) -> Option<&mut Open> {
        self.all.get_mut(&thread)?.open.get_mut(&task)
    }

    /// A task has ended, done or not.
    fn end(&mut self, thread: u32, task: u32) -> Option<Open> {
        let tasks = self.all.get_mut(&thread)?;
        let open = tasks.open.remove(&task)?;
        let stolen = tasks.stolen - open.stolen;
        if tasks.open.is_empty() {
            self.all.remove(&thread);
        }
        Some(Open { stolen, ..open })
    }

    /// Takes all tasks of a thread.
    fn end_all(&mut self, thread: u32) -> impl Iterator<Item = (u32, Open)> + use<> {
        let Tasks { open, stolen: all } = self.all.remove(&thread).unwrap_or_default();
        let ended = move |(task, open): (u32, Open)| {
            let stolen = all - open.stolen;
            (task, Open { stolen, ..open })
        };
        open.into_iter().map(ended)
    }

    /// The time that was stolen since an open task was submitted.
    fn stolen_since(&self, thread: u32, task: u32) -> Span {
        let Some(tasks) = self.all.get(&thread) else { return Span::ZERO };
        tasks.open.get(&task).map_or(Span::ZERO, |open| tasks.stolen - open.stolen)
    }

    fn first_admitted(&self, thread: u32) -> Option<u32> {
        let mut open = self.all.get(&thread)?.open.iter();
        let (task, _) = open.find(|(_, open)| open.state == TaskState::Admitted)?;
        Some(*task)
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
    fn elsewhere(&self, above: impl Fn(u32) -> Option<NodeId>) -> Vec<(u32, u32)> {
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
    fn is_done(self, now: Instant, outcome: &mut ThreadOutcome) {
        let late = now.saturating_since(self.deadline);
        if late.is_zero() {
            outcome.tasks.in_time += 1;
        } else {
            outcome.late_tasks.ends(late, self.stolen);
        }
        outcome.tasks.done_though_lost += u64::from(self.state == TaskState::Lost);
    }

    /// Counts that it was taken back. One that was lost before cannot be.
    fn is_withdrawn(self, now: Instant, outcome: &mut ThreadOutcome) {
        if self.state == TaskState::Lost {
            outcome.tasks.lost += 1;
        } else {
            outcome.tasks.withdrawn += 1;
            outcome.tasks.withdrawn_late += u64::from(now > self.deadline);
        }
    }

    /// Counts that it was not done by the end of its thread, or of the run.
    fn is_left(self, now: Instant, thread_ends: bool, outcome: &mut ThreadOutcome) {
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

impl<M: Machine> Host<M> {
    /// A task was admitted.
    pub(crate) fn task_is_admitted(
        &mut self,
        number: u32,
        task: u32,
        (deadline, source): (Instant, Source),
    ) {
        let by = self.above(number);
        let open = Open { deadline, source, by, state: TaskState::Admitted, stolen: Span::ZERO };
        let unknown = self.tasks.admitted(number, task, open);
        self.threads.list[number as usize].outcome.tasks.unknown += unknown;
    }

    /// A process says that a task is done, in time or late.
    pub(crate) fn task_is_done(&mut self, number: u32, task: u32, now: Instant) {
        let open = self.tasks.find(number, task);
        if M::LIVE && open.is_some_and(|open| now > open.deadline) {
            self.hear(); // what was stolen up to now must be known
            self.account_all();
        }
        if let Some(open) = self.tasks.end(number, task) {
            open.is_done(now, &mut self.threads.list[number as usize].outcome);
            self.task_has_ended(now, (number, task), open, TaskEnd::Done);
        }
    }

    /// A task will not be done.
    pub(crate) fn task_is_withdrawn(&mut self, number: u32, task: u32, now: Instant) {
        if let Some(open) = self.tasks.end(number, task) {
            open.is_withdrawn(now, &mut self.threads.list[number as usize].outcome);
            self.task_has_ended(now, (number, task), open, TaskEnd::Withdrawn);
        }
    }

    /// A scheduler has noted that a task, or one of a job, is used up or lost.
    pub(crate) fn task_is_noted(&mut self, entry: &JournalEntry) {
        let JournalEvent::Noted { note, about: Some(Target::Thread(id)), task: Some(task) } =
            entry.what
        else {
            return;
        };
        let Some(number) = self.number(id) else { return };
        match note {
            Note::Lost(left) => self.task_is_lost(number, task, Some(left)),
            Note::Exhausted => self.task_is_used_up(number, task),
            _ => {}
        }
    }

    fn task_is_used_up(&mut self, number: u32, task: u32) {
        let Some(open) = self.tasks.find(number, task) else { return };
        open.state = TaskState::UsedUp;
        if open.source == Source::Client
            && let Some(open) = self.tasks.end(number, task)
        {
            self.threads.list[number as usize].outcome.tasks.used_up += 1;
            self.task_has_ended(self.machine.now(), (number, task), open, TaskEnd::UsedUp);
        }
    }

    /// A task is lost, with so much left, or because its thread has left the scheduler that promised it.
    fn task_is_lost(&mut self, number: u32, task: u32, left: Option<Span>) {
        let outcome = &mut self.threads.list[number as usize].outcome;
        outcome.lost += 1;
        let Some(open) = self.tasks.find(number, task) else { return };
        open.state = TaskState::Lost;
        let Open { deadline, source, .. } = *open;
        if source == Source::Client {
            outcome.tasks.lost += 1;
        }
        let stolen = self.tasks.stolen_since(number, task);
        if source == Source::Client {
            self.tasks.end(number, task);
        }
        let what = TaskEvent::Lost { left, stolen };
        self.record(number, |thread| Event::Task { thread, task, deadline, what });
    }

    /// Counts tasks as lost whose thread has left the scheduler that promised them.
    pub(crate) fn tasks_elsewhere_are_lost(&mut self) {
        for (number, task) in self.tasks.elsewhere(|number| self.above(number)) {
            self.task_is_lost(number, task, None);
        }
    }

    /// A thread ends, whose tasks go with it. One is taken back before, so that its scheduler names what is lost by now while it knows the thread.
    pub(crate) fn take_back_first_task(&mut self, number: u32) {
        let first = self.tasks.first_admitted(number);
        if let (Some(task), Some(id)) = (first, self.threads.list[number as usize].id) {
            // It may have been lost by now; that is noted then.
            let message = Message::Withdraw(task);
            self.send(|hierarchy, now| Ok(hierarchy.send(now, id, message)));
        }
    }

    /// Counts the tasks of a thread that ends, or that is there when the run ends.
    pub(crate) fn tasks_are_left(&mut self, number: u32, now: Instant, thread_ends: bool) {
        for (task, open) in self.tasks.end_all(number) {
            open.is_left(now, thread_ends, &mut self.threads.list[number as usize].outcome);
            let taken_back = thread_ends && now <= open.deadline;
            let how = match (open.source, taken_back) {
                (_, true) => TaskEnd::Withdrawn,
                (Source::Client, _) if now > open.deadline => TaskEnd::UsedUp,
                _ => TaskEnd::Left,
            };
            self.task_has_ended(now, (number, task), open, how);
        }
    }

    fn task_has_ended(
        &mut self,
        now: Instant,
        (number, task): (u32, u32),
        open: Open,
        how: TaskEnd,
    ) {
        let Open { deadline, state: was, stolen, .. } = open;
        let what = TaskEvent::Ended { how, was, stolen };
        self.record_at(now, number, |thread| Event::Task { thread, task, deadline, what });
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
