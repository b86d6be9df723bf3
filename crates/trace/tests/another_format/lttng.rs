//! Text of LTTng's kernel events, as `babeltrace2 --clock-seconds` prints it: a format that the crate does not have.
//!
//! A name with a quote or a backslash in it is printed with more of them, and is not understood.

use windfall_trace::import::{Aside, Format, Head, RawEvent, Reading, Task};
use windfall_trace::{OverheadKind, Stop};

pub(crate) const LTTNG: Format = Format {
    name: "lttng",
    help: "Text of LTTng's kernel events",
    command: "babeltrace2 --clock-seconds",
    aside,
    head,
    event,
};

/// `WARNING: Tracer discarded 3 events between [1.5] and [1.7] in trace ...`; babeltrace 1 writes another first word.
fn aside(line: &str) -> Option<Aside<'_>> {
    let (_, behind) = line.split_once("Tracer discarded ")?;
    let (count, what) = behind.split_once(' ')?;
    let count = count.parse().ok().filter(|_| what.starts_with("event"));
    Some(Aside::Loss { cpu: None, count })
}

/// `[1750878545.847291532] (+0.000012843) machine sched_switch: { cpu_id = 0 }, { ... }`, with a group before the last
/// where a context was recorded: `{ pid = 4, tid = 7, procname = "a" }`.
fn head(line: &str) -> Option<Head<'_>> {
    let (at, rest) = line.strip_prefix('[')?.split_once("] (+")?;
    let (seconds, fraction) = at.split_once('.').filter(|(_, fraction)| fraction.len() == 9)?;
    let seconds = seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?;
    let (names, groups) = rest.split_once(": ")?;
    let (cpu, mut rest) = group(groups)?;
    let (mut context, mut args) = ("", "");
    while let Some((inside, behind)) = group(rest) {
        (context, args, rest) = (args, inside, behind);
    }
    (rest.is_empty() && !line.contains('\\')).then_some(Head {
        comm: field(context, "procname"),
        tid: number(context, "tid"),
        pid: number(context, "pid"),
        cpu: number(cpu, "cpu_id")?,
        interrupt: None,
        ns: Some(seconds.checked_add(fraction.parse().ok()?)?),
        event: names.rsplit(' ').next()?,
        args,
    })
}

fn event(head: &Head<'_>) -> Reading {
    let woken = || Some(Some(task(head.args, "comm", "tid")?));
    match head.event {
        "sched_switch" => switch(head.args),
        "sched_waking" => woken().map(RawEvent::Waking),
        "sched_wakeup" => woken().map(RawEvent::Wakeup),
        "sched_wakeup_new" => woken().map(RawEvent::WakeupNew),
        "irq_handler_entry" => number(head.args, "irq")
            .map(|number| RawEvent::OverheadBegin { kind: OverheadKind::Interrupt, number }),
        "irq_handler_exit" => Some(RawEvent::OverheadEnd { kind: OverheadKind::Interrupt }),
        _ => return Reading::NotImported,
    }
    .into()
}

fn switch(args: &str) -> Option<RawEvent> {
    // As a number, or `( "TASK_INTERRUPTIBLE" : container = 1 )`.
    let stop = match number(args, "prev_state").or_else(|| number(args, "container"))? {
        0 | 0x100 => Stop::Preempted,
        state if state & 0x30 != 0 => Stop::Exited,
        state if state & 0x2 != 0 => Stop::Uninterruptible,
        state if state & 0xc != 0 => Stop::Stopped,
        _ => Stop::Blocked,
    };
    let prev = task(args, "prev_comm", "prev_tid")?;
    Some(RawEvent::Switch { prev, stop, next: task(args, "next_comm", "next_tid")? })
}

fn task(args: &str, name: &str, tid: &str) -> Option<Task> {
    Task::new(number(args, tid)?, Some(field(args, name)?))
}

/// What is inside of the first group, and what stands behind it. A brace in a name ends nothing.
fn group(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_start_matches(", ").strip_prefix("{ ")?;
    let mut quoted = false;
    let end = inside.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'}' && !quoted
    })?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// The value of a key, a text without its quotes. A name may hold what looks like a key, so fields are read in order.
fn field<'a>(mut text: &'a str, wanted: &str) -> Option<&'a str> {
    loop {
        let (key, value) = text.split_once(" = ")?;
        let (value, behind) = match value.strip_prefix('"') {
            Some(name) => name.split_once('"')?,
            None => value.split_at(value.find([',', ' ']).unwrap_or(value.len())),
        };
        if key.rsplit(' ').next() == Some(wanted) {
            return Some(value);
        }
        text = behind;
    }
}

fn number<N: std::str::FromStr>(text: &str, key: &str) -> Option<N> {
    field(text, key)?.parse().ok()
}
