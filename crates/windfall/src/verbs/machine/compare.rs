//! `windfall compare FILE`: one scenario, simulated and on real threads, side by side; or two outcomes (`compare/outcomes.rs`).
//!
//! The verdict is about processor time: it must differ from the simulated by no more than `--tolerance`.

mod outcomes;

use crate::cli::CompareArgs;
use crate::command_error::CommandError;
use crate::output::{Destinations, input_name, show};
use crate::verbs::load::{load, plan, plan_from};
use crate::verbs::simulated::{reached_its_end, simulated};
use crate::{Answer, VerbError};
use std::path::{Path, PathBuf};
use windfall_linux::Settings;
use windfall_report::Comparison;
use windfall_scenario::model::Machine;
use windfall_scenario::{Scenario, read_text};

pub(crate) fn run(args: &CompareArgs) -> Result<Answer, CommandError> {
    if let Some(other) = &args.other {
        return outcomes::run(args, other);
    }
    let inputs = std::iter::once(&args.file).chain(&args.costs).map(PathBuf::as_path);
    let mut outputs = Destinations::new(false, inputs)?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    outputs.keep_programs_apart()?;
    let mut scenario = load(&args.file)?;
    scenario.length = args.length.unwrap_or(scenario.length);
    let mut modelled = scenario.clone();
    if let Some(path) = &args.costs {
        cost(&mut modelled, path)?;
    }
    let simulated = simulated(&modelled, plan_from(&modelled, &args.file)?.0, &args.file)?;
    let settings = Settings { cpus: args.cpus.clone(), ..Settings::default() };
    let received = windfall_linux::run(plan(&scenario, &args.file)?, &settings, None)?;
    reached_its_end(&received, &args.file)?;
    let compared = Comparison::new(&scenario, &simulated, &received, args.tolerance);
    show(args.json, || compared.json(), |width| compared.text(width))?;
    Ok(if compared.is_close() { Answer::Yes } else { Answer::No })
}

/// Gives the simulated machine the costs of a file that `windfall measure` wrote.
fn cost(scenario: &mut Scenario, path: &Path) -> Result<(), CommandError> {
    let name = input_name(path);
    let text = read_text(path).map_err(|why| VerbError(format!("windfall: {name}: {why}")))?;
    let (costs, interrupts) = Machine::read(&name, &text).map_err(CommandError::of)?;
    let machine = &mut scenario.machine;
    (machine.timer, machine.costs, machine.cache) = (costs.timer, costs.costs, costs.cache);
    scenario.interrupts = interrupts;
    Ok(())
}
