//! Ends a claim: afterwards no thread, however young, has an affinity that the claim has narrowed.

use super::log::{Fate, Log};
use super::settings;
use std::collections::BTreeMap;
use windfall_observe::procfs::{self, Stat};
use windfall_os::sched::Affinity;

/// The most passes over all threads; a pass that finds no narrowed affinity is the last.
const PASSES: usize = 50;

/// Undoes everything that the claim in this log has changed. No thread may be moved off meanwhile. `lives` is called now and then,
/// because this takes long on a large machine.
pub(crate) fn give_back(log: &Log, trouble: &mut Vec<String>, lives: &dyn Fn()) {
    let Some(claimed) = log.claimed() else { return };
    settings::give_back(log, &claimed, trouble);
    let search = Search::new(log, &claimed);
    let mut left = Vec::new();
    for _ in 0..PASSES {
        // Threads that start during a pass inherit the affinity of their makers.
        left.clear();
        if search.pass(&mut left, lives) == 0 {
            break;
        }
    }
    trouble.append(&mut left);
    log.end();
}

/// The data that is needed to find the former affinity of any thread.
struct Search {
    /// Narrowed affinities, each with the former one; the largest former ones first.
    narrowed: Vec<(Affinity, Affinity)>,
    noted: BTreeMap<i32, (u64, Fate)>,
}

impl Search {
    fn new(log: &Log, claimed: &Affinity) -> Search {
        let narrowed = log.former_masks().into_iter();
        let narrowed = narrowed.map(|former| (former.without(claimed), former)).collect();
        Search { narrowed, noted: log.threads() }
    }

    /// Checks all threads once. Returns how many got their former affinity back.
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

    /// The affinity to give back to a thread, if its own is a narrowed one.
    fn former(&self, pid: i32, tid: i32) -> Option<Affinity> {
        let affinity = Affinity::of(tid).ok()?;
        let (_, largest) = self.narrowed.iter().find(|(narrowed, _)| *narrowed == affinity)?;
        let own = procfs::stat(tid)?;
        if own.fixed {
            return None; // the kernel sets its affinity
        }
        let fate = self.noted(tid, &own).or_else(|| {
            // It started since: it gets what its process, or the maker of its process, had.
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

    /// The log's entry of the thread that has this number now.
    fn noted(&self, tid: i32, stat: &Stat) -> Option<Fate> {
        let (start, fate) = self.noted.get(&tid)?;
        (stat.start == *start).then_some(*fate)
    }
}
