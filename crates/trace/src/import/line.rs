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

/// The part of a line before the event's own text.
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

/// The last place that reads as the end of a short name, or else the first that reads at all.
pub(super) fn candidates<'a>(
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

pub(super) fn is_name(text: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !text.is_empty() && text.bytes().all(sound)
}

/// At least one space, dropped.
pub(super) fn spaces(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (rest.len() < text.len()).then_some(rest)
}

pub(super) fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()))
}

pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = digits(text);
    Some((number.parse().ok()?, rest))
}

/// A thread number; a negative one means that the source does not know it.
pub(super) fn signed(text: &str) -> Option<(Option<u32>, &str)> {
    if let Some(text) = text.strip_prefix('-') {
        let (_, rest) = number(text)?;
        return Some((None, rest));
    }
    let (number, rest) = number(text)?;
    Some((Some(thread_number(number)?), rest))
}

/// A number that a thread can have.
pub(super) fn thread_number(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|tid| *tid <= limits::THREAD_NUMBER)
}

/// `[002]`.
pub(super) fn processor(text: &str) -> Option<(u16, &str)> {
    let (number, rest) = number(text.strip_prefix('[')?)?;
    Some((u16::try_from(number).ok()?, rest.strip_prefix(']')?))
}

/// `5120.004310:` in nanoseconds; what is finer is dropped.
pub(super) fn time(text: &str) -> Option<(u64, &str)> {
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
