//! The end of a claim: afterwards no thread of the machine, whenever born, has an affinity that the claim has narrowed.

use super::log::{Fate, Log};
use super::settings;
use std::collections::BTreeMap;
use windfall_observe::procfs::{self, Stat};
use windfall_os::sched::Affinity;

/// So often all threads are looked at, if more with a narrowed affinity are found each time.
const PASSES: usize = 50;

/// Gives back everything that the claim in this log has changed. Nobody may move threads off meanwhile. `lives` is called now
/// and then: it takes long on a large machine.
pub(crate) fn give_back(log: &Log, trouble: &mut Vec<String>, lives: &dyn Fn()) {
    let Some(claimed) = log.claimed() else { return };
    settings::give_back(log, &claimed, trouble);
    let search = Search::new(log, &claimed);
    let mut left = Vec::new();
    for _ in 0..PASSES {
        // Threads are born while others are looked at, with the affinity of their makers.
        left.clear();
        if search.pass(&mut left, lives) == 0 {
            break;
        }
    }
    trouble.append(&mut left);
    log.end();
}

/// What is needed to find the former affinity of any thread.
struct Search {
    /// Narrowed affinities, each with what it was made of; the largest former ones first.
    narrowed: Vec<(Affinity, Affinity)>,
    noted: BTreeMap<i32, (u64, Fate)>,
}

impl Search {
    fn new(log: &Log, claimed: &Affinity) -> Search {
        let narrowed = log.former_masks().into_iter();
        let narrowed = narrowed.map(|former| (former.without(claimed), former)).collect();
        Search { narrowed, noted: log.threads() }
    }

    /// Looks at all threads once; to how many a former affinity was given.
    fn pass(&self, trouble: &mut Vec<String>, lives: &dyn Fn()) -> usize {
        let mut given = 0;
        for pid in procfs::processes() {
            lives();
            for tid in procfs::threads(pid) {
                let Some(former) = self.former(pid, tid) else { continue };
                match former.give(tid) {
                    Ok(()) => given += 1,
                    Err(e) if e.raw_os_error() == Some(libc::ESRCH) => {}
                    Err(e) => {
                        trouble.push(format!("thread {tid} did not get its affinity back: {e}"));
                    }
                }
            }
        }
        given
    }

    /// The affinity that a thread is to have, if its own is a narrowed one.
    fn former(&self, pid: i32, tid: i32) -> Option<Affinity> {
        let affinity = Affinity::of(tid).ok()?;
        let (_, largest) = self.narrowed.iter().find(|(narrowed, _)| *narrowed == affinity)?;
        let own = procfs::stat(tid)?;
        if own.fixed {
            return None; // it follows a setting of the kernel, by itself
        }
        let fate = self.noted(tid, &own).or_else(|| {
            // Born since: it has what its process, or the process' maker, had.
            let process = procfs::stat(pid)?;
            let of_maker = || self.noted(process.ppid, &procfs::stat(process.ppid)?);
            self.noted(pid, &process).or_else(of_maker)
        });
        match fate {
            Some(Fate::Kept) => None,
            Some(Fate::Moved(former)) if self.narrowed.contains(&(affinity, former)) => {
                Some(former)
            }
            _ => Some(*largest),
        }
    }

    /// What is noted of the thread that has this number now.
    fn noted(&self, tid: i32, stat: &Stat) -> Option<Fate> {
        let (start, fate) = self.noted.get(&tid)?;
        (stat.start == *start).then_some(*fate)
    }
}
