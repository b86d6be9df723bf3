//! `windfall compare A B`: two outcomes side by side, each printed earlier by `--json`, or simulated here from a scenario.

use crate::cli::CompareArgs;
use crate::command_error::CommandError;
use crate::output::{Destinations, JSON_VERSION, input_name, show};
use crate::verbs::check::{load, plan};
use crate::{Answer, VerbError};
use serde_json::Value;
use std::path::Path;
use windfall_report::compare::Outcomes;
use windfall_report::json;
use windfall_scenario::outcome::{judge, promises};
use windfall_scenario::read_text;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

pub(super) fn run(args: &CompareArgs, other: &Path) -> Result<Answer, CommandError> {
    Destinations::new(false, [args.file.as_path(), other])?;
    let compared = Outcomes {
        outcomes: [outcome(&args.file, args.length)?, outcome(other, args.length)?],
        names: [&args.file, other].map(input_name),
        within: args.tolerance,
    };
    show(args.json, || compared.json(), |width| compared.text(width))?;
    let alike = compared.is_close() && compared.is_judged_alike();
    Ok(if alike { Answer::Yes } else { Answer::No })
}

/// An outcome as JSON: read, or simulated.
fn outcome(path: &Path, length: Option<Span>) -> Result<Value, CommandError> {
    let name = input_name(path);
    let failed = |why: String| VerbError(format!("windfall: {name}: {why}"));
    let is_scenario = path.extension().is_some_and(|extension| extension == "toml");
    if is_scenario {
        let mut scenario = load(path)?;
        scenario.length = length.filter(|length| !length.is_zero()).unwrap_or(scenario.length);
        let mut sim =
            Sim::of(plan(&scenario, path)?, None).map_err(|why| failed(why.to_string()))?;
        sim.judge_promises(&promises(&scenario));
        let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
        return Ok(json(&scenario, &outcome, &judge(&scenario, &outcome)));
    }
    let help = "give what `windfall simulate --json` or `windfall run --json` has printed, or a scenario `.toml`";
    let text = read_text(path).map_err(|why| failed(format!("{why}; {help}")))?;
    let read: Value = serde_json::from_str(&text)
        .map_err(|why| failed(format!("it is not an outcome ({why}); {help}")))?;
    match read.get("windfall") {
        Some(version) if *version == JSON_VERSION => {}
        None => {
            let why = "it is JSON, but no document of this command: it has no key `windfall`";
            return Err(failed(format!("{why}; {help}")).into());
        }
        Some(version) => {
            let why = format!("it is of version {version}, and this program reads {JSON_VERSION}");
            return Err(failed(format!("{why}; {help}")).into());
        }
    }
    match read["threads"].is_array() && read["length_ns"].is_u64() {
        true => Ok(read),
        false => Err(failed(format!("it is not an outcome; {help}")).into()),
    }
}
