//! The facts that decide which entry a thread of a program belongs to.

use crate::threads::heard::{Heard, Start};
use std::fs;
use std::path::PathBuf;
use windfall_observe::procfs::{self, Stat};
use windfall_observe::routines::Routines;

/// The facts that decide which entry a thread belongs to.
pub(crate) struct Facts {
    /// The process of the thread.
    pub(crate) pid: i32,
    pub(crate) stat: Stat,
    pub(crate) start: Start,
    exe: Option<PathBuf>,
}

impl Facts {
    /// Reads the facts of a thread; `None` if it does not exist.
    pub(crate) fn of(tid: i32, heard: Heard, routines: &mut Routines) -> Option<Facts> {
        let (stat, pid) = (procfs::stat(tid)?, procfs::process_of(tid)?);
        let exe = fs::read_link(format!("/proc/{tid}/exe")).ok();
        Some(Facts { pid, stat, start: Start::of(tid, pid, heard, routines), exe })
    }

    /// The executable file of its process, if that can be read.
    pub(crate) fn exe(&self) -> Option<&str> {
        self.exe.as_ref()?.to_str()
    }
}
