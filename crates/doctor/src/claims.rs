//! Work that stays on a processor that a run claims, and how to move it (decision 0013).

use super::{Check, Facts, State};
use windfall_observe::occupancy;
use windfall_os::sched::Affinity;

const PURPOSE: &str = "exclusive processors";

/// Looks at the last processor that we may use, which a run takes first.
pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    let Some(last) = facts.allowed.last().copied() else { return Vec::new() };
    if facts.allowed.len() == 1 {
        let found =
            "there is no second one: the rest of the machine runs on the supervised one".to_owned();
        let check = Check::new(PURPOSE, "claimed processor", State::Limited, found);
        return vec![check.remedy("a second processor")];
    }
    let survey = occupancy::survey(&Affinity::one(last));
    let found = format!(
        "a run that claims processor {last} moves {} threads, {} of them the kernel's, and {} settings of the kernel",
        survey.threads,
        survey.kernel,
        survey.settings.len(),
    );
    let moves = Check::new(PURPOSE, "claimed processor", State::Yes, found);
    let stays = survey.stays.into_iter().map(|stay| {
        Check::new(PURPOSE, "stays on the processor", State::Limited, stay.what).remedy(stay.remedy)
    });
    std::iter::once(moves).chain(stays).collect()
}
