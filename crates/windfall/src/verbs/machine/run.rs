//! `windfall run FILE`, or `-- COMMAND`

use crate::cli::{Judged, RunArgs, RunHost, SimulateArgs};
use crate::command_error::{CommandError, warn};
use crate::output::{error_width, input_name, print_error, print_json, show};
use crate::verbs::keep::Outputs;
use crate::verbs::load::{load, plan};
use crate::verbs::simulate;
use crate::verbs::simulated::reached_its_end;
use crate::{Answer, VerbError};
use serde_json::json;
use std::path::Path;
use std::time::Instant as Clock;
use windfall_linux::{KeptStatus, Settings, StopSignals};
use windfall_report::check::broken;
use windfall_report::{dry_run, json, text, took};
use windfall_scenario::outcome::{holds, judge};
use windfall_scenario::{CommandPromise, Scenario};
use windfall_time::Span;
use windfall_trace::{Header, Sink};

pub(crate) fn run(args: &RunArgs) -> Result<Answer, CommandError> {
    let Some(file) = &args.file else { return run_command(args) };
    if args.host == RunHost::Sim {
        is_for_the_simulated_machine(args)?;
        let (file, keep) = (file.clone(), args.keep.clone());
        let (length, json, judge) = (args.length, args.json, Judged::Asked);
        return simulate::run(&SimulateArgs {
            file,
            length,
            judge,
            json,
            keep,
            ..SimulateArgs::default()
        });
    }
    carry_out(args, load(file)?, file)
}

/// Runs a command. Its exit status is the answer; success if it was asked to end before.
fn run_command(args: &RunArgs) -> Result<Answer, CommandError> {
    let promise = promise(args)?;
    let command = &args.command;
    // What is not run has no status.
    let status = (!args.dry_run).then(KeptStatus::new).transpose()?;
    let words = status.as_ref().map_or_else(|| command.clone(), |status| status.of(command));
    let scenario = promise.scenario(words)?;
    let program = Path::new(command.first().map_or("", String::as_str));
    let answer = carry_out(args, scenario, program.file_name().map_or(program, Path::new))?;
    Ok(status.map_or(answer, |status| status.get().map_or(Answer::Yes, Answer::Status)))
}

/// The promise that the options ask for.
fn promise(args: &RunArgs) -> Result<CommandPromise, VerbError> {
    let why = match (args.host, args.budget.zip(args.period), args.share) {
        (RunHost::Sim, ..) => {
            "a command cannot be simulated, because its behaviour is unknown; `windfall calibrate -- COMMAND` measures it"
        }
        (_, Some((amount, period)), _) => return Ok(CommandPromise::Budget { amount, period }),
        (_, None, Some(parts)) => return Ok(CommandPromise::Share(parts)),
        (_, None, None) => {
            "a command without a scenario needs `--budget 3ms --period 10ms`, or `--share 2`"
        }
    };
    Err(VerbError(format!("windfall: {why}")))
}

/// Refuses what a simulated machine has no use for.
fn is_for_the_simulated_machine(args: &RunArgs) -> Result<(), VerbError> {
    let given = [
        (args.dry_run, "--dry-run"),
        (!args.cpus.is_empty(), "--cpus"),
        (args.socket.is_some(), "--socket"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => {
            let why = format!("`{option}` is about this machine, and `--host sim` leaves it alone");
            Err(VerbError(format!("windfall: {why}; leave one of both out")))
        }
    }
}

/// Runs a scenario that stands in `file`, or is called so, and prints what came of it.
fn carry_out(args: &RunArgs, mut scenario: Scenario, file: &Path) -> Result<Answer, CommandError> {
    scenario.length = args.length.unwrap_or(scenario.length);
    let plan = plan(&scenario, file)?;
    let granted = plan.refused.is_empty();
    warn(&scenario);
    let settings = Settings {
        scenario: Some(scenario.clone()),
        name: input_name(file),
        socket: args.socket.clone(),
        cpus: args.cpus.clone(),
        ..Settings::default()
    };
    if args.dry_run {
        let changes = windfall_linux::dry_run(&plan, &settings)?;
        let changes = format!(
            "{changes}all of it would be given back {}, when interrupted, or by a guardian within a second\n",
            end(args, scenario.length)
        );
        let lines: Vec<&str> = changes.lines().collect();
        show(args.json, || json!({ "would_change": lines }), |_| dry_run::text(&lines))?;
        return Ok(Answer::Yes);
    }
    let cpus = plan.hierarchy.processors();
    let header = Header::new("windfall run", "run", cpus);
    let mut outputs = Outputs::open(&args.keep, file, args.json, &header)?;
    outputs.keep_programs_apart()?;
    let sink: Option<&mut (dyn Sink + Send)> =
        if outputs.wanted() { Some(&mut outputs) } else { None };
    for line in broken(&scenario) {
        print_error(&format!("windfall: {}: {line}\n", settings.name));
    }
    // A signal that comes again may not cost the results.
    let _held = StopSignals::hold().map_err(|why| VerbError(format!("windfall: {why}")))?;
    let begun = Clock::now();
    let outcome = windfall_linux::run(plan, &settings, sink)?;
    let verdicts = judge(&scenario, &outcome);
    let wall = begun.elapsed();
    let kept = outputs.close(file, &scenario, &outcome, &verdicts);
    if args.json {
        print_json(json(&scenario, &outcome, &verdicts))?;
        print_error(&took(&outcome, wall));
    } else if args.file.is_some() {
        outputs.print(&text(&scenario, &outcome, &verdicts, wall, outputs.width()))?;
    } else {
        // Standard output is the command's.
        print_error(&text(&scenario, &outcome, &verdicts, wall, error_width()));
    }
    kept?;
    reached_its_end(&outcome, file)?;
    let held = granted && holds(&outcome, &verdicts);
    Ok(if held { Answer::Yes } else { Answer::No })
}

/// When a run ends by itself, in words.
fn end(args: &RunArgs, length: Span) -> String {
    match (&args.file, args.length) {
        (Some(_), _) => format!("after {length}"),
        (None, None) => "when the command ends".to_owned(),
        (None, Some(length)) => format!("when the command ends, at the latest after {length}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, MachineVerb, Verb};
    use clap::Parser;

    fn asked(words: &[&str]) -> Option<CommandPromise> {
        let words = ["windfall", "run"].iter().chain(words);
        match Cli::try_parse_from(words).map(|cli| cli.verb) {
            Ok(Verb::Machine(MachineVerb::Run(args))) => promise(&args).ok(),
            _ => None,
        }
    }

    #[test]
    fn accepts_what_a_command_is_promised_and_refuses_a_command_without_a_promise() {
        let span = |text: &str| text.parse().unwrap();
        let budget = CommandPromise::Budget { amount: span("3ms"), period: span("10ms") };
        for (words, promise) in [
            (&["--budget", "3ms", "--period", "10ms", "--", "make"][..], Some(budget)),
            (&["--share", "2", "--", "make", "-j4"], Some(CommandPromise::Share(2))),
            (&["--", "make"], None),
            (&["--host", "sim", "--share", "2", "--", "make"], None),
            (&["--share", "20", "--", "make"], None),
            (&["--budget", "3ms", "--", "make"], None),
        ] {
            assert_eq!(asked(words), promise, "{words:?}");
        }
    }
}
