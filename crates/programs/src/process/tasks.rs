//! Requests of a process about its own tasks, and about those of processes that allow it (decisions 0033, 0035).

use super::{Event, ProcessHandle};
use crate::task::{IdleTime, TaskError, TaskId, TaskReply, TaskRequest};
use windfall_time::{Instant, Span};

/// The tasks of a process, below a scheduler that admits them (`ports`).
///
/// ```
/// use windfall_programs::{Process, ProcessError, TaskError};
/// use windfall_time::Span;
///
/// /// Does a task of at most 3 ms within 10 ms, if there is time for it; else what takes 1 ms and needs no promise.
/// async fn answer(mut me: impl Process) -> Result<(), ProcessError> {
///     let deadline = me.now().await + Span::from_millis(10);
///     match me.submit(Span::from_millis(3), deadline).await {
///         Ok(task) => {
///             me.compute(Span::from_millis(2)).await;
///             let _used_up = me.finish(task).await; // a millisecond is free again
///         }
///         Err(TaskError::NoTime { .. }) => me.compute(Span::from_millis(1)).await,
///         Err(_) => {}
///     }
///     Ok(())
/// }
/// ```
pub trait Tasks: Send {
    /// Hands a request to the scheduler above it; with `of`, to the one above another process, about the tasks of that. All others are made of this one.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    fn task(
        &mut self,
        of: Option<ProcessHandle>,
        request: TaskRequest,
    ) -> impl Future<Output = Result<TaskReply, TaskError>> + Send;

    /// Submits a task: `work` of processor time that is done by the deadline, or refused now (PORTS 2.2). Several tasks are done in the order of their deadlines; a process
    /// works on the first of its own. The task ends with [`finish`](Self::finish), when its work is used up, or with [`withdraw`](Self::withdraw).
    ///
    /// # Errors
    /// [`NoTime`](TaskError::NoTime) with the idle time before that deadline and the earliest deadline; and when no scheduler above admits tasks.
    fn submit(
        &mut self,
        work: Span,
        deadline: Instant,
    ) -> impl Future<Output = Result<TaskId, TaskError>> + Send {
        async move { admitted(self.task(None, TaskRequest::Submit { work, deadline }).await?) }
    }

    /// The most work that would be admitted with this deadline, and the earliest deadline for this work. Changes nothing.
    ///
    /// # Errors
    /// When no scheduler above admits tasks.
    fn idle_time(
        &mut self,
        work: Span,
        deadline: Instant,
    ) -> impl Future<Output = Result<IdleTime, TaskError>> + Send {
        async move { idle(self.task(None, TaskRequest::Query { work, deadline }).await?) }
    }

    /// Whether all of these tasks, each a work and a deadline, would be admitted one after the other. Changes nothing.
    ///
    /// # Errors
    /// [`OneOf`](TaskError::OneOf) names the first that would be refused, and why, with those before it admitted; and when no scheduler above admits tasks.
    fn what_if(
        &mut self,
        tasks: &[(Span, Instant)],
    ) -> impl Future<Output = Result<(), TaskError>> + Send {
        let request = TaskRequest::WhatIf(tasks.into());
        async move { self.task(None, request).await.map(|_| ()) }
    }

    /// Takes back a task that will not be done. Its remaining time is free at once.
    ///
    /// # Errors
    /// When it has ended, or is not this process's.
    fn withdraw(&mut self, task: TaskId) -> impl Future<Output = Result<(), TaskError>> + Send {
        async move { self.task(None, TaskRequest::Withdraw(task)).await.map(|_| ()) }
    }

    /// Says that a task is done. Its remaining time is free at once (PORTS 2.5).
    ///
    /// # Errors
    /// When it has ended before: it took longer than it said, or was lost.
    fn finish(&mut self, task: TaskId) -> impl Future<Output = Result<(), TaskError>> + Send {
        async move { self.task(None, TaskRequest::Finish(task)).await.map(|_| ()) }
    }

    /// Lets all processes of the host submit tasks that this one is to do, and withdraw its tasks, until it exits.
    ///
    /// # Errors
    /// On a host without schedulers.
    fn open_tasks(&mut self) -> impl Future<Output = Result<(), TaskError>> + Send {
        async move { self.task(None, TaskRequest::Open).await.map(|_| ()) }
    }

    /// Submits a task that another process is to do, to the scheduler above that. If it is admitted, an event of the other process is posted at the same moment, with the task's number
    /// as its datum: from then on that works on it, and finishes it.
    ///
    /// # Errors
    /// As for [`submit`](Self::submit); when the other process has not [opened](Self::open_tasks) its tasks, or the event is not its own or cannot be posted.
    fn submit_for(
        &mut self,
        process: ProcessHandle,
        (work, deadline): (Span, Instant),
        event: Event,
    ) -> impl Future<Output = Result<TaskId, TaskError>> + Send {
        let request = TaskRequest::Assign { work, deadline, event };
        async move { admitted(self.task(Some(process), request).await?) }
    }

    /// The same as [`idle_time`](Self::idle_time), of the scheduler above another process.
    ///
    /// # Errors
    /// As there; and when the other process has not [opened](Self::open_tasks) its tasks.
    fn idle_time_for(
        &mut self,
        process: ProcessHandle,
        (work, deadline): (Span, Instant),
    ) -> impl Future<Output = Result<IdleTime, TaskError>> + Send {
        async move { idle(self.task(Some(process), TaskRequest::Query { work, deadline }).await?) }
    }

    /// Takes back a task of another process.
    ///
    /// # Errors
    /// As for [`withdraw`](Self::withdraw); and when the other process has not [opened](Self::open_tasks) its tasks.
    fn withdraw_for(
        &mut self,
        process: ProcessHandle,
        task: TaskId,
    ) -> impl Future<Output = Result<(), TaskError>> + Send {
        async move { self.task(Some(process), TaskRequest::Withdraw(task)).await.map(|_| ()) }
    }
}

/// The task that a reply names.
const fn admitted(reply: TaskReply) -> Result<TaskId, TaskError> {
    match reply {
        TaskReply::Admitted(task) => Ok(task),
        _ => Err(TaskError::NotHere),
    }
}

fn idle(reply: TaskReply) -> Result<IdleTime, TaskError> {
    match reply {
        TaskReply::Idle(idle) => Ok(idle),
        _ => Err(TaskError::NotHere),
    }
}
