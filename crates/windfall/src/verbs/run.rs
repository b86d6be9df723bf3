//! `windfall run FILE`

use crate::cli::{RunArgs, RunHost, SimulateArgs};
use crate::output::print;
use crate::verbs::check::{load, plan};
use crate::verbs::keep::Outputs;
use crate::verbs::simulate::{self, text};
use crate::{Answer, Trouble};
use std::time::Instant as Clock;
use windfall_linux::Settings;
use windfall_scenario::outcome::{json, judge};
use windfall_trace::{Header, Sink};

pub(crate) fn run(args: &RunArgs) -> Result<Answer, Trouble> {
    if args.host == RunHost::Sim {
        let (file, keep) = (args.file.clone(), args.keep.clone());
        let (length, json) = (args.length, args.json);
        return simulate::run(&SimulateArgs { file, length, seed: None, json, keep });
    }
    let mut scenario = load(&args.file, args.json)?;
    if args.length.is_some_and(windfall_time::Span::is_zero) {
        return Err(Trouble("windfall: `--for 0s` is no time at all; write how long".to_owned()));
    }
    scenario.length = args.length.unwrap_or(scenario.length);
    let plan = plan(&scenario, &args.file, args.json)?;
    let settings = Settings {
        scenario: Some(scenario.clone()),
        name: args.file.display().to_string(),
        socket: args.socket.clone(),
        cpus: args.cpus.clone(),
        ..Settings::default()
    };
    if args.dry_run {
        return print(&windfall_linux::dry_run(&plan, &settings)?).map(|()| Answer::Yes);
    }
    let cpus = plan.hierarchy.processors();
    let header = Header { source: "windfall run".to_owned(), clock: "run".to_owned(), cpus };
    let mut outputs = Outputs::open(&args.keep, &args.file, &header)?;
    let sink: Option<&mut (dyn Sink + Send)> =
        if outputs.wanted() { Some(&mut outputs) } else { None };
    let begun = Clock::now();
    let outcome = windfall_linux::run(plan, &settings, sink)?;
    let verdicts = judge(&scenario, &outcome);
    outputs.close(&args.file, &scenario, &outcome, &verdicts)?;
    if args.json {
        print(&format!("{:#}\n", json(&outcome, &verdicts, begun.elapsed())))?;
    } else {
        print(&text(&scenario, &outcome, &verdicts, begun.elapsed()))?;
    }
    if let Some(failure) = &outcome.failure {
        return Err(Trouble(format!("windfall: {}: {failure}", args.file.display())));
    }
    let held = verdicts.iter().all(|verdict| verdict.held)
        && outcome.quarantined.is_empty()
        && outcome.unborn.is_empty();
    Ok(if held { Answer::Yes } else { Answer::No })
}
