//! Undoes a run's changes of the machine, however the run ends. This file restores from the restore log after both a run and its
//! guardian have died.
//!
//! `log.rs` records what threads were before a change, `guardian.rs` is the process that outlives a run, `claim.rs` moves others off
//! claimed processors, `throttle.rs` sets the kernel's limit for real-time threads, `state.rs` is the machine's lock.

pub(crate) mod claim;
pub(crate) mod guardian;
pub(crate) mod log;
pub(crate) mod state;
pub(crate) mod throttle;

use log::RestoreLog;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::time::{Duration, Instant};
use windfall_observe::procfs;
use windfall_os::{LinuxError, LinuxErrorKind};
use windfall_trace::escape::escaped;

/// The run that was found dead and whose changes were undone.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Restored {
    /// The process of the run.
    pub supervisor: i32,
    /// Number of threads in its restore log.
    pub threads: usize,
    /// The programs that it supervised and that go on, in words; empty if there are none.
    pub go_on: String,
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Restored { supervisor, threads, go_on } = self;
        write!(
            f,
            "the run of process {supervisor} had died together with its guardian: what it had changed was given \
             back ({threads} threads, control groups, settings of the kernel){go_on}"
        )
    }
}

/// Undoes the changes of a run that has died; `None` if there is nothing to undo.
///
/// # Errors
/// When a run is under way, a right is missing, or a change could not be undone.
pub fn restore() -> Result<Option<Restored>, LinuxError> {
    alone().map(|(_, restored)| restored)
}

/// Takes the machine's lock. If a run has died, first undoes its changes.
pub(crate) fn alone() -> Result<(File, Option<Restored>), LinuxError> {
    let alone = match state::supervise_alone() {
        Ok(alone) => return Ok((alone, after_a_run_that_is_gone()?)),
        Err(fault) if fault.kind() == LinuxErrorKind::Busy => fault,
        Err(fault) => return Err(fault),
    };
    // Threads of a killed run cannot end and drop the lock while other threads that the run left real-time keep their processors.
    // A log that cannot be read is of a run of another version, which is under way as well.
    match RestoreLog::left() {
        Ok(Some(log)) if log.is_orphaned() => {
            let restored = give_back(&log)?;
            let begun = Instant::now();
            loop {
                match state::supervise_alone() {
                    Ok(alone) => {
                        log.close();
                        return Ok((alone, Some(restored)));
                    }
                    Err(fault) if begun.elapsed() > PATIENCE => return Err(fault),
                    Err(_) => std::thread::sleep(Duration::from_millis(5)),
                }
            }
        }
        _ => Err(alone),
    }
}

/// How long threads of a killed run may take to end, once they can.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does the same as `restore` for a caller that holds the machine's lock.
fn after_a_run_that_is_gone() -> Result<Option<Restored>, LinuxError> {
    let Some(log) = RestoreLog::left()? else { return Ok(None) };
    let restored = give_back(&log)?;
    log.close();
    Ok(Some(restored))
}

/// Which of these processes go on, as the end of a sentence: only their owner can say whether they may be killed.
fn go_on(processes: &BTreeSet<i32>) -> String {
    const SHOWN: usize = 8;
    let lives = |pid: &i32| procfs::stat(*pid).filter(|stat| !stat.has_ended());
    let named =
        processes.iter().filter_map(|pid| Some(format!("{pid} {}", escaped(&lives(pid)?.comm))));
    let all: Vec<String> = named.collect();
    let shown = all[..all.len().min(SHOWN)].join(", ");
    match all.len() {
        0 => String::new(),
        1..=SHOWN => format!("; what it supervised goes on: {shown}"),
        many => format!("; what it supervised goes on: {shown} and {} more", many - SHOWN),
    }
}

fn give_back(log: &RestoreLog) -> Result<Restored, LinuxError> {
    let threads = log.noted();
    let (trouble, programs) = log.restore_after();
    let found = Restored { supervisor: log.supervisor(), threads, go_on: go_on(&programs) };
    match trouble.first() {
        None => Ok(found),
        Some(first) => Err(LinuxError::new(
            format!(
                "not everything that process {} had changed could be given back",
                found.supervisor
            ),
            first.clone(),
            format!(
                "{} in all; look at them with `ps -eLo tid,cls,rtprio,comm`, then `windfall restore`",
                trouble.len()
            ),
        )),
    }
}
