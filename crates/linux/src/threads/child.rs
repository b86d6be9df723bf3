//! Commands that a run starts: each is forked early, before any thread of ours could delay it, and waits at a gate.
//!
//! Starting one only opens its gate, so no decision waits for a fork or for loading a program, and the process is supervised from its
//! first instruction on. If the run dies before that, the gate is closed, and the process ends.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;
use windfall_observe::procfs::with_descendants;
use windfall_os::LinuxError;
use windfall_os::process::{self, Ended, StopSignal, StopSignals};
use windfall_scenario::model::ExternalProgram;
use windfall_scenario::{Plan, PlannedProgram};

/// A process that becomes, or has become, a program.
pub(crate) struct Child {
    pid: i32,
    /// Its gate, by which it also reports why its program could not be started; `None` when that is known.
    gate: Option<UnixStream>,
    begun: bool,
    ended: Option<Ended>,
}

/// The commands of a plan, each a process that waits at its gate, by number of its entry. They were forked before the run made a thread, whose locks
/// a fork would copy as they are at the moment: every phase that makes threads begins with this value.
pub(crate) struct Children(BTreeMap<usize, Child>);

impl Children {
    /// Forks a child for each command of a plan. From here on, processes whose makers end become our children, until `dismiss`.
    pub(crate) fn fork(plan: &Plan) -> Result<Children, LinuxError> {
        let mut children = BTreeMap::new();
        for (number, thread) in plan.threads.iter().enumerate() {
            if let PlannedProgram::External { external, .. } = &thread.program
                && let ExternalProgram::Exec { command, env } = &external.program
            {
                let child = Child::fork(command, env).map_err(|e| {
                    let what = format!("cannot fork a process for `{}`", thread.name);
                    LinuxError::of(what, &e, "raise the limit of processes")
                })?;
                children.insert(number, child);
                process::adopt_orphans(true);
            }
        }
        Ok(Children(children))
    }

    /// The processes, for a run whose threads are being made.
    pub(crate) fn into_map(self) -> BTreeMap<usize, Child> {
        self.0
    }
}

impl Child {
    fn fork(words: &[String], env: &BTreeMap<String, String>) -> io::Result<Child> {
        let (gate, theirs) = UnixStream::pair()?;
        gate.set_nonblocking(true)?;
        let mut gate = Some(gate);
        let pid = process::fork(|| {
            drop(gate.take()); // its own copy would keep the gate from being closed
            // So would copies in children that are forked at the same time.
            process::close_what_ends_at_exec(theirs.as_raw_fd());
            become_program(words, env, theirs);
        })?;
        Ok(Child { pid, gate, begun: false, ended: None })
    }

    pub(crate) const fn pid(&self) -> i32 {
        self.pid
    }

    /// Opens its gate.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
        if let Some(gate) = &mut self.gate {
            let _ = gate.write_all(&[1]); // or it has ended
        }
    }

    /// Why its program could not be started; returned once.
    pub(crate) fn failure(&mut self) -> Option<io::Error> {
        let mut word = [0; 4];
        match self.gate.as_mut().filter(|_| self.begun)?.read(&mut word) {
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => None,
            told => {
                self.gate = None; // closed by the kernel when the program has begun
                let failed = matches!(told, Ok(4));
                failed.then(|| io::Error::from_raw_os_error(i32::from_ne_bytes(word)))
            }
        }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.ended = self.ended.or_else(|| process::reap_if_ended(self.pid));
        self.ended.is_some()
    }

    /// Whether its number is still its own.
    pub(crate) const fn is_not_reaped(&self) -> bool {
        self.ended.is_none()
    }

    /// How it ended, if not well.
    fn ended_badly(&self) -> Option<Ended> {
        self.ended.filter(|ended| !matches!(ended, Ended::Status(0) | Ended::Unknown))
    }
}

/// Body of a child until it executes its program.
fn become_program(words: &[String], env: &BTreeMap<String, String>, mut gate: UnixStream) {
    let [program, arguments @ ..] = words else { return };
    // So that it can be found by its program's name already.
    process::name_thread(program.rsplit('/').next().unwrap_or(program));
    if gate.read_exact(&mut [0]).is_err() {
        return; // the run is gone
    }
    let mut command = Command::new(program);
    process::let_signals_through(command.args(arguments).envs(env).stdin(Stdio::null()));
    let error = command.exec();
    let _ = gate.write_all(&error.raw_os_error().unwrap_or(libc::ENOENT).to_ne_bytes());
}

/// The commands that ended before the run did, and not well: the number of each one's entry, and how.
pub(crate) fn ended_badly(children: &mut BTreeMap<usize, Child>) -> Vec<(usize, Ended)> {
    let begun = children.iter_mut().filter(|(_, child)| child.begun);
    let ended = begun.filter_map(|(entry, child)| child.has_ended().then_some((*entry, child)));
    ended.filter_map(|(entry, child)| Some((entry, child.ended_badly()?))).collect()
}

/// Ends the commands that we have started: by a signal first, by force after a second; then what is left of `offspring` and
/// their descendants. A request to stop after the first (`heard` says whether that one has come), but for a closed terminal, means by force at once. Returns a remark on processes that were ended besides the commands.
pub(crate) fn dismiss(
    children: BTreeMap<usize, Child>,
    mut offspring: BTreeSet<i32>,
    (signals, heard): (&StopSignals, bool),
    lives: &dyn Fn(),
) -> Option<String> {
    let mut children: Vec<Child> = children.into_values().collect();
    let live: Vec<i32> =
        children.iter().filter(|child| child.ended.is_none()).map(|child| child.pid).collect();
    offspring.extend(with_descendants(&live));
    for child in &mut children {
        if !child.begun {
            child.gate = None;
        } else if !child.has_ended() {
            process::terminate(child.pid);
        }
    }
    let mut patience = Patience { signals, lives, heard, is_over: false };
    patience.wait(|| children.iter_mut().all(Child::has_ended));
    for child in children.iter_mut().filter(|child| child.ended.is_none()) {
        process::kill(child.pid);
        process::reap(child.pid);
    }
    // An orphan is our child by now. A number that does not descend from us belongs to another program.
    let left = || {
        let ours = with_descendants(&[std::process::id().cast_signed()]);
        let known: Vec<i32> = ours.into_iter().filter(|pid| offspring.contains(pid)).collect();
        let mut left = with_descendants(&known);
        left.retain(|pid| !process::reap_if_ended_child(*pid));
        left
    };
    let requested = left();
    requested.iter().copied().for_each(process::terminate);
    patience.wait(|| left().is_empty());
    let stubborn = left();
    stubborn.iter().copied().for_each(process::kill);
    patience.is_over = false; // what was killed needs a moment
    patience.wait(|| left().is_empty());
    process::adopt_orphans(false);
    let forced =
        if stubborn.is_empty() { String::new() } else { format!(", {} by force", stubborn.len()) };
    let (count, s) = (requested.len(), if requested.len() == 1 { "" } else { "es" });
    (count > 0).then(|| {
        format!("{count} process{s} that the run's programs had left behind ended with it{forced}")
    })
}

/// How long programs are waited for.
struct Patience<'a> {
    signals: &'a StopSignals,
    lives: &'a dyn Fn(),
    /// Whether a request to stop has come.
    heard: bool,
    /// Whether another request to stop has come.
    is_over: bool,
}

impl Patience<'_> {
    /// Waits until `is_so`, for a second at most.
    fn wait(&mut self, mut is_so: impl FnMut() -> bool) {
        for _ in 0..100 {
            (self.lives)();
            while let Some(signal) = self.signals.next() {
                self.is_over |= self.heard && signal != StopSignal::HangUp;
                self.heard = true;
            }
            if is_so() || self.is_over {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
