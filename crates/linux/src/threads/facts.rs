//! What decides to whom a thread of a program belongs.

use crate::threads::heard::{Heard, Start};
use std::fs;
use std::path::PathBuf;
use windfall_observe::procfs::{self, Stat};
use windfall_observe::routines::Routines;

/// What decides to whom a thread belongs.
pub(crate) struct Facts {
    /// Its process.
    pub(crate) pid: i32,
    pub(crate) stat: Stat,
    pub(crate) start: Start,
    exe: Option<PathBuf>,
}

impl Facts {
    /// Those of a thread of which this was heard; `None` when there is no such thread.
    pub(crate) fn of(tid: i32, heard: Heard, routines: &mut Routines) -> Option<Facts> {
        let (stat, pid) = (procfs::stat(tid)?, procfs::process_of(tid)?);
        let exe = fs::read_link(format!("/proc/{tid}/exe")).ok();
        Some(Facts { pid, stat, start: Start::of(tid, pid, heard, routines), exe })
    }

    /// The file that it executes, if that can be read.
    pub(crate) fn exe(&self) -> Option<&str> {
        self.exe.as_ref()?.to_str()
    }
}
