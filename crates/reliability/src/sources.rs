//! Records of incidents on a Linux machine: the journal, machine checks, and counters of memory controllers (EDAC).
//!
//! Each reader takes the text; crate `doctor` runs `journalctl` and reads `/sys`. A virtual machine often has no machine
//! checks and no memory controller: then the answer is [`Found::NoneHere`] with the reason, since finding nothing is no
//! evidence where nothing can be found. A source that may exist and cannot be read is [`Found::Unreadable`].
//!
//! [`Subject`] says what counts as a failure and what as an error.

mod edac;
mod journal;
mod kernel;
mod log;
mod subject;

pub use edac::{Controller, edac};
pub use journal::{JOURNAL_STARTED, JOURNAL_STOPPED, Running, SHUTDOWN, journal_json};
pub use kernel::kernel_messages;
pub use log::{Boot, Ending, Log, Logged};
pub use subject::{MESSAGES, Subject};

use crate::{Incident, Kind, at};
use core::fmt;
use windfall_time::{Instant, Span};

/// The result of reading a source.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Found<T> {
    /// The source works, and this is what it says; it may be nothing.
    Here(T),
    /// The source says nothing on this machine, whatever happens.
    NoneHere {
        /// Why.
        why: String,
    },
    /// It may say something, and this process may not or cannot read it.
    Unreadable {
        /// Why.
        why: String,
        /// The change that would help.
        remedy: String,
    },
}

impl<T> Found<T> {
    /// The contents, if the source works.
    #[must_use]
    pub const fn here(&self) -> Option<&T> {
        match self {
            Found::Here(found) => Some(found),
            _ => None,
        }
    }
}

impl<T> fmt::Display for Found<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Here(_) => write!(f, "here"),
            Found::NoneHere { why } => write!(f, "none here: {why}"),
            Found::Unreadable { why, remedy } => write!(f, "not readable: {why}; {remedy}"),
        }
    }
}

/// Reads lines of `journalctl -k -o short-unix`: `1700000000.250000 host kernel: MESSAGE`. Only messages of the kernel that [`MESSAGES`] names are incidents. One cause may have several: see [`Incidents::merged`](crate::Incidents::merged).
///
/// A kernel that panics often has no time to write that down: failures by panic are then in `pstore` or on a console, whose lines can be given here, too.
///
/// # Errors
/// [`SourceError::Time`] when such a message has no time in seconds.
pub fn journal(text: &str) -> Result<Vec<Incident>, SourceError> {
    let mut list = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let Some((head, message)) = line.split_once(" kernel: ") else { continue };
        let Some(subject) = Subject::of(message) else { continue };
        let time = head.split_whitespace().next().unwrap_or_default();
        let at = at::seconds(time)
            .ok_or_else(|| SourceError::Time { line: number, found: time.to_owned() })?;
        list.push(Incident::new(at, subject.kind(), message.trim()));
    }
    Ok(list)
}

/// Reads machine checks in lines of `dmesg`: `[   12.345678] mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400`. One check prints several lines; that which names the bank is the incident, and that which says that events were logged. Where a kernel prints both, [`Incidents::merged`](crate::Incidents::merged) makes them one.
///
/// `boot`: when the machine was started, since 1970, from which the kernel counts.
///
/// # Errors
/// [`SourceError::Time`] when such a line has no time, or one that lies past the year 2554.
pub fn machine_checks(text: &str, boot: Instant) -> Result<Found<Vec<Incident>>, SourceError> {
    let (mut list, mut hypervisor) = (Vec::new(), None);
    for (line, number) in text.lines().zip(1..) {
        if let Some((_, name)) = line.split_once("Hypervisor detected: ") {
            hypervisor = Some(name.trim());
        }
        let Some((time, message)) = line.split_once("mce: [Hardware Error]: ") else { continue };
        if !["Machine Check", "Machine check events logged"]
            .iter()
            .any(|part| message.contains(part))
        {
            continue;
        }
        let time = time.trim().trim_start_matches('[').trim_end_matches(']').trim();
        let at = at::seconds(time)
            .and_then(|since| boot.checked_add(Span::from_nanos(since.as_nanos())))
            .ok_or_else(|| SourceError::Time { line: number, found: time.to_owned() })?;
        list.push(Incident::new(at, Kind::Error, message.trim()));
    }
    match hypervisor {
        Some(name) if list.is_empty() => {
            let why = format!("the hypervisor {name} handles machine checks of the real machine");
            Ok(Found::NoneHere { why })
        }
        _ => Ok(Found::Here(list)),
    }
}

/// Why a source cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// A message without a time.
    Time {
        /// Its line, from 1.
        line: usize,
        /// The text there.
        found: String,
    },
    /// A line that is no entry of a journal.
    Entry {
        /// Its line, from 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// An entry without a field, or with one that is no number.
    Field {
        /// Its line, from 1.
        line: usize,
        /// The field.
        field: &'static str,
        /// The text there.
        found: String,
    },
    /// An entry of the running start that is later than now.
    Future {
        /// Its line, from 1.
        line: usize,
        /// After the kernel's start.
        since: Span,
        /// For how long the system has run.
        now: Span,
    },
    /// A counter that is no number.
    Count {
        /// The file.
        path: String,
        /// The text there.
        found: String,
    },
    /// A controller without one of its counters.
    Missing {
        /// The file.
        path: String,
    },
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Time { line, found } => write!(
                f,
                "line {line}: `{found}` is no time; allowed: seconds as `1700000000.25` (journalctl -o short-unix), or `[   12.345678]` (dmesg)"
            ),
            SourceError::Entry { line, why } => write!(
                f,
                "line {line} is no entry of a journal ({why}); allowed: lines of `journalctl -o json`"
            ),
            SourceError::Field { line, field, found } => write!(
                f,
                "line {line}: `{found}` in the field {field}; allowed: what `journalctl -o json` writes (microseconds, or the number of a start)"
            ),
            SourceError::Future { line, since, now } => write!(
                f,
                "line {line}: an entry {since} after the start of a system that has run for {now}; read the time after the journal, or give the running start of the same machine"
            ),
            SourceError::Count { path, found } => {
                write!(f, "{path}: `{found}` is no count; allowed: 0 to 18446744073709551615")
            }
            SourceError::Missing { path } => {
                write!(f, "{path} is missing; a controller has both ce_count and ue_count")
            }
        }
    }
}

impl core::error::Error for SourceError {}
