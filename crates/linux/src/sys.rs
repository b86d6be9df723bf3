//! What is asked of the kernel: each file wraps a few calls so that the rest of the crate is safe.

pub(crate) mod clock;
pub(crate) mod events;
pub(crate) mod futex;
pub(crate) mod identity;
pub(crate) mod lock;
pub(crate) mod peer;
pub(crate) mod perf;
pub(crate) mod probe;
pub(crate) mod process;
pub(crate) mod sched;
pub(crate) mod shared;
pub(crate) mod usage;

/// The error of the system call that has just failed.
pub(crate) fn last_error() -> std::io::Error {
    std::io::Error::last_os_error()
}

/// The answer of a system call that returns -1 for an error.
pub(crate) fn check(answer: i64) -> std::io::Result<i64> {
    if answer == -1 { Err(last_error()) } else { Ok(answer) }
}
