#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Invariants: every call either does what it says or returns the kernel's error; a function without a result cannot fail, or a
//! failure changes nothing for its caller, and its documentation says so. Threads and processes are named by the kernel's
//! numbers (`i32`); 0 is the calling thread where a function says so. Time is CLOCK_MONOTONIC. `unsafe` is used in this crate
//! and in the counter of `clocks` only, and each block says why it is sound.
//!
//! Beside system calls, `freezer.rs` has the control groups that hold threads off, which are files.
//!
//! Absent on purpose: other files of /proc and /sys (crate `observe` reads them), and any decision about who runs.
//!
//! Read next: `sched.rs` (class, priority, affinity), `clock.rs`, `process.rs`.
#![allow(unsafe_code, reason = "system calls; each block says why it is sound")]

pub mod clock;
pub mod error;
pub mod events;
pub mod freezer;
pub mod futex;
pub mod identity;
pub mod lock;
pub mod peer;
pub mod perf;
pub mod probe;
pub mod process;
pub mod sched;
pub mod shared;
pub mod usage;
pub mod vector;

pub use error::{LinuxError, LinuxErrorKind};

/// The error of the system call that has just failed.
fn last_error() -> std::io::Error {
    std::io::Error::last_os_error()
}

/// The answer of a system call that returns -1 for an error.
fn check(answer: i64) -> std::io::Result<i64> {
    if answer == -1 { Err(last_error()) } else { Ok(answer) }
}
