//! Prepares a run before its clock starts: first every step that can fail, then the changes of the machine.
//!
//! Each phase is a value that the next one consumes, so that none is left out or done twice: [`Prepared`] has changed nothing;
//! [`Claimed`] has the processors and starts the run.

use crate::control::{Server, usual_socket};
use crate::restore::claim::{self, Keeper};
use crate::restore::guardian::Guardian;
use crate::restore::log::{Expected, RestoreLog};
use crate::restore::throttle;
use crate::supervise::records::Trace;
use crate::supervise::settings::Settings;
use crate::threads::child::Children;
use std::collections::BTreeSet;
use std::io::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs;
use windfall_observe::rings::Rings;
use windfall_os::LinuxError;
use windfall_os::process::{self, StopSignals};
use windfall_os::sched::{Affinity, Attributes, own_tid};
use windfall_scenario::model::Machine;
use windfall_scenario::outcome;
use windfall_time::Instant;

pub(super) fn trouble(error: &Error) -> LinuxError {
    LinuxError::of("cannot set up the supervision", error, "report it")
}

/// Everything that a run needs is open. Nothing of the machine has been changed.
pub(super) struct Prepared<'j> {
    pub(super) restore_log: &'j Arc<RestoreLog>,
    /// The supervised processors, and all that this process may use.
    pub(super) cpus: &'j [u16],
    pub(super) all: Vec<u16>,
    /// Forked already, since from here on the run has threads.
    pub(super) children: Children,
    pub(super) end: Instant,
    pub(super) signals: StopSignals,
    pub(super) server: Option<Server>,
    pub(super) rings: Rings,
    pub(super) trace: Trace,
    /// Why the run cannot be controlled, and why start routines of threads cannot be seen.
    pub(super) silent: (Option<LinuxError>, Option<String>),
}

impl<'j> Prepared<'j> {
    pub(super) fn new(
        restore_log: &'j Arc<RestoreLog>,
        (cpus, all, mut rings): (&'j [u16], Vec<u16>, Rings),
        (end, settings): (Instant, &Settings),
        (children, makers): (Children, Option<&BTreeSet<PathBuf>>),
        traced: bool,
    ) -> Result<Prepared<'j>, LinuxError> {
        let signals = StopSignals::hold().map_err(|e| trouble(&e))?;
        let (server, uncontrolled) = listen(settings, end)?;
        let no_starts = makers.and_then(|makers| rings.report_starts(makers).err());
        let no_starts = no_starts.map(|why| why.to_string());
        let traced = traced || server.is_some();
        let trace = if traced { Trace::kept(cpus.len()) } else { Trace::default() };
        // Page faults in memory that is not locked would delay decisions. All was loaded and locked before the guardian was forked, but
        // what both share since then is copied where it is written.
        let _ = process::lock_memory();
        restore_log.beat();
        let silent = (uncontrolled, no_starts);
        Ok(Prepared {
            restore_log,
            cpus,
            all,
            children,
            end,
            signals,
            server,
            rings,
            trace,
            silent,
        })
    }

    /// Takes the processors: moves others off, and makes this thread, the event loop, real-time. The guardian is there before.
    pub(super) fn claim(self, machine: &Machine, _: &Guardian) -> Result<Claimed<'j>, LinuxError> {
        let Prepared { restore_log, cpus, .. } = self;
        // The restore log must have this thread before it becomes real-time.
        let tid = own_tid();
        let own = procfs::stat(tid).ok_or_else(|| {
            LinuxError::new("cannot read /proc", "this thread is not there", "mount /proc")
        })?;
        restore_log.note(tid, std::process::id().cast_signed(), &own)?;
        let wanted = claim::choose(machine, cpus, &self.all);
        let remark = claim::shared(machine.claim, cpus, &wanted);
        let (mut found, kept) = claim::claim(restore_log.claim(), &wanted);
        found.remark = remark;
        restore_log.beat();
        let keeper = Keeper::start(restore_log.clone(), kept).map_err(|e| trouble(&e))?;
        restore_log.table().events_cpu.store(cpus[0].into(), Ordering::Relaxed);
        restore_log.table().events_tid.store(tid, Ordering::Relaxed);
        let expected = restore_log.expect_beats_while_it_lives();
        Attributes::fifo(fifo_priorities::EVENTS).give(0).map_err(|e| {
            LinuxError::of(
                "cannot become real-time",
                &e,
                "on kernels with RT_GROUP_SCHED, leave the cgroup",
            )
        })?;
        let (runtime, period) = throttle::of(&machine.cap);
        restore_log.throttle(runtime, period)?;
        Affinity::one(cpus[0]).give(0).map_err(|e| trouble(&e))?;
        Ok(Claimed { prepared: self, found, keeper, expected })
    }
}

/// The run has its processors, and its clock has not started.
pub(super) struct Claimed<'j> {
    pub(super) prepared: Prepared<'j>,
    /// Survey of the processors, for the outcome.
    pub(super) found: outcome::Claimed,
    /// Keeps other threads off the processors.
    pub(super) keeper: Keeper,
    /// The guardian expects heartbeats as long as this value lives.
    pub(super) expected: Expected<'j>,
}

/// Opens the control socket. If the usual path was to be used and cannot be, returns the error beside `None`: the run goes on without.
fn listen(
    settings: &Settings,
    end: Instant,
) -> Result<(Option<Server>, Option<LinuxError>), LinuxError> {
    if settings.scenario.is_none() {
        return Ok((None, None));
    }
    let usual = usual_socket();
    let path = settings.socket.as_ref().unwrap_or(&usual);
    match Server::open(path, &settings.name, end) {
        Ok(server) => Ok((Some(server), None)),
        Err(error) if settings.socket.is_some() => Err(error),
        Err(error) => Ok((None, Some(error))),
    }
}
