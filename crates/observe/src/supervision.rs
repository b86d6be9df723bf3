//! The signs of a run that supervises this machine: its folder, and its guardian.
//!
//! One folder for the whole machine, whatever the network namespace. Only who may write there can supervise, so no other user keeps
//! a run from beginning. The run itself writes there; `doctor` looks.

use crate::procfs;
use std::path::{Path, PathBuf};

/// The folder of the run: its lock, its restore log, and why a guardian ended it.
pub const FOLDER: &str = "/run/windfall";

/// The space that a restore log takes at most, in bytes.
pub const SPACE: u64 = 16 << 20;

/// The guardian's name in lists of processes.
pub const GUARDIAN: &str = "windfall-guard";

/// The file in which what a run has changed is logged while it lasts.
#[must_use]
pub fn restore_log() -> PathBuf {
    Path::new(FOLDER).join("restore-log")
}

/// The file in which a guardian says why it ended a run.
#[must_use]
pub fn last_words() -> PathBuf {
    Path::new(FOLDER).join("ended-by-guardian")
}

/// Whether a run is under way in this PID namespace, known by its guardian.
#[must_use]
pub fn is_under_way() -> bool {
    let guards =
        |pid| procfs::stat(pid).is_some_and(|stat| stat.comm == GUARDIAN && !stat.has_ended());
    procfs::processes().into_iter().any(guards)
}
