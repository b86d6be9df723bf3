//! Threads of others on claimed processors: who can run elsewhere is moved off.

use super::log::{Fate, Log};
use super::survey::Stay;
use std::io;
use windfall_observe::procfs;
use windfall_os::sched::Affinity;

/// Where a thread is, seen from claimed processors.
pub(super) enum Place {
    /// It may run on some of them and elsewhere; this is its affinity.
    Both(Affinity),
    /// It may run nowhere else: it is supervised, was put there by its owner, or belongs to the processor.
    Bound,
    /// It may run on none of them.
    Elsewhere,
}

/// All threads of the machine: process, thread, and where it is.
pub(super) fn all(claimed: &Affinity) -> impl Iterator<Item = (i32, i32, Place)> + use<'_> {
    let threads = procfs::processes().into_iter();
    let threads =
        threads.flat_map(|pid| procfs::threads(pid).into_iter().map(move |tid| (pid, tid)));
    threads.filter_map(|(pid, tid)| {
        let affinity = Affinity::of(tid).ok()?; // or it has ended
        let place = if !affinity.meets(claimed) {
            Place::Elsewhere
        } else if affinity.without(claimed).is_empty() {
            Place::Bound
        } else {
            Place::Both(affinity)
        };
        Some((pid, tid, place))
    })
}

/// Notes whoever has by himself an affinity that moved threads will have. Call it before any is moved.
pub(super) fn note_kept(log: &Log, claimed: &Affinity) {
    for (_, tid, place) in all(claimed) {
        if let (Place::Elsewhere, Some(stat)) = (place, procfs::stat(tid)) {
            // Without an entry it would get more processors than it had; there is room for tens of thousands.
            let _ = log.note(tid, stat.start, Fate::Kept);
        }
    }
}

/// Moves every thread off claimed processors that may run elsewhere; how many.
pub(super) fn move_off(log: &Log, claimed: &Affinity, stays: &mut Vec<Stay>) -> usize {
    let mut moved = 0;
    for (_, tid, place) in all(claimed) {
        let Place::Both(former) = place else { continue };
        match move_one(log, tid, &former, claimed) {
            Ok(may) => moved += usize::from(may),
            Err(e) if e.raw_os_error() == Some(libc::ESRCH) => {}
            Err(e) => stays.extend(Stay::thread(tid, &e)),
        }
    }
    moved
}

/// Moves a thread off; whether it may be moved.
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
