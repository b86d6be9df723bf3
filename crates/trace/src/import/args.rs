//! Reads the own text of the kernel's events, in both dialects.
//!
//! The kernel writes `comm=data-loop.0 pid=2215 prio=-1 target_cpu=002`; libtraceevent's plugins
//! (trace-cmd, sometimes perf) write `data-loop.0:2215 [-1] CPU:002`. A name may hold the words that
//! stand around it, so texts are split from the side where no name can be, and where several ways
//! remain, the one that agrees with the line's head is taken.

use super::line::{self, number};
use super::record::{RawEvent, Reading, Task};
use crate::{OverheadKind, Stop};

/// Reads the text of `event`; `tid` is the thread in the line's head.
pub(super) fn read(event: &str, args: &str, tid: Option<u32>) -> Reading {
    let raw = match event {
        "sched_switch" => switch(args, tid),
        "sched_waking" => woken(args).map(RawEvent::Waking),
        "sched_wakeup" => woken(args).map(RawEvent::Wakeup),
        "sched_wakeup_new" => woken(args).map(RawEvent::WakeupNew),
        "sched_migrate_task" => migrated(args).map(RawEvent::Seen),
        "sched_process_fork" => fork(args),
        "sched_process_exec" => exec(args),
        "sched_process_exit" => exit(args),
        "task_rename" => rename(args),
        "print" | "tracing_mark_write" | "bprint" | "bputs" => Some(RawEvent::Mark(mark(args))),
        "irq_handler_entry" => begin(args, "irq=", OverheadKind::Interrupt),
        "irq_handler_exit" => end(args, "irq=", OverheadKind::Interrupt),
        "softirq_entry" => begin(args, "vec=", OverheadKind::Softirq),
        "softirq_exit" => end(args, "vec=", OverheadKind::Softirq),
        _ => match vector(event) {
            Some(true) => begin(args, "vector=", OverheadKind::Interrupt),
            Some(false) => end(args, "vector=", OverheadKind::Interrupt),
            None => return Reading::NotImported,
        },
    };
    raw.into()
}

/// Whether an event is the entry (`true`) or exit of one of x86's own interrupts.
fn vector(event: &str) -> Option<bool> {
    let (name, entry) = match event.strip_suffix("_entry") {
        Some(name) => (name, true),
        None => (event.strip_suffix("_exit")?, false),
    };
    let known = [
        "local_timer",
        "reschedule",
        "call_function",
        "call_function_single",
        "irq_work",
        "x86_platform_ipi",
        "error_apic",
        "spurious_apic",
        "thermal_apic",
        "threshold_apic",
        "deferred_error_apic",
    ];
    known.contains(&name).then_some(entry)
}

/// All ways to split a text at `middle`, from the last to the first; they may overlap.
fn splits<'a>(text: &'a str, middle: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut end = text.len();
    std::iter::from_fn(move || {
        let at = text.get(..end)?.rfind(middle)?;
        end = at + middle.len() - 1;
        Some((&text[..at], &text[at + middle.len()..]))
    })
}

fn switch(args: &str, tid: Option<u32>) -> Option<RawEvent> {
    let mut found = None;
    let ways = splits(args, " ==> ").filter_map(|(left, right)| {
        let (prev, stop) = key_left(left).or_else(|| plugin_left(left))?;
        let next = key_right(right).or_else(|| plugin_task(right))?;
        Some(RawEvent::Switch { prev, stop, next })
    });
    for raw in ways {
        let agrees = matches!(&raw, RawEvent::Switch { prev, .. } if Some(prev.tid) == tid);
        if agrees {
            return Some(raw);
        }
        found.get_or_insert(raw);
    }
    found
}

/// `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S`.
fn key_left(text: &str) -> Option<(Task, Stop)> {
    let (comm, rest) = text.strip_prefix("prev_comm=")?.rsplit_once(" prev_pid=")?;
    let (pid, state) = rest.split_once(" prev_prio=")?;
    let (_, state) = state.split_once(" prev_state=")?;
    Some((task(comm, pid)?, stop(state)?))
}

/// `next_comm=b next_pid=2 next_prio=120`.
fn key_right(text: &str) -> Option<Task> {
    let (comm, rest) = text.strip_prefix("next_comm=")?.rsplit_once(" next_pid=")?;
    task(comm, rest.split_once(" next_prio=")?.0)
}

/// `a:1 [120] S`.
fn plugin_left(text: &str) -> Option<(Task, Stop)> {
    let (left, state) = text.rsplit_once(' ')?;
    Some((plugin_task(left)?, stop(state)?))
}

/// `b:2 [120]`.
fn plugin_task(text: &str) -> Option<Task> {
    let (left, prio) = text.trim_end().strip_suffix(']')?.rsplit_once(" [")?;
    prio.parse::<i64>().ok()?;
    let (comm, pid) = left.rsplit_once(':')?;
    task(comm, pid)
}

/// Why a thread leaves: letters joined by `|`, and `+` when it was preempted.
fn stop(state: &str) -> Option<Stop> {
    let state = state.trim_end();
    let letters = state.strip_suffix('+').unwrap_or(state);
    let known = |letter: char| "RSDTtXxZPIKWNEL".contains(letter) || letter == '|';
    if letters.is_empty() || letters.len() > 24 || !letters.chars().all(known) {
        return None;
    }
    Some(if letters.len() < state.len() || letters.starts_with('R') {
        Stop::Preempted
    } else if letters.contains(['X', 'Z', 'x']) {
        Stop::Exited
    } else if letters.contains(['T', 't']) {
        Stop::Stopped
    } else if letters.contains('D') {
        Stop::Uninterruptible
    } else {
        Stop::Blocked
    })
}

/// `comm=a pid=1 prio=120 target_cpu=002` or `a:1 [120] CPU:002`, older ones with ` success=1`.
/// Without success no thread was woken.
fn woken(args: &str) -> Option<Option<Task>> {
    let failed = |rest: &str| rest.contains(" success=0");
    if let Some((task, rest)) = keyed(args) {
        return Some((!failed(rest)).then_some(task));
    }
    let end = args.rfind(']')?;
    let (left, rest) = args.split_at(end + 1);
    let told = rest.is_empty() || rest.starts_with(" success=") || rest.starts_with(" CPU:");
    if !told {
        return None;
    }
    Some((!failed(rest)).then_some(plugin_task(left)?))
}

fn migrated(args: &str) -> Option<Task> {
    keyed(args).map(|(task, _)| task).or_else(|| plugin_task(&args[..=args.rfind(']')?]))
}

/// `comm=a pid=1 ...`, and what follows the number.
fn keyed(args: &str) -> Option<(Task, &str)> {
    let (comm, rest) = args.strip_prefix("comm=")?.rsplit_once(" pid=")?;
    let end = rest.find(' ').unwrap_or(rest.len());
    Some((task(comm, &rest[..end])?, &rest[end..]))
}

/// `comm=a pid=1 child_comm=b child_pid=2`; the parent is in the line's head as well.
fn fork(args: &str) -> Option<RawEvent> {
    let (left, pid) = args.rsplit_once(" child_pid=")?;
    let child = splits(left, " child_comm=").find_map(|(left, comm)| {
        let (_, behind) = keyed(left)?;
        behind.is_empty().then(|| task(comm, pid))?
    })?;
    Some(RawEvent::Fork { child, pid: None })
}

/// `filename=/bin/a pid=1 old_pid=1`.
fn exec(args: &str) -> Option<RawEvent> {
    let (left, old) = args.strip_prefix("filename=")?.rsplit_once(" old_pid=")?;
    let (_, tid) = left.rsplit_once(" pid=")?;
    let old = line::thread_number(number(old)?.0)?;
    Some(RawEvent::Exec { tid: thread_number(tid)?, old })
}

/// `comm=a pid=1 prio=120`, newer ones with ` group_dead=true`.
fn exit(args: &str) -> Option<RawEvent> {
    keyed(args).map(|(task, _)| RawEvent::Exiting(task.tid))
}

/// `pid=1 oldcomm=a newcomm=b oom_score_adj=0`.
fn rename(args: &str) -> Option<RawEvent> {
    let (pid, rest) = args.strip_prefix("pid=")?.split_once(" oldcomm=")?;
    let (names, _) = rest.rsplit_once(" oom_score_adj=")?;
    // A hostile new name can hold ` newcomm=`, and so can a hostile old one: not both at once.
    let (_, name) = names.split_once(" newcomm=")?;
    Some(RawEvent::Rename(task(name, pid)?))
}

fn mark(args: &str) -> String {
    args.strip_prefix("tracing_mark_write: ").unwrap_or(args).to_owned()
}

fn begin(args: &str, key: &str, kind: OverheadKind) -> Option<RawEvent> {
    let (number, _) = number(args.strip_prefix(key)?)?;
    Some(RawEvent::OverheadBegin { kind, number: u16::try_from(number).ok()? })
}

fn end(args: &str, key: &str, kind: OverheadKind) -> Option<RawEvent> {
    number(args.strip_prefix(key)?)?;
    Some(RawEvent::OverheadEnd { kind })
}

/// `a` and `1`; the kernel's word for a name that it has forgotten is none.
pub(super) fn task(name: &str, tid: &str) -> Option<Task> {
    Task::new(tid.parse().ok()?, (name != "<...>").then_some(name))
}

/// A number that a thread can have.
pub(super) fn thread_number(text: &str) -> Option<u32> {
    text.parse().ok().and_then(line::thread_number)
}

#[cfg(test)]
mod tests;
