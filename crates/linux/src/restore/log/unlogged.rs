//! Late children: threads that supervised ones have made and that are not in the log yet. They have inherited a priority and an
//! affinity of ours, and get the former settings of their makers.
//!
//! The priority alone does not identify one, since other programs may use the same. A late child has that priority, has begun after the
//! run, and its process is noted or descends from one that is. If the maker is gone, the session that the orphan has
//! inherited is compared.

use super::entry::give;
use super::{Former, RestoreLog, patient};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs::{self, Stat};
use windfall_os::sched::Attributes;

/// The log's facts about threads and processes of a run.
struct Makers {
    began: u64,
    /// Former settings of noted threads: by thread and by process.
    former: BTreeMap<i32, Former>,
    /// Former settings of the first noted thread of each session.
    sessions: BTreeMap<i32, Former>,
}

/// Most generations that are followed back.
const GENERATIONS: usize = 64;

/// Restores all late children.
pub(super) fn restore(restore_log: &RestoreLog, trouble: &mut Vec<String>) {
    let makers = Makers::of(restore_log);
    let ourselves = std::process::id().cast_signed();
    let others = procfs::processes().into_iter().filter(|pid| *pid != ourselves);
    let threads =
        others.flat_map(|pid| procfs::threads(pid).into_iter().map(move |tid| (pid, tid)));
    // Their classes first, which the kernel reports without blocking.
    let threads: Vec<(i32, i32)> = threads.filter(|(_, tid)| has_our_priority(*tid)).collect();
    let look = |&(pid, tid): &(i32, i32), trouble: &mut Vec<String>| {
        let stat = procfs::stat(tid).filter(|stat| stat.start >= makers.began);
        let found = stat.and_then(|stat| makers.former(pid, &stat));
        if let Some(former) = found {
            give(tid, &former, trouble);
        }
    };
    patient::each(&threads, &look, trouble, &|| restore_log.beat());
}

fn has_our_priority(tid: i32) -> bool {
    let fifo = libc::SCHED_FIFO.cast_unsigned();
    Attributes::of(tid)
        .is_ok_and(|its| its.policy == fifo && fifo_priorities::is_supervised(its.priority))
}

impl Makers {
    fn of(restore_log: &RestoreLog) -> Makers {
        let mut makers = Makers {
            began: restore_log.table.began.load(Ordering::Relaxed),
            former: BTreeMap::new(),
            sessions: BTreeMap::new(),
        };
        for entry in restore_log.entries() {
            let (tid, pid) = (entry.tid.load(Ordering::Relaxed), entry.pid.load(Ordering::Relaxed));
            makers.former.insert(tid, entry.what());
            makers.former.entry(pid).or_insert_with(|| entry.what());
            let session = entry.session.load(Ordering::Relaxed);
            makers.sessions.entry(session).or_insert_with(|| entry.what());
        }
        makers
    }

    /// The former settings of the nearest noted maker of a thread of process `pid`.
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
