//! Locks with a protocol, by number, and the ranks of the threads that use them.

use super::programs::Numbers;
use super::threads::parent_of;
use super::trees::{lends_ranks, ranks_by};
use crate::model::{Scenario, Scheduler, Thread};
use crate::plan::PlannedLock;
use windfall_programs::{LockProtocol, Rank};
use windfall_schedulers::catalogue::RanksBy;
use windfall_schedulers::parameters::{PRIORITY, ParameterValue};

/// All locks with a protocol.
pub(super) fn planned(scenario: &Scenario) -> Vec<PlannedLock> {
    let numbers = Numbers::of(scenario);
    let inherits = scenario.locks.iter().filter(|lock| lock.protocol != LockProtocol::None);
    let planned = inherits.filter_map(|lock| {
        let mut users = Vec::new();
        for thread in scenario.threads.iter().filter(|thread| thread.run.takes(&lock.name)) {
            let scheduler = scenario.scheduler_named(parent_of(scenario, thread)?)?;
            let rank = rank(scenario, scheduler, thread)?;
            let first = numbers.first(thread);
            users.extend((first..first + thread.names().count()).map(|number| (number, rank)));
        }
        let resource = numbers.resource(&lock.name)?;
        Some(PlannedLock { lock: resource, protocol: lock.protocol, users })
    });
    planned.collect()
}

/// The rank of a thread below a scheduler, if it is written; `None` if it is not, or if ranks cannot be lent there.
pub(crate) fn rank(scenario: &Scenario, scheduler: &Scheduler, thread: &Thread) -> Option<Rank> {
    if !lends_ranks(scenario, scheduler) {
        return None;
    }
    let rate = thread.requires.rate();
    match ranks_by(scenario, scheduler) {
        RanksBy::Priority => {
            let priority = thread.requires.get(&PRIORITY).and_then(ParameterValue::integer)?;
            i32::try_from(priority).ok().map(Rank::Priority)
        }
        RanksBy::Period => rate.map(|rate| Rank::Period(rate.period)),
        RanksBy::RelativeDeadline => rate.map(|rate| Rank::RelativeDeadline(rate.deadline)),
        RanksBy::Deadline => {
            // Its scheduler takes the deadline from the rate when it wakes, and from its timer when it runs.
            let due = rate.map(|rate| rate.deadline);
            let begun = thread.run.all_steps().filter_map(|step| step.effect().due);
            begun.eq(due).then_some(Rank::Deadline(due))
        }
        RanksBy::Nothing => None,
    }
}
