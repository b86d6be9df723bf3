//! Text of `perf script`.

use super::Format;
use crate::import::args::{self, task, thread_number};
use crate::import::line::{
    candidates, is_name, number, number_behind, processor, signed, spaces, time,
};
use crate::import::{Aside, Head, Heading, RawEvent, Reading, Task};

pub(super) const FORMAT: Format = Format {
    name: "perf",
    help: "Text of `perf script`",
    command: "perf script --ns --show-lost-events",
    aside,
    head: perf,
    event,
};

/// Comments, and the header that perf writes as such.
fn aside(line: &str) -> Option<Aside<'_>> {
    line.starts_with('#').then(|| {
        let processors = number_behind(line, "# nrcpus online");
        let clock = line.split_once("# clockid:").map(|(_, rest)| rest.trim_start());
        let clock = clock.and_then(|rest| rest.split_whitespace().next());
        Aside::Heading(Heading { processors, clock, ..Heading::default() })
    })
}

/// Reads a line of `perf script`, with one number (the thread) or two (process/thread).
pub(super) fn perf(line: &str) -> Option<Head<'_>> {
    let ends = |byte: u8| byte.is_ascii_whitespace();
    candidates(line, ends, |comm, rest| perf_behind_name(comm, &rest[1..]))
}

fn perf_behind_name<'a>(comm: &'a str, rest: &'a str) -> Option<Head<'a>> {
    let (first, rest) = signed(rest)?;
    let (pid, tid, rest) = match rest.strip_prefix('/') {
        Some(rest) => {
            let (tid, rest) = signed(rest)?;
            (first, tid, rest)
        }
        None => (None, first, rest),
    };
    let (cpu, rest) = processor(spaces(rest)?)?;
    let (ns, rest) = time(spaces(rest)?)?;
    let mut rest = spaces(rest)?;
    if let Some((_, behind)) = number(rest)
        && let Some(behind) = spaces(behind)
    {
        // A period that some versions print.
        rest = behind;
    }
    let (event, args) = if rest.starts_with("PERF_RECORD_") {
        let end = rest.find(|c: char| c != '_' && !c.is_ascii_uppercase() && !c.is_ascii_digit());
        rest.split_at(end.unwrap_or(rest.len()))
    } else {
        let (first, behind) = rest.split_once(':')?;
        match behind.split_once(':') {
            Some((second, args)) if is_name(first) && is_name(second) => (second, args),
            _ => (first, behind),
        }
    };
    let comm = (!comm.is_empty() && !comm.starts_with(':')).then_some(comm);
    let (interrupt, args) = (None, args.trim_start());
    // perf's own records name the thread that they are about, which need not be the one that ran; those of time 0 are what perf found when it began.
    let own = event.starts_with("PERF_RECORD_");
    let (tid, ns) = (tid.filter(|_| !own), Some(ns).filter(|ns| !own || *ns != 0));
    is_name(event).then_some(Head { comm, tid, pid, cpu, interrupt, ns, event, args })
}

/// perf's own records, or an event of the kernel.
pub(super) fn event(head: &Head<'_>) -> Reading {
    match head.event {
        "PERF_RECORD_COMM" => renamed(head.args),
        "PERF_RECORD_FORK" => pair(head.args).and_then(|(pid, tid)| {
            Some(RawEvent::Fork { child: Task::new(tid, None)?, pid: Some(pid) })
        }),
        "PERF_RECORD_EXIT" => pair(head.args).map(|(_, tid)| RawEvent::Exiting(tid)),
        "PERF_RECORD_LOST" | "PERF_RECORD_LOST_SAMPLES" => {
            let count = head.args.strip_prefix("lost ").and_then(number);
            Some(RawEvent::Lost { count: count.map(|(count, _)| count) })
        }
        _ => return args::read(head.event, head.args, head.tid),
    }
    .into()
}

/// `: name:1/2` or ` exec: name:1/2`, process and thread.
fn renamed(args: &str) -> Option<RawEvent> {
    let (name, ids) = args.split_once(": ")?.1.rsplit_once(':')?;
    let (_, tid) = ids.split_once('/')?;
    Some(RawEvent::Rename(task(name, tid.trim_end())?))
}

/// `(1:2):(3:4)`: process and thread, then the parent's.
fn pair(args: &str) -> Option<(u32, u32)> {
    let (pid, tid) = args.strip_prefix('(')?.split_once(')')?.0.split_once(':')?;
    Some((thread_number(pid)?, thread_number(tid)?))
}
