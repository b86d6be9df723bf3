//! What a run has changed on the machine is given back, whatever ends it. Here: what a run has left that is gone, and so is its
//! guardian, is given back from the restore log.
//!
//! `log.rs` is what threads were before they were touched, `guardian.rs` the process that outlives a run, `claim.rs` what is moved off
//! claimed processors, `throttle.rs` what is left to the rest of the system, `state.rs` the machine's lock.

pub(crate) mod claim;
pub(crate) mod guardian;
pub(crate) mod log;
pub(crate) mod state;
pub(crate) mod throttle;

use log::RestoreLog;
use std::fmt;
use std::fs::File;
use std::time::{Duration, Instant};
use windfall_os::LinuxError;

/// What was found and given back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restored {
    /// The process of the run.
    pub supervisor: i32,
    /// How many threads were noted as changed.
    pub threads: usize,
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Restored { supervisor, threads } = self;
        write!(
            f,
            "process {supervisor} had supervised this machine and was gone, with its guardian: what it had changed was given \
             back ({threads} threads, control groups, settings of the kernel)"
        )
    }
}

/// Gives back what a run has left that is gone; `None` when there is nothing to give back.
///
/// # Errors
/// When a run is under way, a right is missing, or something could not be given back.
pub fn restore() -> Result<Option<Restored>, LinuxError> {
    alone().map(|(_, restored)| restored)
}

/// The machine's lock, and what was given back before it was taken over.
pub(crate) fn alone() -> Result<(File, Option<Restored>), LinuxError> {
    let alone = match state::supervise_alone() {
        Ok(alone) => return Ok((alone, after_a_run_that_is_gone()?)),
        Err(fault) if fault.is_busy() => fault,
        Err(fault) => return Err(fault),
    };
    // Threads of a run that was killed cannot end, and let go of the lock, while others that it has left have their processors.
    match RestoreLog::left()? {
        Some(log) if log.is_orphaned() => {
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

/// So long may threads of a run that was killed take to end, once they can.
const PATIENCE: Duration = Duration::from_secs(2);

/// The same, for who has the machine's lock.
fn after_a_run_that_is_gone() -> Result<Option<Restored>, LinuxError> {
    let Some(log) = RestoreLog::left()? else { return Ok(None) };
    let restored = give_back(&log)?;
    log.close();
    Ok(Some(restored))
}

fn give_back(log: &RestoreLog) -> Result<Restored, LinuxError> {
    let found = Restored { supervisor: log.supervisor(), threads: log.noted() };
    let trouble = log.restore_after();
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
