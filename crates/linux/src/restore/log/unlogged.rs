//! Late children: threads that supervised ones have made and nobody has noted yet. They have inherited a priority of ours
//! and an affinity, and become what their makers were.
//!
//! Nobody is taken for one by his priority: others may use the same. A late child has it, has begun since the
//! run, and is of a process that is noted, or descends from one. The maker of an orphan is gone; the session that it has inherited
//! tells.

use super::entry::give;
use super::{Former, RestoreLog, patient};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs::{self, Stat};
use windfall_os::sched::Attributes;

/// What is known of the processes of a run.
struct Makers {
    began: u64,
    /// What noted threads were: by their number, and by their process.
    former: BTreeMap<i32, Former>,
    /// What the first noted thread of each session was.
    sessions: BTreeMap<i32, Former>,
}

/// So many generations are looked back.
const GENERATIONS: usize = 64;

/// Restores all late children that there are.
pub(super) fn restore(journal: &RestoreLog, trouble: &mut Vec<String>) {
    let makers = Makers::of(journal);
    let ourselves = std::process::id().cast_signed();
    let others = procfs::processes().into_iter().filter(|pid| *pid != ourselves);
    let threads =
        others.flat_map(|pid| procfs::threads(pid).into_iter().map(move |tid| (pid, tid)));
    // Their classes first, which the kernel tells without waiting for anybody.
    let threads: Vec<(i32, i32)> = threads.filter(|(_, tid)| is_on_our_rungs(*tid)).collect();
    let look = |&(pid, tid): &(i32, i32), trouble: &mut Vec<String>| {
        let stat = procfs::stat(tid).filter(|stat| stat.start >= makers.began);
        let found = stat.and_then(|stat| makers.former(pid, &stat));
        if let Some((attributes, affinity)) = found {
            give(tid, &attributes, &affinity, trouble);
        }
    };
    patient::each(&threads, &look, trouble, &|| journal.beat());
}

fn is_on_our_rungs(tid: i32) -> bool {
    let fifo = libc::SCHED_FIFO.cast_unsigned();
    Attributes::of(tid)
        .is_ok_and(|its| its.policy == fifo && fifo_priorities::is_supervised(its.priority))
}

impl Makers {
    fn of(journal: &RestoreLog) -> Makers {
        let mut makers = Makers {
            began: journal.table.began.load(Ordering::Relaxed),
            former: BTreeMap::new(),
            sessions: BTreeMap::new(),
        };
        for entry in journal.entries() {
            let (tid, pid) = (entry.tid.load(Ordering::Relaxed), entry.pid.load(Ordering::Relaxed));
            makers.former.insert(tid, entry.what());
            makers.former.entry(pid).or_insert_with(|| entry.what());
            let session = entry.session.load(Ordering::Relaxed);
            makers.sessions.entry(session).or_insert_with(|| entry.what());
        }
        makers
    }

    /// What the nearest maker of a thread of this process was.
    fn former(&self, pid: i32, stat: &Stat) -> Option<Former> {
        let (mut at, mut own) = (pid, stat.clone());
        for _ in 0..GENERATIONS {
            if let Some(former) = self.former.get(&at) {
                return Some(*former);
            }
            let parent = procfs::stat(own.ppid);
            let orphan = parent.as_ref().is_none_or(|parent| parent.session != own.session);
            if orphan && own.start >= self.began && at != own.session {
                return self.sessions.get(&own.session).copied();
            }
            (at, own) = (own.ppid, parent?);
        }
        None
    }
}
