//! The end of a run, by phases: each is a value that the next one consumes, so what must not happen any more cannot be written.

use crate::account::outcome;
use crate::restore::claim::Keeper;
use crate::restore::guardian::Guardian;
use crate::restore::log::{Expected, RestoreLog};
use crate::supervise::event_loop::{self, Ending};
use crate::supervise::locked::Locked;
use crate::supervise::prepare::trouble;
use crate::supervise::trace_reader;
use crate::threads::adopt;
use crate::threads::child::{self, Child};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, mpsc};
use std::thread::{JoinHandle, Scope};
use windfall_os::LinuxError;
use windfall_os::events::EventFd;
use windfall_os::freezer;
use windfall_os::process::{Ended, StopSignals};
use windfall_scenario::CommandPromise;
use windfall_scenario::outcome::Outcome;
use windfall_time::{Instant, Span};
use windfall_trace::Sink;

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

/// A run that is over: nothing is decided any more, and all that the run changed stands as it was.
pub(super) struct Over<'j> {
    restore_log: &'j Arc<RestoreLog>,
    end: Instant,
    signals: StopSignals,
    keeper: Keeper,
    expected: Expected<'j>,
    host: Arc<Locked>,
    threads: Vec<JoinHandle<()>>,
    worker: JoinHandle<()>,
    outcome: Outcome,
    ending: Result<Ending, LinuxError>,
}

/// A run that is over, without whoever takes threads in, freezes them or moves them.
pub(super) struct Still<'j> {
    restore_log: &'j Arc<RestoreLog>,
    end: Instant,
    signals: StopSignals,
    expected: Expected<'j>,
    host: Arc<Locked>,
    threads: Vec<JoinHandle<()>>,
    /// The run's programs by entry, and the processes that these have made.
    programs: (BTreeMap<usize, Child>, BTreeSet<i32>),
    outcome: Outcome,
    ending: Result<Ending, LinuxError>,
    /// Remarks on programs that ended badly by themselves.
    bad: Vec<String>,
}

impl<'j> Running<'j> {
    /// Runs the event loop to the end of the run.
    pub(super) fn run_to_end<'scope, 'env>(
        self,
        guardian: &mut Guardian,
        sink: Option<(&'scope Scope<'scope, 'env>, &'env mut (dyn Sink + Send))>,
    ) -> Over<'j> {
        let Running { restore_log, end, signals, keeper, expected, host, threads, worker, over } =
            self;
        let (under_way, ended) = mpsc::channel();
        if let Some((scope, sink)) = sink {
            let host = host.clone();
            scope.spawn(move || trace_reader::take(&host, &ended, sink));
        }
        let ending = event_loop::run(&host, end, &signals, guardian).map_err(|e| trouble(&e));
        // Signals are held meanwhile. A second one means that the user does not want to wait for programs.
        let outcome = host.enter(outcome::outcome);
        over.signal();
        drop(under_way);
        restore_log.expect_beats(false); // undoing may take longer than the guardian waits
        event_loop::end(&host);
        Over { restore_log, end, signals, keeper, expected, host, threads, worker, outcome, ending }
    }
}

impl<'j> Over<'j> {
    /// Waits until no thread is taken, frozen or moved off a processor any more.
    pub(super) fn stand_still(self) -> Still<'j> {
        let Over {
            restore_log,
            end,
            signals,
            keeper,
            expected,
            host,
            threads,
            worker,
            outcome,
            ending,
        } = self;
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
            bad.iter().filter(|one| !own(one)).map(said).collect()
        });
        let _ = worker.join(); // it takes threads in, and freezes them
        drop(keeper); // it moves them
        let programs = (children, offspring);
        Still { restore_log, end, signals, expected, host, threads, programs, outcome, ending, bad }
    }
}

impl Still<'_> {
    /// Undoes the run's changes. No thread is in another's way; this one keeps its priority until the others have ended. Returns the outcome, and a
    /// sentence for each thing that could not be undone.
    ///
    /// # Errors
    /// The one that ended the event loop.
    pub(super) fn give_back(self) -> Result<(Outcome, Vec<String>), LinuxError> {
        let (restore_log, host, mut outcome) = (self.restore_log, self.host, self.outcome);
        let mut left = restore_log.restore_others();
        left.extend(freezer::thaw_all(restore_log.supervisor(), &|| restore_log.beat()));
        for thread in self.threads.into_iter().chain(host.made()) {
            restore_log.beat();
            let _ = thread.join();
        }
        host.enter(|s| outcome::add_stretches(s, &mut outcome));
        let now = Instant::ZERO + outcome.length;
        let heard = matches!(self.ending, Ok(Ending::Signal(_)));
        let (children, offspring) = self.programs;
        let ended =
            child::dismiss(children, offspring, (&self.signals, heard), &|| restore_log.beat());
        drop(self.expected);
        let ending = self.ending?;
        if let Some(supervision) = &mut outcome.supervision {
            let has_failed = outcome.failure.is_some() || supervision.cut_short.is_some();
            let early = early(ending, outcome.length, self.end).filter(|_| !has_failed);
            let said = self.bad.into_iter().chain(early).chain(ended);
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
