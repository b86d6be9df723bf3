//! Claims processors: moves everything off them that can run elsewhere, until the run ends (decision 0013).
//!
//! Invariant: each change is in the [`Log`] before it is made. The run and its guardian undo changes by the same code.

mod give_back;
mod keeper;
mod log;
mod settings;
mod threads;

pub(crate) use give_back::give_back;
pub(crate) use keeper::Keeper;
pub(crate) use log::Log;
pub(crate) use threads::KeptNoted;

use windfall_observe::occupancy::survey;
use windfall_os::sched::Affinity;
use windfall_scenario::model::{Claim, Machine};
use windfall_scenario::outcome::Claimed;

/// Chooses the processors of `supervised` to claim. At least one online processor stays unclaimed.
pub(crate) fn choose(machine: &Machine, supervised: &[u16], online: &[u16]) -> Vec<u16> {
    if machine.claim == Claim::None {
        return Vec::new();
    }
    let others = online.iter().any(|cpu| !supervised.contains(cpu));
    let most = if others { supervised.len() } else { supervised.len().saturating_sub(1) };
    supervised[..most].to_vec()
}

/// A remark for a run that must leave its last processor unclaimed because there is no other.
pub(crate) fn shared(claim: Claim, supervised: &[u16], claimed: &[u16]) -> Option<String> {
    let last = supervised.last().filter(|last| claim != Claim::None && !claimed.contains(last))?;
    Some(format!(
        "processor {last} is not claimed, because the run supervises all processors: the rest of the machine runs \
         there and takes up to 50 ms at a stretch from supervised threads"
    ))
}

/// Claims these processors. Reports what cannot be moved and stays; with processors claimed, threads that come there later may be moved, too.
pub(crate) fn claim(log: &Log, cpus: &[u16]) -> (Claimed, Option<KeptNoted>) {
    let claimed: Affinity = cpus.iter().copied().collect();
    let mut report = Claimed::default();
    report.processors = cpus.to_vec();
    if claimed.is_empty() {
        return (report, None);
    }
    log.begin(&claimed);
    let mut stays = survey(&claimed).stays;
    report.interrupts = settings::take(log, &claimed, &mut stays);
    let kept = threads::note_kept(log, &claimed);
    report.threads = kept.move_off(log, &claimed, &mut stays);
    report.stays = stays.iter().map(ToString::to_string).collect();
    (report, Some(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_at_least_one_processor_stays_unclaimed() {
        let machine = Machine::ideal(2);
        assert_eq!(choose(&machine, &[2, 3], &[0, 1, 2, 3]), [2, 3]);
        assert_eq!(choose(&machine, &[0, 1], &[0, 1]), [0]);
        assert_eq!(choose(&machine, &[0], &[0]), [0_u16; 0]);
        assert!(
            shared(machine.claim, &[0, 1], &[0]).is_some_and(|text| text.contains("processor 1"))
        );
        assert_eq!(shared(machine.claim, &[2, 3], &[2, 3]), None);
        let none = machine.claim(Claim::None);
        assert_eq!(choose(&none, &[2, 3], &[0, 1, 2, 3]), [0_u16; 0]);
        assert_eq!(shared(none.claim, &[0, 1], &[]), None);
    }
}
