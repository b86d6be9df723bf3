//! The command that is recorded: started, waited for, asked to end.

use super::Answered;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use windfall_os::process::{self, StopSignals};
use windfall_os::{LinuxError, LinuxErrorKind};

/// How long a command may take to end when it is asked to, in milliseconds; later it goes on alone.
const PATIENCE_MS: i32 = 5_000;

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
            LinuxError::new(what, error.to_string(), "name a program that can be executed")
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

    /// Its answer, after it was asked to end if it has not. `None` when it goes on nevertheless.
    pub(super) fn end(&mut self, signals: &StopSignals) -> Option<Answered> {
        let mut requested = false;
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            requested = true;
            process::terminate(self.child.id().cast_signed());
            signals.take();
            process::readable(&[&self.ended, signals.fd()], PATIENCE_MS);
        }
        let status = self.child.try_wait().ok()??;
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
        Some(Answered {
            code: code.and_then(|code| u8::try_from(code).ok()).unwrap_or(255),
            requested,
        })
    }
}

impl AsRawFd for Child {
    fn as_raw_fd(&self) -> RawFd {
        self.ended.as_raw_fd()
    }
}
