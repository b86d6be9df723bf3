//! Simulations, for every verb that needs one: each says why it cannot be, and none passes off a part as the whole.

use crate::VerbError;
use crate::output::input_name;
use std::fmt::Display;
use std::path::Path;
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Plan, Scenario};
use windfall_sim::Sim;
use windfall_time::Instant;
use windfall_trace::Sink;

/// The simulation of a scenario that stands in `file`, and has this plan, to its end.
///
/// # Errors
/// A machine that cannot be simulated, or why the simulation did not reach its end.
pub(crate) fn simulated(
    scenario: &Scenario,
    plan: Plan,
    file: &Path,
) -> Result<Outcome, VerbError> {
    let sim = simulation(plan, file, None)?;
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    reached_its_end(&outcome, file)?;
    Ok(outcome)
}

/// A simulation of the plan of `file` that has not begun.
///
/// # Errors
/// Why its machine, or one of its programs, cannot be simulated.
pub(crate) fn simulation<'a>(
    plan: Plan,
    file: &Path,
    sink: Option<&'a mut (dyn Sink + Send)>,
) -> Result<Sim<'a>, VerbError> {
    Sim::of(plan, sink).map_err(|why| failed(&why, file))
}

/// Refuses what a run, simulated or not, came to before its end.
///
/// # Errors
/// Why it did not reach its end.
pub(crate) fn reached_its_end(outcome: &Outcome, file: &Path) -> Result<(), VerbError> {
    if let Some(failure) = &outcome.failure {
        return Err(failed(failure, file));
    }
    match outcome.supervision.as_ref().and_then(|run| run.cut_short.as_ref()) {
        Some(why) => Err(VerbError(format!("windfall: the run ended before its time: {why}"))),
        None => Ok(()),
    }
}

fn failed(why: &dyn Display, file: &Path) -> VerbError {
    VerbError(format!("windfall: {}: {why}", input_name(file)))
}
