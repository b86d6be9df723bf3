//! A run from its first thread to its outcome, by phases (`prepare.rs`, `start.rs`, `finish.rs`).

use crate::restore;
use crate::restore::guardian::Guardian;
use crate::restore::log::RestoreLog;
use crate::supervise::prepare::Prepared;
use crate::supervise::processors;
use crate::supervise::rivals;
use crate::supervise::settings::Settings;
use crate::supervise::stations;
use crate::threads::begin;
use crate::threads::child::Children;
use crate::threads::starts;
use std::collections::BTreeSet;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::Scope;
use windfall_observe::rings::Rings;
use windfall_os::LinuxError;
use windfall_os::process;
use windfall_scenario::Plan;
use windfall_scenario::outcome::Outcome;
use windfall_time::Instant;
use windfall_trace::Sink;

/// Carries out a plan on this machine's processors. A separate thread passes the run's records on to `sink`; those that came too
/// fast for it are reported as [`Event::Lost`](windfall_trace::Event::Lost).
///
/// # Errors
/// When the machine lacks something, or a right is missing. Then nothing was changed, or every change was undone.
pub fn run(
    plan: Plan,
    settings: &Settings,
    sink: Option<&mut (dyn Sink + Send)>,
) -> Result<Outcome, LinuxError> {
    stations::refuse(&plan)?;
    let cpus = processors::choose(&settings.cpus, &plan)?;
    begin::refuse_absent(&plan)?;
    let makers = starts::makers(&plan);
    let children = Children::fork(&plan)?;
    let (alone, found) = restore::alone()?;
    rivals::refuse(&plan, &cpus)?;
    // What changes nothing and may take seconds on a busy machine comes before the guardian, which would wait for a heartbeat: the files of
    // this process are loaded, and the kernel's types and symbols are read.
    let _ = process::lock_memory();
    let all = processors::online()?;
    let rings = Rings::open(&cpus, &all)?;
    let restore_log = Arc::new(RestoreLog::create()?);
    let mut guardian =
        Guardian::post(&restore_log, alone.as_raw_fd()).inspect_err(|_| restore_log.close())?;
    let outcome = std::thread::scope(|scope| {
        let to = sink.map(|sink| (scope, sink));
        let held = (&cpus[..], all, rings);
        supervised(plan, held, (&restore_log, &mut guardian), (children, makers), settings, to)
    });
    let late = restore_log.restore();
    guardian.dismiss();
    drop(alone);
    let (mut outcome, mut trouble) = outcome?;
    if let (Some(supervision), Some(found)) = (&mut outcome.supervision, found) {
        supervision.remarks.insert(0, (Instant::ZERO, found.to_string()));
    }
    trouble.extend(late);
    match trouble.first() {
        None => Ok(outcome),
        Some(first) => Err(LinuxError::new(
            "not everything could be given back",
            first.clone(),
            format!("{} in all; look at them with `ps -eLo tid,cls,rtprio,comm`", trouble.len()),
        )),
    }
}

/// Carries the plan out on processors that no other run uses.
fn supervised<'scope, 'env>(
    plan: Plan,
    (cpus, all, rings): (&[u16], Vec<u16>, Rings),
    (restore_log, guardian): (&Arc<RestoreLog>, &mut Guardian),
    (children, makers): (Children, Option<BTreeSet<PathBuf>>),
    settings: &Settings,
    sink: Option<(&'scope Scope<'scope, 'env>, &'env mut (dyn Sink + Send))>,
) -> Result<(Outcome, Vec<String>), LinuxError> {
    let length = (Instant::ZERO + plan.length, settings);
    let held = (cpus, all, rings);
    let made = (children, makers.as_ref());
    let prepared = Prepared::new(restore_log, held, length, made, sink.is_some())?;
    let claimed = prepared.claim(&plan.machine, guardian)?;
    let running = claimed.start(plan, settings, guardian.pid())?;
    // From here on nothing can fail before the end of the run, which this thread waits for.
    running.run_to_end(guardian, sink).stand_still().give_back()
}
