//! Why the machine would not do what was asked, and what would help.

use std::fmt;
use std::io;

/// The operating system said no, or lacks something.
#[derive(Debug)]
pub struct Fault {
    what: String,
    why: String,
    remedy: String,
}

impl Fault {
    /// What could not be done, why not, and what would help.
    pub(crate) fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Fault {
        Fault { what: what.into(), why: why.into(), remedy: remedy.into() }
    }

    /// From a system call's error; a missing right is told as such.
    pub(crate) fn of(what: impl Into<String>, error: &io::Error, remedy: &str) -> Fault {
        let remedy = match error.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => {
                "run as root, or with the capabilities CAP_SYS_NICE and CAP_PERFMON; \
                 `windfall simulate` needs no rights"
            }
            _ => remedy,
        };
        Fault::new(what, error.to_string(), remedy)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { what, why, remedy } = self;
        write!(f, "{what}: {why}; {remedy}")
    }
}

impl std::error::Error for Fault {}
