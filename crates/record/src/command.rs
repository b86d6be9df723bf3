//! The command that is recorded: started, waited for, asked to end.

use super::Answered;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::{Duration, Instant};
use windfall_observe::procfs;
use windfall_os::error::NOT_EXECUTABLE;
use windfall_os::process::{self, StopSignals};
use windfall_os::{LinuxError, LinuxErrorKind};

/// How long a command may take to end when it is asked to; later it goes on alone.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks whether it has ended, in milliseconds.
const LOOK_MS: i32 = 10;

/// The running command.
pub(super) struct Child {
    child: std::process::Child,
    /// Can be read when it has ended.
    ended: OwnedFd,
}

impl Child {
    pub(super) fn start(words: &[String]) -> Result<Child, LinuxError> {
        let (program, arguments) =
            words.split_first().map_or(("", words), |(p, a)| (p.as_str(), a));
        let trouble = |error: io::Error| {
            let status = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
            let what = format!("cannot start `{program}`");
            LinuxError::new(what, error.to_string(), NOT_EXECUTABLE)
                .of_kind(LinuxErrorKind::Command(status))
        };
        let mut command = Command::new(program);
        process::let_signals_through(command.args(arguments));
        let child = command.spawn().map_err(trouble)?;
        let ended = process::pidfd(child.id().cast_signed()).map_err(trouble)?;
        Ok(Child { child, ended })
    }

    /// Its process.
    pub(super) fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Its answer, after it was asked to end with all its descendants if it has not; `None` when it goes on nevertheless. And
    /// those processes of them that go on.
    pub(super) fn end(&mut self, signals: &StopSignals) -> (Option<Answered>, Vec<(i32, String)>) {
        let ended = matches!(self.child.try_wait(), Ok(Some(_)));
        let left = if ended { Vec::new() } else { self.ask_to_end(signals) };
        let status = self.child.try_wait().ok().flatten();
        let answered = status.map(|status| {
            let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
            let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(255);
            Answered { code, requested: !ended }
        });
        (answered, left)
    }

    /// Asks it and its descendants to end, and waits for all of them. Returns those that go on after that, or after a signal.
    fn ask_to_end(&mut self, signals: &StopSignals) -> Vec<(i32, String)> {
        // By number and start: a number may belong to somebody else later.
        let stat = |pid: i32| procfs::stat(pid).filter(|stat| !stat.has_ended());
        let all = procfs::with_descendants(&[self.pid()]);
        let all: Vec<_> = all.into_iter().filter_map(|pid| Some((pid, stat(pid)?.start))).collect();
        for (pid, _) in &all {
            process::terminate(*pid);
            process::resume(*pid); // a stopped one does not see that signal
        }
        signals.take();
        let asked = Instant::now();
        loop {
            let _ = self.child.try_wait();
            let left = all.iter().filter_map(|(pid, start)| {
                Some((*pid, stat(*pid).filter(|stat| stat.start == *start)?.comm))
            });
            let left: Vec<_> = left.collect();
            if left.is_empty() || asked.elapsed() >= PATIENCE || signals.arrive(LOOK_MS) {
                return left;
            }
        }
    }
}

impl AsRawFd for Child {
    fn as_raw_fd(&self) -> RawFd {
        self.ended.as_raw_fd()
    }
}
