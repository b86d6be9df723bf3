//! The end of each task that was admitted: done, withdrawn, used up, lost, or left.
//!
//! Invariant: each is either among the open ones (`open_tasks.rs`), or counted in the outcome of its thread, once.

use crate::host::Host;
use crate::machine::Machine;
use crate::open_tasks::{Open, Source};
use windfall_hierarchy::{
    JournalEntry, JournalEvent, Message, NodeId, Note, Target, TemporalAnswer, TemporalQuery,
};
use windfall_scenario::outcome::LostTask;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, TaskEnd, TaskEvent, TaskState};

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
        if source != Source::Job {
            self.threads.list[number as usize].outcome.tasks.unknown += unknown;
        }
    }

    /// A job is done, or will not be: its own counts say which.
    pub(crate) fn job_has_ended(&mut self, number: u32, task: u32) {
        self.tasks.end(number, task);
    }

    /// A process says that a task is done, in time or late.
    pub(crate) fn task_is_done(&mut self, number: u32, task: u32, now: Instant) {
        let open = self.tasks.find(number, task);
        if M::LIVE && open.is_some_and(|open| now > open.deadline) {
            self.hear(); // what was stolen up to now must be known
            self.account_all();
        }
        if let Some(open) = self.end_of_task(number, task) {
            open.is_done(now, &mut self.threads.list[number as usize].outcome);
            self.task_has_ended(now, (number, task), open, TaskEnd::Done);
        }
    }

    /// A task will not be done.
    pub(crate) fn task_is_withdrawn(&mut self, number: u32, task: u32, now: Instant) {
        if let Some(open) = self.end_of_task(number, task) {
            open.is_withdrawn(now, &mut self.threads.list[number as usize].outcome);
            self.task_has_ended(now, (number, task), open, TaskEnd::Withdrawn);
        }
    }

    /// A task ends, by its process or a client; that of a job is not counted.
    fn end_of_task(&mut self, number: u32, task: u32) -> Option<Open> {
        self.tasks.end(number, task).filter(|open| open.source != Source::Job)
    }

    /// Has a scheduler name the tasks that can no longer be done. It does so at each event; a query found them, or time was taken.
    pub(crate) fn name_lost(&mut self, node: NodeId) {
        let (now, query) = (self.machine.now(), TemporalQuery::Unnamed);
        let found = self.hierarchy.temporal_query(now, node, query);
        if matches!(found, Ok(Some(TemporalAnswer::Unnamed(true)))) {
            self.send(|hierarchy, now| hierarchy.configure(now, node, Message::Account));
        }
    }

    /// Has all schedulers name what can no longer be done, if time was taken since they last did.
    pub(crate) fn name_what_taken_time_lost(&mut self) {
        if !self.tasks.was_taken() {
            return;
        }
        let mut next = 0;
        while let Some(node) = self.tasks.admitting(next) {
            self.name_lost(node);
            next += 1;
        }
        self.post_notices();
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
        if source != Source::Process {
            self.tasks.end(number, task);
        }
        outcome.lost_tasks.push(LostTask::new(task, self.machine.now(), deadline, left, stolen));
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
            if open.source == Source::Job {
                continue;
            }
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
