//! Tasks of a thread, for a client of the run's owner: submitted to the scheduler above the thread, and withdrawn (PORTS 2.2, decision 0033).

use super::wire::{ControlError, TaskCommand};
use crate::supervise::locked::Locked;
use crate::supervise::settle::settle;
use serde_json::{Value, json};
use windfall_programs::{IdleTime, TaskError, TaskId, TaskReply, TaskRequest};
use windfall_time::{Instant, Span};

/// Has a scheduler admit or end a task. A submission for which there is no time is answered like a query.
///
/// # Errors
/// When no such thread runs, its scheduler admits no tasks, it has no such task, or the work or the time is none.
pub(super) fn answer(
    host: &Locked,
    thread: &str,
    requested: TaskCommand,
) -> Result<Value, ControlError> {
    let name = thread.to_owned();
    let found = host.call(move |s| {
        settle(s);
        let now = s.time();
        let named =
            |thread: &windfall_host::Thread| thread.id().is_some() && thread.outcome.name == name;
        let number = s.host.threads.list.iter().position(named)?;
        let reply = match request(requested, now) {
            Ok(request) => s.host.task_request(u32::try_from(number).ok()?, request),
            Err(why) => Err(TaskError::NotAdmitting { why }),
        };
        settle(s);
        Some((now, reply))
    });
    let refused =
        |why: String, help: &str| ControlError::new(format!("a task of `{thread}`"), why, help);
    let Some((now, reply)) = found else {
        let help = "name one that `windfall ctl list` shows; each thread of a program has a name of its own";
        return Err(refused("no thread of this name runs".to_owned(), help));
    };
    match (requested, reply) {
        (TaskCommand::Submit { work, by }, Err(TaskError::NoTime { instead, .. })) => {
            Ok(free_capacity(now, work, by, instead))
        }
        (_, Ok(TaskReply::Admitted(task))) => Ok(json!({
            "admits": true,
            "task": task.number(),
            "done": format!("task {} of `{thread}` is admitted", task.number()),
        })),
        (_, Ok(_)) => Ok(json!({ "done": true })),
        (_, Err(why)) => Err(refused(why.to_string(), "")),
    }
}

/// The request to the host.
fn request(requested: TaskCommand, now: Instant) -> Result<TaskRequest, String> {
    Ok(match requested {
        TaskCommand::Submit { work, by } => {
            let late = || format!("{by} from now is after the end of the clock");
            TaskRequest::Submit { work, deadline: now.checked_add(by).ok_or_else(late)? }
        }
        TaskCommand::Withdraw(task) => TaskRequest::Withdraw(TaskId::new(task)),
    })
}

/// The free capacity of a scheduler until a time from now.
pub(super) fn free_capacity(now: Instant, work: Span, by: Span, found: IdleTime) -> Value {
    let earliest = found.earliest.map(|at| at.saturating_since(now).as_nanos());
    json!({
        "admits": found.idle >= work,
        "work_ns": work.as_nanos(),
        "by_ns": by.as_nanos(),
        "idle_ns": found.idle.as_nanos(),
        "earliest_ns": earliest,
    })
}
