//! Tasks and jobs that are submitted before they begin, and what schedulers that admit them hold (PORTS 2.2; decisions 0029 and 0033).

use crate::host::Host;
use crate::machine::Machine;
use crate::open_tasks::Source;
use crate::query_error::TaskQueryError;
use windfall_hierarchy::{
    AnswerError, HierarchyError, Message, NodeId, Parent, TemporalAnswer, TemporalQuery,
};
use windfall_programs::{IdleTime, Job, TaskError, TaskId, TaskReply, TaskRequest};
use windfall_scenario::outcome::Promise;
use windfall_scenario::{Guarantee, supply};
use windfall_time::{Instant, Span};
use windfall_trace::{Event, TaskEvent, TaskRefusal};

/// Why a thread below such a scheduler has no tasks.
const NOT_ADMITTING: &str =
    "the scheduler above the thread admits no tasks; put the thread below one of a kind that does";

impl<M: Machine> Host<M> {
    /// The idle time that the scheduler of a name has before a deadline, and the earliest deadline for this work. Changes nothing; tasks that are found to be lost are named.
    ///
    /// # Errors
    /// There is no such scheduler, or it admits no tasks.
    pub fn temporal_query(
        &mut self,
        name: &str,
        work: Span,
        deadline: Instant,
    ) -> Result<IdleTime, TaskQueryError> {
        let node = self.scheduler(name)?;
        let answer = self.idle_time(node, work, deadline);
        self.post_notices();
        answer.ok_or_else(|| TaskQueryError::NotAdmitting { name: name.to_owned() })
    }

    /// The scheduler of a name.
    fn scheduler(&self, name: &str) -> Result<NodeId, TaskQueryError> {
        let node = self.hierarchy.find_node(name);
        node.ok_or_else(|| TaskQueryError::NoSuchScheduler { name: name.to_owned() })
    }

    fn idle_time(&mut self, node: NodeId, work: Span, deadline: Instant) -> Option<IdleTime> {
        let now = self.machine.now();
        let mut answer = |query| self.hierarchy.temporal_query(now, node, query).ok().flatten();
        let idle = answer(TemporalQuery::IdleBefore(deadline))?;
        let earliest = answer(TemporalQuery::EarliestDeadline(work))?;
        self.name_lost(node);
        match (idle, earliest) {
            (TemporalAnswer::Idle(idle), TemporalAnswer::Earliest(earliest)) => {
                Some(IdleTime::new(idle, earliest))
            }
            _ => None,
        }
    }

    /// Whether the scheduler of a name would admit all of these tasks, each a work and a deadline, one after the other. Changes nothing, as [`Host::temporal_query`].
    ///
    /// # Errors
    /// The first task that it would not admit, and why; else as for [`Host::temporal_query`].
    pub fn what_if(&mut self, name: &str, tasks: &[(Span, Instant)]) -> Result<(), TaskQueryError> {
        let node = self.scheduler(name)?;
        let answer = self.first_refused(node, tasks);
        self.post_notices();
        let answer =
            answer.ok_or_else(|| TaskQueryError::NotAdmitting { name: name.to_owned() })?;
        answer.map_err(TaskQueryError::Refused)
    }

    fn first_refused(
        &mut self,
        node: NodeId,
        tasks: &[(Span, Instant)],
    ) -> Option<Result<(), TaskError>> {
        let (now, query) = (self.machine.now(), TemporalQuery::WhatIf(tasks));
        let answer = self.hierarchy.temporal_query(now, node, query).ok()??;
        self.name_lost(node);
        match answer {
            TemporalAnswer::FirstRefused(None) => Some(Ok(())),
            TemporalAnswer::FirstRefused(Some((index, why))) => {
                // None of these answers is about a task that there is.
                let why = refused(HierarchyError::Refused(why), TaskId::new(0));
                Some(Err(TaskError::OneOf { index, why: Box::new(why) }))
            }
            _ => None,
        }
    }

    /// Submits a job of a thread to its scheduler. Returns the number of its task, if that is admitted; if not, it is counted as refused.
    pub(crate) fn submit(&mut self, number: u32, job: Job) -> Option<u32> {
        // A job without these is refused when the scenario is checked.
        let (work, deadline) = (self.programs.most_work(number)?, job.deadline?);
        let (task, answer) = self.submit_task(number, work, deadline);
        let Err(why) = answer else {
            self.task_is_admitted(number, task, (deadline, Source::Job));
            return Some(task);
        };
        if !lacks_room(&why) {
            let name = &self.threads.list[number as usize].outcome.name;
            let why = format!("`{name}` submits a job: refused: {why}");
            if !self.log.refused.iter().any(|(_, known)| *known == why) {
                self.log.refused.push((self.machine.now(), why));
            }
        }
        None
    }

    /// Submits a task of a thread to its scheduler, and counts the answer. Its number is the count of tasks submitted for the thread, by any client.
    fn submit_task(
        &mut self,
        number: u32,
        work: Span,
        deadline: Instant,
    ) -> (u32, Result<(), HierarchyError>) {
        let submitted = self.threads.list[number as usize].outcome.submitted;
        // The number of one that ended four thousand million submissions ago is free again.
        let task = u32::try_from(submitted % (1 << 32)).unwrap_or_default();
        let answer = self.about_task(number, Message::Submit { task, work, deadline });
        let outcome = &mut self.threads.list[number as usize].outcome;
        outcome.submitted += 1;
        match &answer {
            Ok(()) => {}
            Err(HierarchyError::Refused(AnswerError::NoTime { .. })) => {
                outcome.refusals.no_time += 1;
            }
            Err(HierarchyError::Refused(AnswerError::Full { .. })) => outcome.refusals.full += 1,
            Err(_) => outcome.refusals.other += 1,
        }
        (task, answer)
    }

    /// Tells a thread's scheduler that a task has ended. One that was lost, or went beyond its bound, is not known any longer.
    pub(crate) fn end_task(&mut self, number: u32, task: u32) {
        let _ = self.about_task(number, Message::Finish(task));
        self.job_has_ended(number, task);
    }

    /// Sends a thread's scheduler a message about a task.
    fn about_task(&mut self, number: u32, message: Message) -> Result<(), HierarchyError> {
        let gone = HierarchyError::Stale { what: "thread" };
        let id = self.threads.list[number as usize].id.ok_or(gone.clone())?;
        self.hear_before(number);
        self.send(|hierarchy, now| Ok(hierarchy.send(now, id, message))).unwrap_or(Err(gone))
    }

    /// Handles a request about the tasks of a thread: from the thread itself, if it is a process, from another that it permits, or from the run's owner.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then, but for the counts.
    ///
    /// # Panics
    /// When there is no thread of this number.
    pub fn task_request(
        &mut self,
        number: u32,
        request: TaskRequest,
    ) -> Result<TaskReply, TaskError> {
        self.task_request_of(Source::Client, number, request)
    }

    /// The same, by a process or by the run's owner.
    pub(crate) fn task_request_of(
        &mut self,
        source: Source,
        number: u32,
        request: TaskRequest,
    ) -> Result<TaskReply, TaskError> {
        let answer = self.about_tasks(source, number, request);
        // Of a task that was used up or lost by now, its process is told before it goes on.
        self.post_notices();
        answer
    }

    fn about_tasks(
        &mut self,
        source: Source,
        number: u32,
        request: TaskRequest,
    ) -> Result<TaskReply, TaskError> {
        let now = self.machine.now();
        match request {
            TaskRequest::Submit { work, deadline } => {
                let (task, answer) = self.submit_task(number, work, deadline);
                let tasks = &mut self.threads.list[number as usize].outcome.tasks;
                tasks.submitted += 1;
                if let Err(why) = answer {
                    tasks.refused += 1;
                    let what = TaskEvent::Refused { work, why: refusal(&why) };
                    self.record(number, |thread| Event::Task { thread, task, deadline, what });
                    return Err(refused(why, TaskId::new(task)));
                }
                self.task_is_admitted(number, task, (deadline, source));
                Ok(TaskReply::Admitted(TaskId::new(task)))
            }
            TaskRequest::Query { work, deadline } => {
                let idle = self.above(number).and_then(|node| self.idle_time(node, work, deadline));
                idle.map(TaskReply::Idle).ok_or_else(not_admitting)
            }
            TaskRequest::WhatIf(tasks) => {
                let fits = self.above(number).and_then(|node| self.first_refused(node, &tasks));
                fits.ok_or_else(not_admitting)?.map(|()| TaskReply::Fits)
            }
            TaskRequest::Withdraw(task) => {
                let answer = self.ends_by(number, task, Message::Withdraw);
                self.task_is_withdrawn(number, task.number(), now); // it may just have been lost
                answer
            }
            TaskRequest::Finish(task) => {
                let answer = self.ends_by(number, task, Message::Finish);
                self.task_is_done(number, task.number(), now);
                answer
            }
            TaskRequest::Open => Ok(TaskReply::Opened),
            _ => Err(TaskError::NotAdmitting {
                why: "this host does not know the request".to_owned(),
            }),
        }
    }

    /// The scheduler above a thread.
    pub(crate) fn above(&self, number: u32) -> Option<NodeId> {
        let id = self.threads.list[number as usize].id?;
        self.hierarchy.parent_of(id).ok()
    }

    fn ends_by(
        &mut self,
        number: u32,
        task: TaskId,
        message: fn(u32) -> Message,
    ) -> Result<TaskReply, TaskError> {
        let answer = self.about_task(number, message(task.number()));
        answer.map(|()| TaskReply::Ended).map_err(|why| refused(why, task))
    }

    /// Tells each scheduler that admits tasks what it holds now.
    pub(crate) fn supplies_change(&mut self, promises: &[Promise]) {
        let now = self.machine.now();
        for id in self.hierarchy.nodes() {
            let query = TemporalQuery::IdleBefore(now);
            if !matches!(self.hierarchy.temporal_query(now, id, query), Ok(Some(_))) {
                continue;
            }
            let Some(node) = self.hierarchy.node(id) else { continue };
            let at_top = node.owns.first().is_some_and(|(parent, _)| *parent == Some(Parent::Top));
            let its = |promise: &&Promise| promise.granted && promise.owner == node.name;
            let held = promises.iter().find(its).map(|its| its.guarantee);
            let message =
                supply(&held.unwrap_or(if at_top { Guarantee::All } else { Guarantee::Null }));
            self.send(|hierarchy, now| hierarchy.configure(now, id, message));
        }
    }
}

/// The refusal of a task, for the trace.
const fn refusal(why: &HierarchyError) -> TaskRefusal {
    match why {
        HierarchyError::Refused(AnswerError::NoTime { idle, earliest, .. }) => {
            TaskRefusal::NoTime { idle: *idle, earliest: *earliest }
        }
        HierarchyError::Refused(AnswerError::Full { .. }) => TaskRefusal::SlotsTaken,
        _ => TaskRefusal::Other,
    }
}

/// Whether a scheduler refused a task for others that it has admitted.
const fn lacks_room(why: &HierarchyError) -> bool {
    matches!(why, HierarchyError::Refused(AnswerError::NoTime { .. } | AnswerError::Full { .. }))
}

fn not_admitting() -> TaskError {
    TaskError::NotAdmitting { why: NOT_ADMITTING.to_owned() }
}

/// The refusal of a request about this task, for the client.
fn refused(why: HierarchyError, task: TaskId) -> TaskError {
    match why {
        HierarchyError::Refused(AnswerError::NoTime { work, idle, earliest }) => {
            TaskError::NoTime { work, instead: IdleTime::new(idle, earliest) }
        }
        HierarchyError::Refused(AnswerError::Full { limit }) => TaskError::Full { limit },
        HierarchyError::Refused(AnswerError::WrongTask { .. }) => TaskError::NoSuchTask { task },
        HierarchyError::Refused(AnswerError::NotUnderstood { .. }) => not_admitting(),
        other => TaskError::NotAdmitting { why: other.to_string() },
    }
}
