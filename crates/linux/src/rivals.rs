//! Others at the priorities that supervision uses: a run among them would keep neither its promises nor theirs.

use crate::begin::found;
use crate::claim;
use crate::guardian;
use crate::run::online;
use crate::state;
use std::collections::BTreeSet;
use std::time::Duration;
use windfall_observe::fifo_priorities;
use windfall_observe::procfs::{self, Stat};
use windfall_os::LinuxError;
use windfall_os::sched::Affinity;
use windfall_scenario::{Plan, PlannedProgram};

/// Whoever is there no longer than this is no rival.
const PASSING: Duration = Duration::from_millis(100);
/// How many are named.
const NAMED: usize = 5;

/// A thread of somebody else.
pub(crate) struct Rival {
    pub(crate) tid: i32,
    pub(crate) stat: Stat,
}

impl std::fmt::Display for Rival {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {})", self.stat.comm, self.tid, self.stat.priority)
    }
}

/// Real-time threads at these priorities, the highest first, but those of the kernel and of these processes.
pub(crate) fn at(priorities: std::ops::RangeInclusive<u32>, but: &BTreeSet<i32>) -> Vec<Rival> {
    let mut found = Vec::new();
    for pid in procfs::processes().into_iter().filter(|pid| !but.contains(pid)) {
        for tid in procfs::threads(pid) {
            let Some(stat) = procfs::stat(tid).filter(|stat| !stat.has_ended()) else { continue };
            let real_time = [libc::SCHED_FIFO, libc::SCHED_RR].map(i32::cast_unsigned);
            let of_kernel = stat.ppid == KTHREADD || pid == KTHREADD;
            if real_time.contains(&stat.policy) && priorities.contains(&stat.priority) && !of_kernel
            {
                found.push(Rival { tid, stat });
            }
        }
    }
    found.sort_unstable_by_key(|rival| std::cmp::Reverse((rival.stat.priority, rival.tid)));
    found
}

/// Their names, the first few.
pub(crate) fn named(rivals: &[Rival]) -> String {
    let named: Vec<String> = rivals.iter().take(NAMED).map(ToString::to_string).collect();
    let more = rivals.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// The parent of all threads of the kernel.
const KTHREADD: i32 = 2;

/// Refuses a run among whose processors others would be at its priorities: neither it nor a program of its scenario.
pub(crate) fn refuse(plan: &Plan, cpus: &[u16]) -> Result<(), LinuxError> {
    let claimed: Affinity = claim::choose(&plan.machine, cpus, &online()?).into_iter().collect();
    let supervised: Affinity = cpus.iter().copied().collect();
    let mut but = BTreeSet::from([std::process::id().cast_signed()]);
    for thread in &plan.threads {
        if let PlannedProgram::External { external, .. } = &thread.program {
            but.extend(found(&external.program));
        }
    }
    let there = || {
        let mut rivals = at(fifo_priorities::FROZEN..=fifo_priorities::GUARDIAN, &but);
        rivals.retain(|rival| {
            let Ok(own) = Affinity::of(rival.tid) else { return false };
            let moved = own.without(&claimed);
            let meets = moved.is_empty() || moved.meets(&supervised) || rival.stat.fixed;
            own.meets(&supervised) && meets
        });
        rivals
    };
    let mut rivals = there();
    if !rivals.is_empty() {
        // Whoever only tries what it may, as `doctor` does, is gone in a moment.
        std::thread::sleep(PASSING);
        let stay: BTreeSet<i32> = there().iter().map(|rival| rival.tid).collect();
        rivals.retain(|rival| stay.contains(&rival.tid));
    }
    if rivals.is_empty() {
        return Ok(());
    }
    if rivals.iter().any(|rival| rival.stat.comm == guardian::NAME) {
        let why =
            "another run is under way that does not share /run with this one (in a container?)";
        let remedy = "wait for it, or use other processors (`--cpus`)";
        return Err(LinuxError::new(state::TWICE, why, remedy).and_busy());
    }
    let (low, high) = (fifo_priorities::FROZEN, fifo_priorities::GUARDIAN);
    Err(LinuxError::new(
        format!(
            "cannot supervise beside others at real-time priorities {low} to {high}, which a run uses"
        ),
        named(&rivals),
        "give them others (`chrt -f -p PRIORITY TID`) or other processors (`taskset`), or use other processors (`--cpus`)",
    ))
}
