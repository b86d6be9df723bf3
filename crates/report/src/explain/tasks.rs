//! The ends of the tasks that a thread submitted, and why some were refused, lost or late.

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
    if tasks.is_empty() {
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

/// The answer to a task or its end, with the reason.
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
        (Some(request), _) => format!("at the control request {}", escaped(request)),
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

/// The time that was stolen meanwhile.
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
    if tasks.is_empty() && listed.is_empty() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_trace::explain::{Explainer, Keep, Question};
    use windfall_trace::{Event, NodeId, Note, Sink, ThreadId};

    const A: ThreadId = ThreadId(0);

    fn ms(ms: u64) -> Span {
        Span::from_nanos(ms * 1_000_000)
    }

    /// The findings in a trace of one thread, whose events are at these milliseconds.
    fn found(events: &[(u64, Event)]) -> Explained {
        let mut explainer = Explainer::new(Question::new("*".into(), Keep::Worst(1)));
        let (name, node) = ("a".to_owned(), None);
        let declared = Event::Thread { thread: A, tid: 1, pid: 1, name, node };
        explainer.record(Instant::ZERO, &declared);
        for (at, event) in events {
            explainer.record(Instant::ZERO + ms(*at), event);
        }
        explainer.finish().threads.remove(0)
    }

    fn task(task: u32, deadline: u64, what: TaskEvent) -> Event {
        Event::Task { thread: A, task, deadline: Instant::ZERO + ms(deadline), what }
    }

    fn note(what: Note) -> Event {
        Event::Note { node: NodeId(0), thread: Some(A), what }
    }

    const fn ended(how: TaskEnd, was: TaskState, stolen: Span) -> TaskEvent {
        TaskEvent::Ended { how, was, stolen }
    }

    #[test]
    fn law_each_task_that_was_refused_lost_or_late_is_named_with_its_reason() {
        let no_time = TaskRefusal::NoTime { idle: ms(2), earliest: Some(Instant::ZERO + ms(11)) };
        let found = found(&[
            (1, note(Note::Refused(ms(2)))),
            (1, task(3, 9, TaskEvent::Refused { work: ms(4), why: no_time })),
            (2, note(Note::Lost(ms(1)))),
            (2, task(0, 9, TaskEvent::Lost { left: Some(ms(1)), stolen: ms(3) })),
            (3, note(Note::Lost(ms(5)))),
            (3, task(1, 9, TaskEvent::Lost { left: Some(ms(5)), stolen: Span::ZERO })),
            (3, Event::Control { text: "reserve for `server`".to_owned() }),
            (4, task(2, 9, TaskEvent::Lost { left: None, stolen: Span::ZERO })),
            (5, task(4, 9, ended(TaskEnd::Done, TaskState::Admitted, Span::ZERO))),
            (11, task(5, 9, ended(TaskEnd::Done, TaskState::UsedUp, ms(1)))),
            (12, task(6, 9, ended(TaskEnd::Left, TaskState::Admitted, Span::ZERO))),
            (12, task(1, 9, ended(TaskEnd::Left, TaskState::Lost, Span::ZERO))),
        ]);
        let expected = [
            "  0.001000s  task 3 by 0.009000s: 4.000ms of work refused: 2.000ms was idle before it; the earliest deadline for it was 0.011000s\n",
            "  0.002000s  task 0 by 0.009000s: lost with 1.000ms left: its scheduler did not receive the time that it holds; 3.000ms was stolen from its thread's processor since it was submitted\n",
            "  0.003000s  task 1 by 0.009000s: lost with 5.000ms left: at the control request reserve for `server`\n",
            "  0.004000s  task 2 by 0.009000s: lost: its thread left the scheduler that had admitted it\n",
            "  0.011000s  task 5 by 0.009000s: done 2.000ms late, after all of its time had passed: it needed more, or its thread waited; 1.000ms was stolen from its thread's processor since it was submitted\n",
            "  0.012000s  task 6 by 0.009000s: not done, 3.000ms after its deadline, though its time had not passed: its thread waited or did other work\n",
        ];
        let said = text(&found);
        let (counts, listed) = said.split_at(said.find("  0.001").unwrap_or(0));
        assert_eq!(listed, expected.concat());
        let ends = "3 lost after they were admitted, 1 done in time, 1 done late, 1 not done by their deadlines, nor later\n";
        assert!(counts.ends_with(ends), "{counts}");
        let json = json(&found);
        assert_eq!(
            (&json["lost"], &json["unfinished"], &json["left_out"]),
            (&3.into(), &1.into(), &0.into())
        );
        let named: Vec<&str> = json["listed"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["what"].as_str())
            .collect();
        assert_eq!(named, ["refused", "lost", "lost", "lost", "late", "unfinished"]);
        assert_eq!(json["listed"][0]["earliest_ns"], 11_000_000);
    }

    #[test]
    fn limit_the_first_tasks_of_each_kind_are_named_and_the_others_counted() {
        let why = TaskRefusal::SlotsTaken;
        let refused = (0..20).map(|n| (1, task(n, 9, TaskEvent::Refused { work: ms(1), why })));
        let lost = task(20, 9, TaskEvent::Lost { left: Some(ms(1)), stolen: Span::ZERO });
        let all: Vec<_> = refused.chain([(2, lost)]).collect();
        let said = text(&found(&all));
        assert_eq!(said.lines().filter(|line| line.contains("slots")).count(), 8);
        assert!(said.contains("task 20") && said.ends_with("  and 12 more\n"), "{said}");
    }
}
