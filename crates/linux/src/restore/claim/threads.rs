//! Moves threads that can run elsewhere off claimed processors.

use super::log::{Fate, Log};
use std::io;
use windfall_observe::occupancy::{Place, Stay, threads};
use windfall_observe::procfs;
use windfall_os::sched::Affinity;

/// The log has all threads whose own affinity equals one that moved threads will have. Only then threads may be moved: afterwards nobody could tell the
/// two apart.
pub(crate) struct KeptNoted(());

/// Notes threads whose own affinity equals one that moved threads will have.
pub(super) fn note_kept(log: &Log, claimed: &Affinity) -> KeptNoted {
    for (_, tid, place) in threads(claimed) {
        if let (Place::Elsewhere, Some(stat)) = (place, procfs::stat(tid)) {
            // Without an entry, the end of the claim would give it more processors than it had; there is room for tens of thousands.
            let _ = log.note(tid, stat.start, Fate::Kept);
        }
    }
    KeptNoted(())
}

impl KeptNoted {
    /// Moves every thread that may run elsewhere off claimed processors. Returns their number.
    pub(super) fn move_off(&self, log: &Log, claimed: &Affinity, stays: &mut Vec<Stay>) -> usize {
        let mut moved = 0;
        for (_, tid, place) in threads(claimed) {
            let Place::Both(former) = place else { continue };
            match move_one(log, tid, &former, claimed) {
                Ok(may) => moved += usize::from(may),
                Err(e) if e.raw_os_error() == Some(libc::ESRCH) => {}
                Err(e) => stays.extend(unmoved(tid, &e)),
            }
        }
        moved
    }
}

/// Moves a thread off; returns whether it may be moved.
fn move_one(log: &Log, tid: i32, former: &Affinity, claimed: &Affinity) -> io::Result<bool> {
    let gone = || io::Error::from_raw_os_error(libc::ESRCH);
    let stat = procfs::stat(tid).ok_or_else(gone)?;
    if stat.fixed {
        return Ok(false);
    }
    let at = log.note(tid, stat.start, Fate::Moved(*former));
    let at = at.map_err(|_| io::Error::other("the restore log is full"))?;
    let moved = former.without(claimed).give(tid);
    if moved.is_err() {
        log.strike_out(at);
    }
    moved.map(|()| true)
}

/// Describes a thread that cannot be moved; `None` if it has ended.
fn unmoved(tid: i32, error: &io::Error) -> Option<Stay> {
    let stat = procfs::stat(tid)?;
    let remedy = match error.raw_os_error() {
        Some(libc::EBUSY) => "a deadline thread: its owner may give it another class",
        Some(libc::EINVAL) => "its control group's cpuset may name other processors",
        _ => "run as root",
    };
    Some(Stay::new(format!("thread {tid} ({}): {error}", stat.comm), remedy))
}
