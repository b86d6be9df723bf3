//! How verbs read the scenario that they are about, and build it.

use crate::command_error::CommandError;
use crate::output::{input_name, print_error};
use crate::profiles::Shelf;
use std::path::Path;
use windfall_scenario::{Override, Plan, Scenario, TraceFiles};

/// Reads a scenario, and the profiles that it names.
pub(crate) fn load(path: &Path) -> Result<Scenario, CommandError> {
    load_with(path, &[])
}

/// Reads a scenario with some values other than its file's, and the profiles that it names.
pub(crate) fn load_with(path: &Path, overrides: &[Override]) -> Result<Scenario, CommandError> {
    let mut scenario = Scenario::load_with(path, overrides).map_err(CommandError::of)?;
    scenario.apply_profiles(&Shelf).map_err(CommandError::of)?;
    Ok(scenario)
}

/// Builds a scenario; recordings are looked for in its folder, and a warning says which of them end early.
pub(crate) fn plan(scenario: &Scenario, path: &Path) -> Result<Plan, CommandError> {
    let (plan, recordings) = plan_from(scenario, path)?;
    for (file, why) in recordings.cut() {
        let name = input_name(path);
        print_error(&format!(
            "windfall: {name}: LOST: the recording {file} ends early ({why}); what came before is used\n"
        ));
    }
    Ok(plan)
}

/// The same for a verb that says itself what its recording lacks; with the recordings.
pub(crate) fn plan_from(
    scenario: &Scenario,
    path: &Path,
) -> Result<(Plan, TraceFiles), CommandError> {
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let mut recordings = TraceFiles::new(folder);
    let plan = scenario.build_with(&mut recordings).map_err(CommandError::of)?;
    Ok((plan, recordings))
}
