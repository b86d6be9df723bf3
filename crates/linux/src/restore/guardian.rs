//! A process that outlives the supervisor and gives every thread back what it was.
//!
//! It acts when the supervisor is gone (its end of a pipe is closed) or its heart stands still for
//! [`PATIENCE`]; then the supervisor is killed first. Within a second everything is as before, and the guardian says
//! why on standard error and in a file. The supervisor watches it in turn, and posts another when it is gone.

use crate::restore::log::RestoreLog;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs;
use windfall_observe::supervision;
use windfall_os::LinuxError;
use windfall_os::{process, sched::Affinity, sched::Attributes};

/// So long may the supervisor's heart stand still, in ms.
const PATIENCE: i32 = 400;
/// So long while much is set up or given back.
const SETTING_UP: i32 = 5_000;
/// How often the guardian looks, in ms.
const LOOK: i32 = 50;
/// From here on it looks from the event loop's processor, in ms of stillness: time in which that processor stands still, or
/// serves somebody more urgent, is then no time in which the guardian counts, either.
const DOUBT: i32 = 100;

/// The supervisor's hold on its guardian; letting go of it means that the supervisor is gone.
pub(crate) struct Guardian {
    pid: i32,
    /// Can be read when the guardian has ended.
    ended: OwnedFd,
    _pipe: OwnedFd,
    journal: Arc<RestoreLog>,
    /// What says that this machine is supervised; the guardian holds it as long as it lives.
    alone: i32,
    /// Where the guardian is while all is well.
    home: Affinity,
}

impl Guardian {
    /// Forks the guardian; call it before anything is changed.
    pub(crate) fn post(journal: &Arc<RestoreLog>, alone: i32) -> Result<Guardian, LinuxError> {
        let home = Affinity::of(0).map_err(|e| trouble(&e))?;
        Guardian::post_at(journal, alone, home)
    }

    fn post_at(
        journal: &Arc<RestoreLog>,
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
            // Without the right to be real-time it watches all the same.
            let _ = Attributes::fifo(fifo_priorities::GUARDIAN).give(0);
            watch(journal, &theirs, supervisor, &home);
        });
        let pid = pid.map_err(|e| trouble(&e))?;
        journal.table().guardian.store(pid, Ordering::Release);
        let ended = process::pidfd(pid).map_err(|e| trouble(&e))?;
        Ok(Guardian { pid, ended, _pipe: ours, journal: journal.clone(), alone, home })
    }

    /// Its number.
    pub(crate) const fn pid(&self) -> i32 {
        self.pid
    }

    /// What can be read when it has ended.
    pub(crate) const fn ended(&self) -> &OwnedFd {
        &self.ended
    }

    /// Posts another, because this one has ended: somebody has killed it.
    pub(crate) fn renew(&mut self) -> Result<(), LinuxError> {
        process::reap(self.pid);
        *self = Guardian::post_at(&self.journal, self.alone, self.home)?;
        Ok(())
    }

    /// The supervisor has restored everything itself.
    pub(crate) fn dismiss(self) {
        self.journal.close();
        let pid = self.pid;
        drop(self);
        process::reap(pid);
    }
}

fn trouble(e: &std::io::Error) -> LinuxError {
    LinuxError::of("cannot fork the guardian", e, "raise the limit of processes")
}

/// Why a guardian acts.
#[derive(Clone, Copy)]
enum Cause {
    /// The supervisor is gone.
    Gone,
    /// Its heart stood still for so many ms, while it supervised or not.
    Still(i32, bool),
}

fn watch(journal: &RestoreLog, pipe: &OwnedFd, supervisor: i32, home: &Affinity) {
    let Some(cause) = wait(journal, pipe, supervisor, home) else { return };
    process::kill(supervisor);
    // Its threads have our priorities until they are dead, which some cannot be before others are restored.
    let mut left = 50;
    while process::exists(supervisor) && left > 0 && !process::hung_up(pipe, 1) {
        left -= 1;
    }
    let trouble = journal.restore_after();
    journal.close();
    tell(cause, supervisor, &trouble);
}

/// Waits until there is a cause to act; `None` when everything has been given back.
fn wait(journal: &RestoreLog, pipe: &OwnedFd, supervisor: i32, home: &Affinity) -> Option<Cause> {
    let table = journal.table();
    let (mut seen, mut still) = (0, 0);
    loop {
        // However late it returns, it counts as one look: the guardian could not run, either.
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
        // Killed, it holds the pipe until all its threads have ended, and those may have to wait for their processors.
        if still >= DOUBT && procfs::stat(supervisor).is_none_or(|stat| stat.has_ended()) {
            return Some(Cause::Gone);
        }
        let urgent = table.urgent.load(Ordering::Acquire) == 1;
        if urgent && !doubted && still >= DOUBT {
            let events_cpu = u16::try_from(table.events_cpu.load(Ordering::Relaxed)).ok();
            let _ = events_cpu.map(|events_cpu| Affinity::one(events_cpu).give(0)); // or it looks from where it is
        } else if doubted && still == 0 {
            let _ = home.give(0);
        }
        if still > if urgent { PATIENCE } else { SETTING_UP } {
            return Some(Cause::Still(still, urgent));
        }
    }
}

/// Says why the run has ended, where its user reads it, and for `doctor`.
fn tell(cause: Cause, supervisor: i32, trouble: &[String]) {
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
    let _ = std::fs::write(supervision::last_words(), &text); // for whoever asks `doctor` later
}
