//! What became of the tasks that a thread submitted, and why some were refused, lost or late.

use super::one::{moment, number};
use crate::terminal::short;
use serde_json::{Value, json};
use windfall_time::{Instant, Span};
use windfall_trace::escape::escaped;
use windfall_trace::explain::{Explained, TaskFinding, Tasks};
use windfall_trace::{TaskEnd, TaskEvent, TaskRefusal, TaskState};

/// Tasks submitted, the scheduler's answers, and reasons.
pub(super) fn text(found: &Explained) -> String {
    let mut text = counts(&found.tasks);
    for task in found.task_findings.all() {
        let what = format!("task {} by {}: {}", task.task, moment(task.deadline), words(task));
        text.push_str(&format!("  {}  {what}\n", moment(task.at)));
    }
    match found.task_findings.left_out {
        0 => {}
        more => text.push_str(&format!("  and {more} more\n")),
    }
    text
}

fn counts(tasks: &Tasks) -> String {
    if tasks.submitted() == 0 {
        return String::new();
    }
    let submitted = number(tasks.submitted(), "task", "tasks");
    let mut text =
        format!("{submitted} submitted: {} admitted, {} refused", tasks.admitted, tasks.refused);
    if !tasks.most_idle.is_zero() {
        text.push_str(&format!(
            " (at most {} was idle before such a deadline)",
            short(tasks.most_idle)
        ));
    }
    let counts = [
        (tasks.lost, "lost after they were admitted"),
        (tasks.in_time, "done in time"),
        (tasks.late, "done late"),
        (tasks.unfinished, "not done by their deadlines, nor later"),
        (tasks.withdrawn, "withdrawn"),
        (tasks.used_up, "of clients used up"),
    ];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!(", {count} {what}"));
    }
    if !tasks.absorbed.is_zero() {
        text.push_str(&format!(", {} left to others by early ends", short(tasks.absorbed)));
    }
    text.push('\n');
    text
}

/// What happened to a task, and why.
fn words(task: &TaskFinding) -> String {
    match task.what {
        TaskEvent::Refused { work, why } => refused(work, why),
        TaskEvent::Lost { left, stolen } => lost(task, left, stolen),
        TaskEvent::Ended { how, was, stolen } => {
            let by = short(task.at.saturating_since(task.deadline));
            let what = match how {
                TaskEnd::Done => format!("done {by} late"),
                _ => format!("not done, {by} after its deadline"),
            };
            format!("{what}, {}{}", before(was), taken(stolen))
        }
        _ => "of an unknown kind".to_owned(),
    }
}

fn refused(work: Span, why: TaskRefusal) -> String {
    let why = match why {
        TaskRefusal::NoTime { idle, earliest } => {
            let earliest = earliest.map_or_else(
                || "no deadline is late enough".to_owned(),
                |earliest| format!("the earliest deadline for it was {}", moment(earliest)),
            );
            format!("{} was idle before it; {earliest}", short(idle))
        }
        TaskRefusal::SlotsTaken => "all slots of its scheduler were taken".to_owned(),
        _ => "for a reason that only the submitter was told".to_owned(),
    };
    format!("{} of work refused: {why}", short(work))
}

fn lost(task: &TaskFinding, left: Option<Span>, stolen: Span) -> String {
    let cause = match (&task.request, left) {
        (Some(request), _) => format!("at the request `{}`", escaped(request)),
        (None, None) => "its thread left the scheduler that had admitted it".to_owned(),
        (None, Some(_)) => "its scheduler did not receive the time that it holds".to_owned(),
    };
    let left = left.map_or_else(String::new, |left| format!(" with {} left", short(left)));
    format!("lost{left}: {cause}{}", taken(stolen))
}

/// The last that its scheduler said of a task, as the reason why it was late.
const fn before(was: TaskState) -> &'static str {
    match was {
        TaskState::Admitted => {
            "though its time had not passed: its thread waited or did other work"
        }
        TaskState::UsedUp => {
            "after all of its time had passed: it needed more, or its thread waited"
        }
        TaskState::Lost => "after its scheduler had lost it",
    }
}

/// What was stolen meanwhile.
fn taken(stolen: Span) -> String {
    if stolen.is_zero() {
        return String::new();
    }
    format!("; {} was stolen from its thread's processor since it was submitted", short(stolen))
}

/// Null for a thread that submitted nothing.
pub(super) fn json(found: &Explained) -> Value {
    let Explained { tasks, task_findings, .. } = found;
    let listed: Vec<Value> = task_findings.all().map(finding).collect();
    if tasks.submitted() == 0 && listed.is_empty() {
        return Value::Null;
    }
    json!({
        "admitted": tasks.admitted,
        "refused": tasks.refused,
        "most_idle_ns": tasks.most_idle.as_nanos(),
        "lost": tasks.lost,
        "absorbed_ns": tasks.absorbed.as_nanos(),
        "in_time": tasks.in_time,
        "late": tasks.late,
        "unfinished": tasks.unfinished,
        "withdrawn": tasks.withdrawn,
        "used_up": tasks.used_up,
        "listed": listed,
        "left_out": task_findings.left_out,
    })
}

fn finding(task: &TaskFinding) -> Value {
    let what = match task.what {
        TaskEvent::Refused { .. } => "refused",
        TaskEvent::Lost { .. } => "lost",
        TaskEvent::Ended { how: TaskEnd::Done, .. } => "late",
        TaskEvent::Ended { .. } => "unfinished",
        _ => "unknown",
    };
    let mut value = json!({
        "task": task.task,
        "at_ns": task.at.as_nanos(),
        "deadline_ns": task.deadline.as_nanos(),
        "what": what,
        "why": words(task),
    });
    match task.what {
        TaskEvent::Refused { work, .. } => {
            value["work_ns"] = work.as_nanos().into();
            if let Some((idle, earliest)) = task.instead() {
                value["idle_ns"] = idle.as_nanos().into();
                value["earliest_ns"] = earliest.map(Instant::as_nanos).into();
            }
        }
        TaskEvent::Lost { left, stolen } => {
            value["left_ns"] = left.map(Span::as_nanos).into();
            value["stolen_ns"] = stolen.as_nanos().into();
        }
        TaskEvent::Ended { stolen, .. } => value["stolen_ns"] = stolen.as_nanos().into(),
        _ => {}
    }
    value
}
