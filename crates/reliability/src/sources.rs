//! What a Linux machine says of its incidents: the journal, machine checks, and counters of memory controllers (EDAC).
//!
//! Each reader takes the text; who runs `journalctl` or reads `/sys` is another crate's work. A virtual machine often has no machine checks and no memory controller: then the answer is
//! [`Found::NoneHere`] with the reason, since nothing found where nothing can be found is no evidence.

use crate::{Incident, Kind, at};
use core::fmt;
use windfall_time::{Instant, Span};

/// What was found.
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
}

impl<T> fmt::Display for Found<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Here(_) => write!(f, "here"),
            Found::NoneHere { why } => write!(f, "none here: {why}"),
        }
    }
}

/// What a kernel message has in it, all of these, and what that is. The first that fits counts.
pub const MESSAGES: [(&[&str], Kind); 10] = [
    (&["Kernel panic - not syncing"], Kind::Failure),
    (&["Out of memory: Killed process"], Kind::Error),
    (&["Memory cgroup out of memory: Killed process"], Kind::Error),
    (&["Oops: "], Kind::Error),
    (&["watchdog: BUG: soft lockup"], Kind::Error),
    (&["INFO: task ", "blocked for more than"], Kind::Error),
    (&["[Hardware Error]", "Machine Check"], Kind::Error),
    (&["[Hardware Error]", "Machine check events logged"], Kind::Error),
    (&["EDAC MC", " CE "], Kind::Error),
    (&["EDAC MC", " UE "], Kind::Error),
];

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
        let fits = |parts: &[&str]| parts.iter().all(|part| message.contains(part));
        let Some((_, kind)) = MESSAGES.iter().find(|(parts, _)| fits(parts)) else { continue };
        let time = head.split_whitespace().next().unwrap_or_default();
        let at = at::seconds(time)
            .ok_or_else(|| SourceError::Time { line: number, found: time.to_owned() })?;
        list.push(Incident::new(at, *kind, message.trim()));
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

/// What a memory controller has counted since it was started.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Controller {
    /// Its name, as `mc0`.
    pub name: String,
    /// Errors that it corrected.
    pub corrected: u64,
    /// Errors that it could not correct.
    pub uncorrected: u64,
}

/// Reads counters of memory controllers: pairs of a path below `/sys/devices/system/edac/mc`, as `mc0/ce_count`, and the file's text. Other files are passed over. The counters have no times: give their number and the time since boot to [`Exponential::of_count`](crate::Exponential::of_count).
///
/// # Errors
/// When a counter is no number, or a controller has only one of `ce_count` and `ue_count`.
pub fn edac<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Found<Vec<Controller>>, SourceError> {
    type Counts = (Option<u64>, Option<u64>);
    let mut known: Vec<(&str, Counts)> = Vec::new();
    for (path, text) in files {
        let Some((name, file)) = path.split_once('/') else { continue };
        if !matches!(file, "ce_count" | "ue_count") {
            continue;
        }
        let count = text.trim().parse().map_err(|_| SourceError::Count {
            path: path.to_owned(),
            found: text.trim().to_owned(),
        })?;
        let place = known.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            known.push((name, (None, None)));
            known.len() - 1
        });
        let counts = &mut known[place].1;
        if file == "ce_count" {
            counts.0 = Some(count);
        } else {
            counts.1 = Some(count);
        }
    }
    if known.is_empty() {
        let why = "no memory controller reports errors: there is no `mc0/ce_count`, as on a virtual machine or without ECC memory";
        return Ok(Found::NoneHere { why: why.to_owned() });
    }
    let whole = known.into_iter().map(|(name, counts)| match counts {
        (Some(corrected), Some(uncorrected)) => {
            Ok(Controller { name: name.to_owned(), corrected, uncorrected })
        }
        (None, _) => Err(SourceError::Missing { path: format!("{name}/ce_count") }),
        (_, None) => Err(SourceError::Missing { path: format!("{name}/ue_count") }),
    });
    whole.collect::<Result<_, _>>().map(Found::Here)
}

/// Why a source cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// A message without a time.
    Time {
        /// Its line, from 1.
        line: usize,
        /// What is there.
        found: String,
    },
    /// A counter that is no number.
    Count {
        /// The file.
        path: String,
        /// What is there.
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
