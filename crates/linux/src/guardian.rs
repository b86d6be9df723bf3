//! A process that outlives the supervisor and gives every thread back what it was.
//!
//! It acts when the supervisor is gone (its end of a pipe is closed) or its heart stands still for
//! [`PATIENCE`]; then the supervisor is killed first. Within a second everything is as before.

use crate::fault::Fault;
use crate::freezer;
use crate::journal::Journal;
use crate::rungs;
use crate::sys::{process, sched::Attributes};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// So long may the supervisor's heart stand still, in ms.
const PATIENCE: i32 = 400;
/// So long may it take before its first beat, and after it has given everything back, in ms.
const SETTING_UP: i32 = 5_000;
/// How often the guardian looks, in ms.
const LOOK: i32 = 50;

/// The supervisor's hold on its guardian; letting go of it means that the supervisor is gone.
pub(crate) struct Guardian {
    pid: i32,
    _pipe: OwnedFd,
}

impl Guardian {
    /// Forks the guardian; call it before anything is changed and before there are other threads.
    ///
    /// `alone` is what says that this machine is supervised; the guardian holds it as long as it lives.
    pub(crate) fn post(journal: &Arc<Journal>, alone: i32) -> Result<Guardian, Fault> {
        let trouble = |e: std::io::Error| {
            Fault::of("cannot fork the guardian", &e, "raise the limit of processes")
        };
        let (theirs, ours) = process::pipe().map_err(trouble)?;
        let supervisor = std::process::id().cast_signed();
        let pid = process::fork(|| {
            process::stand_alone(c"windfall-guard");
            process::close_all_but(&[theirs.as_raw_fd(), alone]);
            // Without the right to be real-time it watches all the same.
            let _ = Attributes::fifo(rungs::GUARDIAN).give(0);
            watch(journal, &theirs, supervisor);
        });
        Ok(Guardian { pid: pid.map_err(trouble)?, _pipe: ours })
    }

    /// Its number.
    pub(crate) const fn pid(&self) -> i32 {
        self.pid
    }

    /// The supervisor has restored everything itself.
    pub(crate) fn dismiss(self, journal: &Journal) {
        journal.table().done.store(1, Ordering::Release);
        let pid = self.pid;
        drop(self);
        process::reap(pid);
    }
}

fn watch(journal: &Journal, pipe: &OwnedFd, supervisor: i32) {
    let table = journal.table();
    let (mut seen, mut still) = (0, 0);
    loop {
        let gone = process::hung_up(pipe, LOOK);
        if table.done.load(Ordering::Acquire) == 1 {
            return;
        }
        let beats = table.heartbeat.load(Ordering::Acquire);
        still = if beats == seen { still + LOOK } else { 0 };
        seen = beats;
        if gone || still > if beats == 0 { SETTING_UP } else { PATIENCE } {
            break;
        }
    }
    process::kill(supervisor);
    // Its threads are on our rungs until they are dead.
    let mut left = 200;
    while process::exists(supervisor) && left > 0 && !process::hung_up(pipe, 1) {
        left -= 1;
    }
    freezer::thaw_all(supervisor);
    journal.restore();
}
