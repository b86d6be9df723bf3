//! Other threads at real-time priorities: each that is at least as high as supervision runs before what a run has granted.

use crate::procfs::{self, KTHREADD, Stat};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use windfall_os::sched;

/// How many are named.
const NAMED: usize = 5;

/// A real-time thread that is not supervised.
#[non_exhaustive]
pub struct Rival {
    /// Its number.
    pub tid: i32,
    /// Its line in /proc; it names class and priority.
    pub stat: Stat,
}

impl fmt::Display for Rival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.stat.comm, self.tid, self.stat.priority)
    }
}

/// Real-time threads (SCHED_FIFO, SCHED_RR) at these priorities, the highest first, but those of the kernel and of the processes
/// `but`.
#[must_use]
pub fn at(priorities: RangeInclusive<u32>, but: &BTreeSet<i32>) -> Vec<Rival> {
    let mut found = Vec::new();
    for pid in procfs::processes().into_iter().filter(|pid| !but.contains(pid)) {
        for tid in procfs::threads(pid) {
            let Some(stat) = procfs::stat(tid).filter(|stat| !stat.has_ended()) else { continue };
            let of_kernel = stat.ppid == KTHREADD || pid == KTHREADD;
            if sched::is_real_time(stat.policy) && priorities.contains(&stat.priority) && !of_kernel
            {
                found.push(Rival { tid, stat });
            }
        }
    }
    found.sort_unstable_by_key(|rival| std::cmp::Reverse((rival.stat.priority, rival.tid)));
    found
}

/// Their names, numbers and priorities: the first five, and how many there are more.
#[must_use]
pub fn named(rivals: &[Rival]) -> String {
    let named: Vec<String> = rivals.iter().take(NAMED).map(ToString::to_string).collect();
    let more = rivals.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}
