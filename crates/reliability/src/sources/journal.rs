//! The journal of systemd: lines of `journalctl -o json`, one entry each.
//!
//! Taken are messages of the kernel that [`Subject`] knows, and from all entries when each start of the system began and ended. Entries may be in any order, and one may be given twice.

use super::log::{Boot, Ending, Log, Logged};
use super::{SourceError, Subject};
use serde_json::Value;
use std::collections::HashSet;
use windfall_time::{Instant, Span};

/// `SD_MESSAGE_JOURNAL_START`. The journal starts twice where an initial file system has one of its own.
pub const JOURNAL_STARTED: &str = "f77379a8490b408bbe5f6940505a777b";
/// `SD_MESSAGE_JOURNAL_STOP`: the last entry of a shutdown.
pub const JOURNAL_STOPPED: &str = "d93fb3c9c24d451a97cea615ce59c00b";
/// `SD_MESSAGE_SHUTDOWN`: a shutdown was asked for.
pub const SHUTDOWN: &str = "98268866d1d54a499c4e98921d93bc40";

/// The start of the system that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Running<'a> {
    /// `/proc/sys/kernel/random/boot_id`, with or without dashes.
    pub boot: &'a str,
    /// How long it has run, without suspension (CLOCK_MONOTONIC), read after the journal.
    pub now: Span,
}

struct Entry<'a> {
    line: usize,
    cursor: Option<String>,
    boot: String,
    since: Span,
    at: Instant,
    /// Started, stopped or shutdown.
    is: Option<&'a str>,
    /// The incident and its text, if the entry is a kernel message about one.
    incident: Option<(Subject, String)>,
}

/// Reads the entries of a journal: at least its messages of the kernel, those of [`JOURNAL_STARTED`], [`JOURNAL_STOPPED`] and [`SHUTDOWN`], and the last one of each start of the system, whatever it is.
///
/// A start is said to have ended by a shutdown if one was asked for, or the journal was stopped and not started again. A machine that is reset from outside (a virtual machine that is turned off) has no shutdown, and cannot be told from one that failed.
///
/// # Errors
/// With the line: what is no entry, or lacks a field; an entry of the running start after `now`.
pub fn journal_json(text: &str, running: Option<Running<'_>>) -> Result<Log, SourceError> {
    let mut starts: Vec<(String, Vec<Entry<'_>>)> = Vec::new();
    let mut cursors = HashSet::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let entry = entry(line, number)?;
        let place = starts.iter().position(|(boot, _)| *boot == entry.boot);
        let place = place.unwrap_or_else(|| {
            starts.push((entry.boot.clone(), Vec::new()));
            starts.len() - 1
        });
        let is_new = entry.cursor.as_ref().is_none_or(|cursor| cursors.insert(cursor.clone()));
        if is_new {
            starts[place].1.push(entry);
        }
    }
    for (_, entries) in &mut starts {
        entries.sort_by_key(|entry| entry.since);
    }
    // The clock at a start's end, because it is often wrong at its beginning.
    starts.sort_by_key(|(_, entries)| entries.last().map(|entry| entry.at));
    let current = running.map(|running| (running.boot.replace('-', ""), running.now));
    // A start that goes on is the last one, whatever the clock was.
    starts.sort_by_key(|(boot, _)| current.as_ref().is_some_and(|(own, _)| own == boot));
    let boots = starts.into_iter().map(|(id, entries)| {
        let now = current.as_ref().filter(|(own, _)| *own == id).map(|(_, now)| *now);
        start(id, &entries, now)
    });
    Ok(Log { boots: boots.collect::<Result<_, _>>()? })
}

/// A start of the system from its entries, of which there is one or more, in order.
fn start(id: String, entries: &[Entry<'_>], now: Option<Span>) -> Result<Boot, SourceError> {
    let (mut begin, mut end, mut at) = (Span::ZERO, Span::ZERO, Instant::ZERO);
    if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
        (begin, end, at) = (first.since, last.since, last.at);
        if let Some(now) = now {
            if last.since > now {
                return Err(SourceError::Future { line: last.line, since: last.since, now });
            }
            end = now;
        }
    }
    let last_of = |which: &str| entries.iter().rposition(|entry| entry.is == Some(which));
    let is_stopped = last_of(JOURNAL_STOPPED) > last_of(JOURNAL_STARTED);
    let ending = match now {
        Some(_) => Ending::Running,
        None if is_stopped || last_of(SHUTDOWN).is_some() => Ending::Shutdown,
        None => Ending::Unexpected,
    };
    let logged = entries.iter().filter_map(|entry| {
        let (subject, text) = entry.incident.clone()?;
        Some(Logged { since: entry.since, at: entry.at, subject, text })
    });
    Ok(Boot::new(id, (begin, end), ending, at, logged.collect()))
}

fn entry(line: &str, number: usize) -> Result<Entry<'static>, SourceError> {
    let value: Value = serde_json::from_str(line)
        .map_err(|why| SourceError::Entry { line: number, why: why.to_string() })?;
    let text = |field: &str| text(value.get(field)?);
    let micros = |field: &'static str| {
        let found = text(field).unwrap_or_default();
        let micros = found.parse::<u64>().ok().and_then(|us| us.checked_mul(1_000));
        micros.ok_or(SourceError::Field { line: number, field, found })
    };
    let (since, at) = (micros("__MONOTONIC_TIMESTAMP")?, micros("__REALTIME_TIMESTAMP")?);
    let missing = || SourceError::Field { line: number, field: "_BOOT_ID", found: String::new() };
    let boot = text("_BOOT_ID").ok_or_else(missing)?;
    let is_kernel = text("_TRANSPORT").as_deref() == Some("kernel");
    // A message of the kernel may have waited for the journal to be started; its own clock is not corrected, and may be ahead.
    let said = text("_SOURCE_MONOTONIC_TIMESTAMP").filter(|_| is_kernel);
    let said = said.and_then(|us| us.parse::<u64>().ok()?.checked_mul(1_000));
    let since = said.map_or(since, |said| said.min(since));
    let message = if is_kernel { text("MESSAGE") } else { None };
    let incident =
        message.and_then(|message| Some((Subject::of(&message)?, message.trim().to_owned())));
    let id = text("MESSAGE_ID").unwrap_or_default();
    let is = [JOURNAL_STARTED, JOURNAL_STOPPED, SHUTDOWN].into_iter().find(|known| *known == id);
    Ok(Entry {
        line: number,
        cursor: text("__CURSOR"),
        boot,
        since: Span::from_nanos(since),
        at: Instant::from_nanos(at),
        is,
        incident,
    })
}

/// A field: a text, or an array of bytes where it is not printable, or of several values, the first of which counts.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) if items.iter().all(Value::is_u64) => {
            let bytes = items.iter().filter_map(|item| u8::try_from(item.as_u64()?).ok());
            Some(String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned())
        }
        Value::Array(items) => items.first().and_then(text),
        _ => None,
    }
}
