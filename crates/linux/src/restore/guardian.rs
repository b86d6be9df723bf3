//! The guardian: a process that outlives the supervisor and restores every thread.
//!
//! It acts when the supervisor is gone (its end of a pipe is closed), or has not sent a heartbeat for [`PATIENCE`]; then it kills the
//! supervisor first. Within a second everything is as before, and the guardian writes the reason to standard error and to
//! a file. The supervisor watches the guardian in turn, and posts another when it is gone.

use crate::restore::log::RestoreLog;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs;
use windfall_observe::supervision;
use windfall_os::LinuxError;
use windfall_os::{process, sched::Affinity, sched::Attributes};

/// Longest time without a heartbeat while threads are supervised, in ms.
const PATIENCE: i32 = 400;
/// The same while much is set up or undone, in ms.
const SETTING_UP: i32 = 5_000;
/// Time between two looks of the guardian, in ms.
const LOOK: i32 = 50;
/// After this time without a heartbeat, in ms, the guardian moves to the event loop's processor. If that processor stands still or
/// serves more urgent work, the guardian then does not count that time either.
const DOUBT: i32 = 100;

/// The supervisor's handle of its guardian. When it is dropped, the guardian learns that the supervisor is gone.
pub(crate) struct Guardian {
    pid: i32,
    /// Readable when the guardian has ended.
    ended: OwnedFd,
    _pipe: OwnedFd,
    restore_log: Arc<RestoreLog>,
    /// The machine's lock, which the guardian holds as long as it lives.
    alone: i32,
    /// The guardian's processors as long as heartbeats come.
    home: Affinity,
}

impl Guardian {
    /// Forks the guardian. To be called before anything is changed.
    pub(crate) fn post(restore_log: &Arc<RestoreLog>, alone: i32) -> Result<Guardian, LinuxError> {
        let home = Affinity::of(0).map_err(|e| trouble(&e))?;
        Guardian::post_at(restore_log, alone, home)
    }

    fn post_at(
        restore_log: &Arc<RestoreLog>,
        alone: i32,
        home: Affinity,
    ) -> Result<Guardian, LinuxError> {
        let (theirs, ours) = process::pipe().map_err(|e| trouble(&e))?;
        let supervisor = std::process::id().cast_signed();
        let pid = process::fork(|| {
            process::stand_alone();
            process::name_thread(supervision::GUARDIAN);
            process::close_all_but(&[theirs.as_raw_fd(), alone]);
            let _ = home.give(0);
            // Without the right to be real-time it watches at ordinary priority.
            let _ = Attributes::fifo(fifo_priorities::GUARDIAN).give(0);
            watch(restore_log, &theirs, supervisor, &home);
        });
        let pid = pid.map_err(|e| trouble(&e))?;
        restore_log.table().guardian.store(pid, Ordering::Release);
        let ended = process::pidfd(pid).map_err(|e| trouble(&e))?;
        Ok(Guardian { pid, ended, _pipe: ours, restore_log: restore_log.clone(), alone, home })
    }

    /// Process id of the guardian.
    pub(crate) const fn pid(&self) -> i32 {
        self.pid
    }

    /// A descriptor that is readable when the guardian has ended.
    pub(crate) const fn ended(&self) -> &OwnedFd {
        &self.ended
    }

    /// Posts another guardian, because this one has ended.
    pub(crate) fn renew(&mut self) -> Result<(), LinuxError> {
        process::reap(self.pid);
        *self = Guardian::post_at(&self.restore_log, self.alone, self.home)?;
        Ok(())
    }

    /// Ends the guardian, after the supervisor has restored everything itself.
    pub(crate) fn dismiss(self) {
        self.restore_log.close();
        let pid = self.pid;
        drop(self);
        process::reap(pid);
    }
}

fn trouble(e: &std::io::Error) -> LinuxError {
    LinuxError::of("cannot fork the guardian", e, "raise the limit of processes")
}

/// The reason why a guardian acts.
#[derive(Clone, Copy)]
enum Cause {
    /// The supervisor is gone.
    Gone,
    /// No heartbeat for so many ms, and whether threads were supervised meanwhile.
    Still(i32, bool),
}

fn watch(restore_log: &RestoreLog, pipe: &OwnedFd, supervisor: i32, home: &Affinity) {
    let Some(cause) = wait(restore_log, pipe, supervisor, home) else { return };
    process::kill(supervisor);
    // Its threads have our priorities until they are dead, and some cannot die before others are restored.
    let mut left = 50;
    while process::exists(supervisor) && left > 0 && !process::hung_up(pipe, 1) {
        left -= 1;
    }
    let trouble = restore_log.restore_after();
    restore_log.close();
    report_end(cause, supervisor, &trouble);
}

/// Waits until there is a reason to act; `None` if everything was undone in good order.
fn wait(
    restore_log: &RestoreLog,
    pipe: &OwnedFd,
    supervisor: i32,
    home: &Affinity,
) -> Option<Cause> {
    let table = restore_log.table();
    let (mut seen, mut still) = (0, 0);
    loop {
        // However late this returns, it counts as one look: the guardian could not run either.
        let gone = process::hung_up(pipe, LOOK);
        if table.done.load(Ordering::Acquire) == 1 {
            return None;
        }
        if gone {
            return Some(Cause::Gone);
        }
        let beats = table.heartbeat.load(Ordering::Acquire);
        let doubted = still >= DOUBT;
        still = if beats == seen { still + LOOK } else { 0 };
        seen = beats;
        // A killed supervisor keeps the pipe open until all its threads have ended, and those may have to wait for a processor.
        if still >= DOUBT && procfs::stat(supervisor).is_none_or(|stat| stat.has_ended()) {
            return Some(Cause::Gone);
        }
        let urgent = table.urgent.load(Ordering::Acquire) == 1;
        if urgent && !doubted && still >= DOUBT {
            let events_cpu = u16::try_from(table.events_cpu.load(Ordering::Relaxed)).ok();
            let _ = events_cpu.map(|events_cpu| Affinity::one(events_cpu).give(0)); // if that fails, it watches from where it is
        } else if doubted && still == 0 {
            let _ = home.give(0);
        }
        if still > if urgent { PATIENCE } else { SETTING_UP } {
            return Some(Cause::Still(still, urgent));
        }
    }
}

/// Reports why the run has ended, on standard error and in a file that `doctor` reads.
fn report_end(cause: Cause, supervisor: i32, trouble: &[String]) {
    let cause = match cause {
        Cause::Gone => format!(
            "process {supervisor} ended without giving back what it had changed (was it killed?)"
        ),
        Cause::Still(ms, urgent) => {
            let when = if urgent { "while it supervised" } else { "while it set up or gave back" };
            format!("process {supervisor} did nothing for {ms} ms {when}, and was killed")
        }
    };
    let rest = match trouble {
        [] => "everything was given back".to_owned(),
        some => format!("not everything could be given back: {}", some.join("; ")),
    };
    let text = format!("windfall: the guardian ended the run: {cause}; {rest}\n");
    process::write_to_stderr(&text);
    let _ = std::fs::write(supervision::last_words(), &text); // `doctor` shows it later
}
