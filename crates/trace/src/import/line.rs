//! The head of an event's line: who, where, when, which event.
//!
//! ```text
//!  data-loop.0-2215  (   2201) [002] d..2.  5120.004310: sched_switch: ...      ftrace, trace-cmd
//!  data-loop.0  2201/2215  [002]  5120.004310225: sched:sched_switch: ...       perf script
//! ```
//!
//! A thread's name may hold anything, even what looks like the rest of a head, but the kernel keeps
//! 15 bytes of it: of several ways to read a line, the last that leaves such a short name is meant.

use super::limits;

/// What stands before an event's own text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head<'a> {
    /// The name, if the source knows it.
    pub(super) comm: Option<&'a str>,
    /// 0 for idle, `None` where the source knows no thread.
    pub(super) tid: Option<u32>,
    /// The process, if given.
    pub(super) pid: Option<u32>,
    pub(super) cpu: u16,
    /// Whether the line was written by an interrupt; `None` when the source does not say.
    pub(super) interrupt: Option<bool>,
    pub(super) ns: u64,
    pub(super) event: &'a str,
    pub(super) args: &'a str,
}

/// The kernel's limit is 15 bytes; one more forgives other tools.
const LONGEST_NAME: usize = 16;

/// Reads a line of tracefs or `trace-cmd report`.
pub(super) fn ftrace(line: &str) -> Option<Head<'_>> {
    candidates(line, |byte| byte == b'-', |comm, rest| ftrace_behind_name(comm, &rest[1..]))
}

/// Reads a line of `perf script`, with one number (the thread) or two (process/thread).
pub(super) fn perf(line: &str) -> Option<Head<'_>> {
    let ends = |byte: u8| byte.is_ascii_whitespace();
    candidates(line, ends, |comm, rest| perf_behind_name(comm, &rest[1..]))
}

/// The last place that reads as the end of a short name, or else the first that reads at all.
fn candidates<'a>(
    line: &'a str,
    ends: impl Fn(u8) -> bool,
    read: impl Fn(&'a str, &'a str) -> Option<Head<'a>>,
) -> Option<Head<'a>> {
    let mut found = None;
    for (place, pair) in line.as_bytes().windows(2).enumerate() {
        let digit = pair[1].is_ascii_digit() || pair[1] == b'-';
        if !digit || !ends(pair[0]) {
            continue;
        }
        let (comm, rest) = line.split_at(place);
        let comm = comm.trim();
        let short = comm.chars().count() <= LONGEST_NAME;
        if found.is_some() && !short {
            break;
        }
        if let Some(head) = read(comm, rest) {
            found = Some(head);
            if !short {
                break;
            }
        }
    }
    found
}

fn ftrace_behind_name<'a>(comm: &'a str, rest: &'a str) -> Option<Head<'a>> {
    let (tid, rest) = number(rest)?;
    let mut rest = spaces(rest)?;
    let mut pid = None;
    if let Some(inside) = rest.strip_prefix('(') {
        let (group, behind) = inside.split_once(')')?;
        let group = group.trim();
        if !group.bytes().all(|byte| byte == b'-') {
            pid = Some(group.parse().ok().and_then(thread_number)?);
        }
        rest = behind.trim_start();
    }
    let (cpu, rest) = processor(rest)?;
    let mut interrupt = None;
    let rest = spaces(rest)?;
    let (ns, rest) = match time(rest) {
        Some(found) => found,
        None => {
            let (flags, rest) = rest.split_once(|c: char| c.is_ascii_whitespace())?;
            interrupt = Some(context(flags)?);
            time(rest.trim_start())?
        }
    };
    let (event, args) = spaces(rest)?.split_once(':')?;
    if args.starts_with(|c: char| !c.is_ascii_whitespace()) {
        return None;
    }
    let tid = Some(thread_number(tid)?);
    let comm = (comm != "<...>" && !comm.is_empty()).then_some(comm);
    let args = args.trim_start();
    is_name(event).then_some(Head { comm, tid, pid, cpu, interrupt, ns, event, args })
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
    is_name(event).then_some(Head { comm, tid, pid, cpu, interrupt, ns, event, args })
}

/// What the kernel's flags say about who is at work: the third tells interrupts. `None` when they
/// are no flags.
fn context(flags: &str) -> Option<bool> {
    let sound = (4..=6).contains(&flags.len())
        && flags.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'#'));
    let third = flags.as_bytes().get(2)?;
    sound.then_some(matches!(third, b'h' | b'H' | b's' | b'z' | b'Z'))
}

fn is_name(text: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !text.is_empty() && text.bytes().all(sound)
}

/// At least one space, dropped.
fn spaces(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (rest.len() < text.len()).then_some(rest)
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = digits(text);
    Some((number.parse().ok()?, rest))
}

/// A thread number; a negative one means that the source does not know it.
fn signed(text: &str) -> Option<(Option<u32>, &str)> {
    if let Some(text) = text.strip_prefix('-') {
        let (_, rest) = number(text)?;
        return Some((None, rest));
    }
    let (number, rest) = number(text)?;
    Some((Some(thread_number(number)?), rest))
}

/// A number that a thread can have.
fn thread_number(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|tid| *tid <= limits::THREAD_NUMBER)
}

/// `[002]`.
fn processor(text: &str) -> Option<(u16, &str)> {
    let (number, rest) = number(text.strip_prefix('[')?)?;
    Some((u16::try_from(number).ok()?, rest.strip_prefix(']')?))
}

/// `5120.004310:` in nanoseconds; what is finer is dropped.
fn time(text: &str) -> Option<(u64, &str)> {
    let (seconds, rest) = number(text)?;
    let (fraction, rest) = digits(rest.strip_prefix('.')?);
    if fraction.is_empty() {
        return None;
    }
    let mut ns = 0;
    for place in 0..9 {
        let digit = fraction.as_bytes().get(place).map_or(0, |byte| byte - b'0');
        ns = ns * 10 + u64::from(digit);
    }
    let ns = seconds.checked_mul(1_000_000_000)?.checked_add(ns)?;
    Some((ns, rest.strip_prefix(':')?))
}

#[cfg(test)]
mod tests;
