//! `windfall compare A B`: two outcomes side by side, each printed earlier by `--json`, or simulated here from a scenario.

use crate::cli::CompareArgs;
use crate::command_error::CommandError;
use crate::output::{Destinations, JSON_VERSION, input_name, show};
use crate::verbs::load::{load, plan};
use crate::verbs::simulated::simulated;
use crate::{Answer, VerbError};
use serde_json::Value;
use std::path::Path;
use windfall_report::compare::{OutcomeDocument, Outcomes};
use windfall_report::json;
use windfall_scenario::outcome::judge;
use windfall_scenario::read_text;
use windfall_time::Span;

pub(super) fn run(args: &CompareArgs, other: &Path) -> Result<Answer, CommandError> {
    Destinations::new(false, [args.file.as_path(), other])?;
    if args.length.is_some() && ![&args.file, other].into_iter().any(is_scenario) {
        let why = "`--for` is how long a scenario is simulated, and both outcomes are there already; leave it out";
        return Err(VerbError(format!("windfall: {why}")).into());
    }
    let compared = Outcomes {
        outcomes: [outcome(&args.file, args.length)?, outcome(other, args.length)?],
        names: [&args.file, other].map(input_name),
        within: args.tolerance,
    };
    show(args.json, || compared.json(), |width| compared.text(width))?;
    let alike = compared.is_close() && compared.is_judged_alike();
    Ok(if alike { Answer::Yes } else { Answer::No })
}

/// Whether a file is to be simulated.
fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// An outcome as JSON: read, or simulated.
fn outcome(path: &Path, length: Option<Span>) -> Result<OutcomeDocument, CommandError> {
    let name = input_name(path);
    let failed = |why: String| VerbError(format!("windfall: {name}: {why}"));
    if is_scenario(path) {
        let mut scenario = load(path)?;
        scenario.length = length.unwrap_or(scenario.length);
        let outcome = simulated(&scenario, plan(&scenario, path)?, path)?;
        let document = json(&scenario, &outcome, &judge(&scenario, &outcome));
        return OutcomeDocument::read(document).map_err(|why| failed(why.to_string()).into());
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
    OutcomeDocument::read(read).map_err(|why| failed(format!("{why}; {help}")).into())
}
