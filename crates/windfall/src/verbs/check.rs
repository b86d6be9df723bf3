//! `windfall check FILE`: whether the promises compose.

use crate::cli::CheckArgs;
use crate::command_error::{CommandError, warn};
use crate::output::{input_name, print_error, show};
use crate::profiles::Shelf;
use crate::{Answer, VerbError};
use std::path::Path;
use windfall_report::check;
use windfall_scenario::explain::Explanation;
use windfall_scenario::{Assessment, Override, Plan, Promises, Scenario, TraceFiles};

pub(crate) fn run(args: &CheckArgs) -> Result<Answer, CommandError> {
    let scenario = load_with(&args.file, &args.set.overrides)?;
    scenario.check().map_err(CommandError::of)?;
    let found = Assessment::of(&scenario);
    let answer = if found.holds() { Answer::Yes } else { Answer::No };
    if let Some(name) = &args.why {
        let explanations = why(&found.promises, name)?;
        show(
            args.json,
            || check::explained_json(&explanations),
            |_| check::explained(&explanations),
        )?;
        return Ok(answer);
    }
    if found.promises.refused().next().is_none() {
        // Every scheduler admits its children, and recordings can be read.
        plan(&scenario, &args.file)?;
    }
    warn(&scenario);
    show(
        args.json,
        || check::json(&scenario, &found),
        |width| check::text(&scenario, &found, width),
    )?;
    Ok(answer)
}

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

/// Why one scheduler or thread has what it has.
fn why(promises: &Promises, name: &str) -> Result<Vec<Explanation>, VerbError> {
    let vps = promises.named(name);
    if vps.is_empty() {
        return Err(VerbError(format!(
            "windfall: no scheduler and no thread is called `{name}`; `check` without `--why` lists them"
        )));
    }
    Ok(vps.into_iter().map(|vp| promises.explain(vp)).collect())
}
