//! A run from its first thread to its outcome.

use crate::account::outcome;
use crate::restore;
use crate::restore::claim::Keeper;
use crate::restore::guardian::Guardian;
use crate::restore::log::{Expected, RestoreLog};
use crate::supervise::event_loop::{self, Ending};
use crate::supervise::locked::Locked;
use crate::supervise::prepare::{Prepared, trouble};
use crate::supervise::processors;
use crate::supervise::rivals;
use crate::supervise::settings::Settings;
use crate::supervise::stations;
use crate::supervise::trace_reader;
use crate::threads::adopt;
use crate::threads::begin;
use crate::threads::child::{self, Children};
use crate::threads::starts;
use std::collections::BTreeSet;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread::{JoinHandle, Scope};
use windfall_observe::rings::Rings;
use windfall_os::LinuxError;
use windfall_os::events::EventFd;
use windfall_os::freezer;
use windfall_os::process::{self, Ended, StopSignals};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{CommandPromise, Plan};
use windfall_time::{Instant, Span};
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
    running.finish(guardian, sink)
}

/// A run whose clock has started.
pub(super) struct Running<'j> {
    pub(super) restore_log: &'j Arc<RestoreLog>,
    pub(super) end: Instant,
    pub(super) signals: StopSignals,
    pub(super) keeper: Keeper,
    pub(super) expected: Expected<'j>,
    pub(super) host: Arc<Locked>,
    /// Our threads, except the /proc worker.
    pub(super) threads: Vec<JoinHandle<()>>,
    pub(super) worker: JoinHandle<()>,
    /// Signalled when the run is over.
    pub(super) over: Arc<EventFd>,
}

impl Running<'_> {
    /// Runs the event loop to the end of the run, and undoes the run's changes. Returns the outcome, and what could not be undone.
    fn finish<'scope, 'env>(
        self,
        guardian: &mut Guardian,
        sink: Option<(&'scope Scope<'scope, 'env>, &'env mut (dyn Sink + Send))>,
    ) -> Result<(Outcome, Vec<String>), LinuxError> {
        let Running { restore_log, end, signals, keeper, expected, host, threads, worker, over } =
            self;
        let (under_way, ended) = mpsc::channel();
        if let Some((scope, sink)) = sink {
            let host = host.clone();
            scope.spawn(move || trace_reader::take(&host, &ended, sink));
        }
        let ending = event_loop::run(&host, end, &signals, guardian).map_err(|e| trouble(&e));
        // Signals are held meanwhile. A second one means that the user does not want to wait for programs.
        let mut outcome = host.enter(outcome::outcome);
        over.signal();
        drop(under_way);
        restore_log.expect_beats(false); // undoing may take longer than the guardian waits
        event_loop::end(&host);
        let (offspring, mut children) = host.enter(|s| {
            (adopt::offspring(s), std::mem::take(&mut s.host.machine.external.programs.children))
        });
        let bad = child::ended_badly(&mut children);
        let bad = host.enter(|s| {
            let said = |(entry, how): &(usize, Ended)| {
                format!("`{}` {how}", s.host.threads.list[*entry].outcome.name)
            };
            // A terminal sends its signal to programs, too.
            let own = |(_, how): &&(usize, Ended)| {
                matches!((&ending, how), (Ok(Ending::Signal(_)), Ended::Signal(_)))
            };
            bad.iter().filter(|one| !own(one)).map(said).collect::<Vec<_>>()
        });
        let _ = worker.join(); // no thread is taken or frozen after this
        drop(keeper); // no thread is moved off after this
        // From here on no thread is in another's way. This thread keeps its priority until the others have ended.
        let mut left = restore_log.restore_others();
        left.extend(freezer::thaw_all(restore_log.supervisor(), &|| restore_log.beat()));
        for thread in threads.into_iter().chain(host.made()) {
            restore_log.beat();
            let _ = thread.join();
        }
        host.enter(|s| outcome::add_stretches(s, &mut outcome));
        let now = Instant::ZERO + outcome.length;
        let heard = matches!(ending, Ok(Ending::Signal(_)));
        let ended = child::dismiss(children, offspring, (&signals, heard), &|| restore_log.beat());
        drop(expected);
        let ending = ending?;
        if let Some(supervision) = &mut outcome.supervision {
            let has_failed = outcome.failure.is_some() || supervision.cut_short.is_some();
            let early = early(ending, outcome.length, end).filter(|_| !has_failed);
            let said = bad.into_iter().chain(early).chain(ended);
            supervision.remarks.extend(said.map(|said| (now, said)));
        }
        Ok((outcome, left))
    }
}

/// Why a run ended before its time, if it did and the outcome does not name a failure.
fn early(ending: Ending, length: Span, end: Instant) -> Option<String> {
    let whole = end.saturating_since(Instant::ZERO);
    let length = Span::from_nanos(length.as_nanos() / 1_000_000 * 1_000_000);
    match ending {
        Ending::Length => None,
        Ending::Programs if whole == CommandPromise::AT_MOST => None, // a command's run ends with it
        Ending::Signal(signal) => Some(format!("{signal} ended the run after {length} of {whole}")),
        Ending::Request => Some(format!("a request ended the run after {length} of {whole}")),
        Ending::Programs => Some(format!("all programs of the run had ended after {length}")),
    }
}
