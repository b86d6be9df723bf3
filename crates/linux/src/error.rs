//! Why the machine would not do what was asked, and what would help.

use std::fmt;
use std::io;

/// Only one run at a time supervises a machine.
pub(crate) const TWICE: &str = "cannot supervise this machine twice";

/// Who may supervise. Tried capability by capability; a test runs with the least.
pub(crate) const RIGHTS: &str = "run as root, of whose capabilities CAP_SYS_NICE and CAP_PERFMON suffice (without CAP_BPF \
     decisions are later, without CAP_DAC_OVERRIDE held threads are not frozen); or as another user with CAP_SYS_NICE, CAP_PERFMON and \
     CAP_BPF, when root has given him /run/windfall and written -1 to /proc/sys/kernel/sched_rt_runtime_us; `windfall simulate` needs no rights";

/// The operating system said no, or lacks something.
#[derive(Debug)]
pub struct LinuxError {
    what: String,
    why: String,
    remedy: String,
    status: u8,
}

impl LinuxError {
    /// What could not be done, why not, and what would help.
    pub(crate) fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LinuxError {
        LinuxError { what: what.into(), why: why.into(), remedy: remedy.into(), status: 2 }
    }

    /// With the exit status that goes with it, where it is not 2.
    pub(crate) fn with_status(self, status: u8) -> LinuxError {
        LinuxError { status, ..self }
    }

    /// The exit status that goes with it: 2 as a rule; 126 or 127 for a command that cannot be started.
    #[must_use]
    pub const fn status(&self) -> u8 {
        self.status
    }

    /// From a system call's error; a missing right is told as such.
    pub(crate) fn of(what: impl Into<String>, error: &io::Error, remedy: &str) -> LinuxError {
        let remedy = match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => RIGHTS,
            _ => remedy,
        };
        LinuxError::new(what, error.to_string(), remedy)
    }
}

impl LinuxError {
    /// Whether another run is in the way, so that it helps to wait.
    #[must_use]
    pub fn is_another_run(&self) -> bool {
        self.what == TWICE
    }
}

impl fmt::Display for LinuxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinuxError { what, why, remedy, .. } = self;
        write!(f, "{what}: {why}; {remedy}")
    }
}

impl std::error::Error for LinuxError {}
