//! Why the machine would not do what it was asked for, and what would help.

use std::fmt;
use std::io;

/// The rights needed to supervise, as a remedy for a missing one. Tried capability by capability; a test runs with
/// the least.
pub const RIGHTS: &str = "run as root, of whose capabilities CAP_SYS_NICE and CAP_PERFMON suffice (without CAP_BPF \
     decisions are later, without CAP_DAC_OVERRIDE held threads are not frozen); or as another user with CAP_SYS_NICE, CAP_PERFMON and \
     CAP_BPF, when root has given him /run/windfall and written -1 to /proc/sys/kernel/sched_rt_runtime_us; `windfall doctor` says which are missing, and `windfall simulate` needs none";

/// The remedy for a command that cannot be executed.
pub const NOT_EXECUTABLE: &str = "name a program that can be executed";

/// Kinds of a [`LinuxError`], by the reaction that makes sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LinuxErrorKind {
    /// Another user has the resource, as another run the machine: it helps to wait.
    Busy,
    /// The process lacks a right; [`RIGHTS`] names what is needed.
    MissingRight,
    /// The machine does not have what was requested, as a processor of that number: another request may succeed.
    Unavailable,
    /// A command cannot be started; the exit status that a shell gives then, 126 or 127.
    Command(u8),
    /// Anything else that the operating system refused or lacks.
    Failed,
}

/// The operating system refused something, or lacks it: what could not be done, why not, and what would help.
///
/// ```
/// use windfall_os::{LinuxError, LinuxErrorKind};
///
/// let error = LinuxError::unavailable("cannot use processor 9", "there are 4", "choose another");
/// assert_eq!(error.to_string(), "cannot use processor 9: there are 4; choose another");
/// assert_eq!((error.kind(), error.status()), (LinuxErrorKind::Unavailable, 2));
/// ```
#[derive(Debug)]
pub struct LinuxError {
    kind: LinuxErrorKind,
    what: String,
    why: String,
    remedy: String,
}

impl LinuxError {
    /// Builds the error from the task that failed, the reason, and the remedy; each without a full
    /// stop.
    pub fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LinuxError {
        let kind = LinuxErrorKind::Failed;
        LinuxError { kind, what: what.into(), why: why.into(), remedy: remedy.into() }
    }

    /// The same for a request of what the machine does not have.
    pub fn unavailable(
        what: impl Into<String>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LinuxError {
        LinuxError::new(what, why, remedy).of_kind(LinuxErrorKind::Unavailable)
    }

    /// From a system call's error; where a right is missing, [`RIGHTS`] replaces the remedy.
    pub fn of(what: impl Into<String>, error: &io::Error, remedy: &str) -> LinuxError {
        let (kind, remedy) = match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => (LinuxErrorKind::MissingRight, RIGHTS),
            _ => (LinuxErrorKind::Failed, remedy),
        };
        LinuxError::new(what, error.to_string(), remedy).of_kind(kind)
    }

    /// The same error, of another kind.
    #[must_use]
    pub fn of_kind(self, kind: LinuxErrorKind) -> LinuxError {
        LinuxError { kind, ..self }
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> LinuxErrorKind {
        self.kind
    }

    /// The exit status of a command that ends with it: 2, or the one of a command that cannot be started.
    #[must_use]
    pub const fn status(&self) -> u8 {
        match self.kind {
            LinuxErrorKind::Command(status) => status,
            _ => 2,
        }
    }
}

impl fmt::Display for LinuxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinuxError { what, why, remedy, .. } = self;
        write!(f, "{what}: {why}; {remedy}")
    }
}

impl std::error::Error for LinuxError {}
