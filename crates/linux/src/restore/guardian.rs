//! The guardian: a process that outlives the supervisor and restores every thread.
//!
//! It acts when the supervisor is gone (its end of a pipe is closed), has not sent a heartbeat for [`PATIENCE`], or was kept from its
//! processor for [`KEPT_OFF`]; then it kills the supervisor first. Within a second everything is as before, and the guardian writes the reason to standard error and to
//! a file. The supervisor watches the guardian in turn, and posts another when it is gone.

use crate::restore::go_on;
use crate::restore::log::{RestoreLog, Table};
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
/// After this time without a heartbeat, in ms, the guardian moves to the event loop's processor, above all threads of ours. If that
/// processor stands still, the guardian then does not count that time either.
const DOUBT: i32 = 100;
/// Longest time for which more urgent threads may keep the event loop from its processor, in ms. They are not ours, and the throttle
/// that would hold them back is lifted.
const KEPT_OFF: i32 = 3_000;

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
    /// More urgent threads had the event loop's processor for so many ms.
    KeptOff(i32),
}

/// The event loop's thread and its processor, as far as they can be seen from outside. It costs a look into /proc, so it is taken only
/// where no heartbeat came.
#[derive(Clone, Copy)]
struct Seen {
    /// The processor time that the thread has received, if it could use more; `None`: it waits, or that is unknown.
    received: Option<u64>,
    /// How long the processor has worked.
    worked: Option<u64>,
}

/// The behaviour of an event loop between two looks without a heartbeat.
enum Did {
    /// It was runnable all the time, and others had its processor.
    KeptOff,
    /// It was runnable all the time, and nobody ran there.
    StoodStill,
    /// It waited, or it ran.
    Else,
}

impl Seen {
    fn now(table: &Table) -> Seen {
        let tid = table.events_tid.load(Ordering::Relaxed);
        let is_runnable = procfs::stat(tid).is_some_and(|stat| stat.state == 'R');
        Seen {
            received: procfs::received(tid).filter(|_| is_runnable),
            worked: procfs::worked(table.events_cpu.load(Ordering::Relaxed)),
        }
    }

    fn since(self, before: Seen) -> Did {
        match self.received.is_some() && self.received == before.received {
            true if self.worked.is_some() && self.worked == before.worked => Did::StoodStill,
            true => Did::KeptOff,
            false => Did::Else,
        }
    }
}

fn watch(restore_log: &RestoreLog, pipe: &OwnedFd, supervisor: i32, home: &Affinity) {
    let Some(cause) = wait(restore_log, pipe, supervisor, home) else { return };
    process::kill(supervisor);
    // Its threads have our priorities until they are dead, and some cannot die before others are restored.
    let mut left = 50;
    while process::exists(supervisor) && left > 0 && !process::hung_up(pipe, 1) {
        left -= 1;
    }
    let (trouble, programs) = restore_log.restore_after();
    restore_log.close();
    report_end(cause, supervisor, &trouble, &go_on(&programs));
}

/// Waits until there is a reason to act; `None` if everything was undone in good order.
fn wait(
    restore_log: &RestoreLog,
    pipe: &OwnedFd,
    supervisor: i32,
    home: &Affinity,
) -> Option<Cause> {
    let table = restore_log.table();
    let (mut heard, mut seen) = (0, None::<Seen>);
    let (mut still, mut kept_off, mut doubts) = (0, 0, false);
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
        if beats != heard {
            (heard, seen, still, kept_off) = (beats, None, 0, 0);
        } else {
            let now = Seen::now(table);
            match seen.replace(now).map(|before| now.since(before)) {
                Some(Did::StoodStill) => {}
                Some(Did::KeptOff) => (still, kept_off) = (0, kept_off + LOOK),
                Some(Did::Else) | None => still += LOOK,
            }
        }
        // A killed supervisor keeps the pipe open until all its threads have ended, and those may have to wait for a processor.
        let silent = still + kept_off;
        if silent >= DOUBT && procfs::stat(supervisor).is_none_or(|stat| stat.has_ended()) {
            return Some(Cause::Gone);
        }
        let urgent = table.urgent.load(Ordering::Acquire) == 1;
        // Not to a processor whose threads keep even the event loop off.
        if doubts != (urgent && still >= DOUBT) {
            doubts = !doubts;
            take_place(doubts, table.events_cpu.load(Ordering::Relaxed), home);
        }
        if still > if urgent { PATIENCE } else { SETTING_UP } {
            return Some(Cause::Still(still, urgent));
        }
        if kept_off > if urgent { KEPT_OFF } else { SETTING_UP } {
            return Some(Cause::KeptOff(kept_off));
        }
    }
}

/// Goes to the event loop's processor, above all others there, or back. If that fails, the guardian watches from where it is.
fn take_place(doubts: bool, events_cpu: u32, home: &Affinity) {
    let rise = |priority| Attributes::fifo(priority).give(0);
    match u16::try_from(events_cpu).ok().filter(|_| doubts) {
        Some(events_cpu) => {
            let _ = rise(fifo_priorities::DOUBT);
            let _ = Affinity::one(events_cpu).give(0);
        }
        None => {
            let _ = home.give(0); // first, or others there could keep it from leaving
            let _ = rise(fifo_priorities::GUARDIAN);
        }
    }
}

/// Reports why the run has ended, on standard error and in a file that `doctor` reads.
fn report_end(cause: Cause, supervisor: i32, trouble: &[String], go_on: &str) {
    let cause = match cause {
        Cause::Gone => format!(
            "process {supervisor} ended without giving back what it had changed (was it killed?)"
        ),
        Cause::Still(ms, urgent) => {
            let when = if urgent { "while it supervised" } else { "while it set up or gave back" };
            format!("process {supervisor} did nothing for {ms} ms {when}, and was killed")
        }
        Cause::KeptOff(ms) => format!(
            "threads of higher priority than ours, which are not of this run, had its processor for {ms} ms; process {supervisor} was killed"
        ),
    };
    let rest = match trouble {
        [] => "everything was given back".to_owned(),
        some => format!("not everything could be given back: {}", some.join("; ")),
    };
    let text = format!("windfall: the guardian ended the run: {cause}; {rest}{go_on}\n");
    process::write_to_stderr(&text);
    let _ = std::fs::write(supervision::last_words(), &text); // `doctor` shows it later
}
