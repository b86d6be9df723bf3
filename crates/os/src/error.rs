//! Why the machine would not do what it was asked for, and what would help.

use std::fmt;
use std::io;

/// The rights needed to supervise, as a remedy for a missing one. Tried capability by capability; a test runs with
/// the least.
pub const RIGHTS: &str = "run as root, of whose capabilities CAP_SYS_NICE and CAP_PERFMON suffice (without CAP_BPF \
     decisions are later, without CAP_DAC_OVERRIDE held threads are not frozen); or as another user with CAP_SYS_NICE, CAP_PERFMON and \
     CAP_BPF, when root has given him /run/windfall and written -1 to /proc/sys/kernel/sched_rt_runtime_us; `windfall simulate` needs no rights";

/// The operating system refused something, or lacks it: what could not be done, why not, and what would help.
///
/// ```
/// use windfall_os::LinuxError;
///
/// let error = LinuxError::new("cannot use processor 9", "there are 4", "choose another");
/// assert_eq!(error.to_string(), "cannot use processor 9: there are 4; choose another");
/// assert_eq!((error.status(), error.is_busy()), (2, false));
/// ```
#[derive(Debug)]
pub struct LinuxError {
    what: String,
    why: String,
    remedy: String,
    status: u8,
    busy: bool,
}

impl LinuxError {
    /// Builds the error from the task that failed, the reason, and the remedy; each without a full
    /// stop.
    pub fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LinuxError {
        LinuxError {
            what: what.into(),
            why: why.into(),
            remedy: remedy.into(),
            status: 2,
            busy: false,
        }
    }

    /// With the exit status that goes with it, where it is not 2.
    #[must_use]
    pub fn with_status(self, status: u8) -> LinuxError {
        LinuxError { status, ..self }
    }

    /// The exit status that goes with it: 2 as a rule; 126 or 127 for a command that cannot be started.
    #[must_use]
    pub const fn status(&self) -> u8 {
        self.status
    }

    /// The same error, caused by another user of the resource, so that it helps to wait.
    #[must_use]
    pub fn and_busy(self) -> LinuxError {
        LinuxError { busy: true, ..self }
    }

    /// From a system call's error; where a right is missing, [`RIGHTS`] replaces the remedy.
    pub fn of(what: impl Into<String>, error: &io::Error, remedy: &str) -> LinuxError {
        let remedy = match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => RIGHTS,
            _ => remedy,
        };
        LinuxError::new(what, error.to_string(), remedy)
    }

    /// Whether another user has the resource, as another run the machine, so that it helps to wait.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.busy
    }
}

impl fmt::Display for LinuxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinuxError { what, why, remedy, .. } = self;
        write!(f, "{what}: {why}; {remedy}")
    }
}

impl std::error::Error for LinuxError {}
