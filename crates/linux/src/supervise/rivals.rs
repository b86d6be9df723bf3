//! Finds other threads at the priorities that supervision uses: beside them neither the run nor they would get what they need.

use crate::restore::claim;
use crate::restore::state;
use crate::supervise::processors::online;
use crate::threads::processes::found;
use std::collections::BTreeSet;
use std::time::Duration;
use windfall_observe::{fifo_priorities, rivals, supervision};
use windfall_os::sched::Affinity;
use windfall_os::{LinuxError, LinuxErrorKind};
use windfall_scenario::{Plan, PlannedProgram};

/// A thread that is gone after this time is no rival.
const PASSING: Duration = Duration::from_millis(100);

/// Refuses a run if other threads with its priorities would stay on its processors. Its own threads and its programs' do not count.
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
        let mut rivals = rivals::at(fifo_priorities::FROZEN..=fifo_priorities::GUARDIAN, &but);
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
        // A process that only tests what it may do, such as `doctor`, ends within a moment.
        std::thread::sleep(PASSING);
        let stay: BTreeSet<i32> = there().iter().map(|rival| rival.tid).collect();
        rivals.retain(|rival| stay.contains(&rival.tid));
    }
    if rivals.is_empty() {
        return Ok(());
    }
    if rivals.iter().any(|rival| rival.stat.comm == supervision::GUARDIAN) {
        let why =
            "another run is under way that does not share /run with this one (in a container?)";
        let remedy = "wait for it, or use other processors (`--cpus`)";
        return Err(LinuxError::new(state::TWICE, why, remedy).of_kind(LinuxErrorKind::Busy));
    }
    let (low, high) = (fifo_priorities::FROZEN, fifo_priorities::GUARDIAN);
    Err(LinuxError::new(
        format!(
            "cannot supervise while other threads have real-time priorities {low} to {high}, which a run uses"
        ),
        rivals::named(&rivals),
        "give them others (`chrt -f -p PRIORITY TID`) or other processors (`taskset`), or use other processors (`--cpus`)",
    ))
}
