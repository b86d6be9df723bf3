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

/// The part of a line before the event's own text, and that text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head<'a> {
    /// The name of the thread that ran, if the source knows it.
    pub comm: Option<&'a str>,
    /// The thread that ran on the processor, 0 for idle; `None` where the line does not say.
    pub tid: Option<u32>,
    /// Its process, if given.
    pub pid: Option<u32>,
    /// The processor.
    pub cpu: u16,
    /// Whether the line was written by an interrupt; `None` when the source does not say.
    pub interrupt: Option<bool>,
    /// Nanoseconds of the source's clock; `None` for what was there already when tracing began, which counts from where the line stands.
    pub ns: Option<u64>,
    /// The event's name, by which the report counts it.
    pub event: &'a str,
    /// The event's own text.
    pub args: &'a str,
}

impl Head<'_> {
    pub(super) fn is_within_limits(&self) -> bool {
        self.cpu < limits::PROCESSORS
            && [self.tid, self.pid].iter().flatten().all(|tid| *tid <= limits::THREAD_NUMBER)
            && self.comm.is_none_or(|name| name.chars().count() <= limits::NAME)
    }
}

/// The kernel's limit is 15 bytes; one more forgives other tools.
const LONGEST_NAME: usize = 16;

/// The last place that reads as the end of a short name, or else the first that reads at all.
pub(super) fn candidates<'a>(
    line: &'a str,
    ends: impl Fn(u8) -> bool,
    read: impl Fn(&'a str, &'a str) -> Option<Head<'a>>,
) -> Option<Head<'a>> {
    let begins = line.len() - line.trim_start().len();
    let letters = line.char_indices().skip_while(|(_, letter)| letter.is_whitespace());
    let mut beyond = letters.skip(LONGEST_NAME).filter(|(_, letter)| !letter.is_whitespace());
    let long_behind = beyond.next().map_or(line.len(), |(place, _)| place);
    let mut found = None;
    for (place, pair) in line.as_bytes().windows(2).enumerate() {
        let short = place <= long_behind;
        if found.is_some() && !short {
            break;
        }
        let digit = pair[1].is_ascii_digit() || pair[1] == b'-';
        if !digit || !ends(pair[0]) {
            continue;
        }
        let (comm, rest) = line.split_at(place);
        if let Some(head) = read(comm.get(begins..).unwrap_or("").trim_end(), rest) {
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

/// The number behind a key, as in `cpus=4` and `nrcpus online : 4`.
pub(super) fn number_behind<N: TryFrom<u64>>(text: &str, key: &str) -> Option<N> {
    let (_, rest) = text.split_once(key)?;
    N::try_from(number(rest.trim_start_matches([' ', ':', '=']))?.0).ok()
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
