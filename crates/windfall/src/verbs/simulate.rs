//! `windfall simulate FILE`

use crate::cli::{Judged, SimulateArgs};
use crate::command_error::{CommandError, warn};
use crate::output::{errors_are_read, input_name, print_error, print_json};
use crate::verbs::keep::Outputs;
use crate::verbs::load::{load_with, plan};
use crate::verbs::next;
use crate::verbs::simulated::{reached_its_end, simulation};
use crate::{Answer, VerbError};
use std::time::{Duration, Instant as Clock};
use windfall_report::{json, text, took};
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{all_promises, broken_bounds, holds, judge};
use windfall_time::Instant;
use windfall_trace::{Header, Sink};

pub(crate) fn run(args: &SimulateArgs) -> Result<Answer, CommandError> {
    let mut scenario = read(args)?;
    let plan = plan(&scenario, &args.file)?;
    let granted = plan.refused.is_empty();
    if args.seed.is_some() || args.length.is_some() {
        // Reasons are about the file's own values, as with `--set`.
        scenario.expectations.iter_mut().for_each(|expected| expected.because.clear());
    }
    warn(&scenario);
    let cpus = u16::try_from(scenario.machine.speeds.len())
        .expect("a scenario that was checked has at most 1,024 processors");
    let header = Header::new("windfall simulate", "virtual", cpus);
    let mut outputs = Outputs::open(&args.keep, &args.file, args.json, &header)?;

    let begun = Clock::now();
    let end = Instant::ZERO + scenario.length;
    let sink: Option<&mut (dyn Sink + Send)> =
        if outputs.wanted() { Some(&mut outputs) } else { None };
    let mut sim = simulation(plan, &args.file, sink)?;
    match args.judge {
        Judged::Asked => {} // the plan's own
        Judged::All => sim.judge_promises(&all_promises(&scenario)),
    }
    let bar = Progress::new(end);
    let outcome = sim.run(end, |now| bar.at(now));
    bar.done();
    let wall = begun.elapsed();

    let verdicts = judge(&scenario, &outcome);
    let kept = outputs.close(&args.file, &scenario, &outcome, &verdicts);
    if args.json {
        print_json(json(&scenario, &outcome, &verdicts))?;
        print_error(&took(&outcome, wall));
    } else {
        outputs.print(&text(&scenario, &outcome, &verdicts, wall, outputs.width()))?;
    }
    kept?;
    let late = match args.judge {
        Judged::Asked => Vec::new(),
        Judged::All => broken_bounds(&scenario, &outcome).1,
    };
    let name = input_name(&args.file);
    late.iter().for_each(|late| print_error(&format!("windfall: {name}: {late}\n")));
    reached_its_end(&outcome, &args.file)?;
    let held = late.is_empty() && granted && holds(&outcome, &verdicts);
    if !args.json {
        let missed = outcome.threads.iter().any(|thread| thread.missed > 0);
        next::say(next::after_simulation(args, held && !missed));
    }
    Ok(if held { Answer::Yes } else { Answer::No })
}

/// Reads the scenario, with the values of the options.
fn read(args: &SimulateArgs) -> Result<Scenario, CommandError> {
    let given = [
        ("--seed", "seed", args.seed.map(|seed| seed.to_string())),
        ("--for", "length", args.length.map(|length| length.to_string())),
    ];
    for (option, key, value) in given {
        let mut set = args.set.overrides.iter().filter(|one| one.key() == key);
        if let Some((value, set)) = value.zip(set.next()) {
            let why = format!("`{option} {value}` and `--set {set}` set one value");
            return Err(VerbError(format!("windfall: {why}; leave one of them out")).into());
        }
    }
    let mut scenario = load_with(&args.file, &args.set.overrides)?;
    scenario.seed = args.seed.unwrap_or(scenario.seed);
    scenario.length = args.length.unwrap_or(scenario.length);
    Ok(scenario)
}

/// A progress bar, if it takes more than a second and standard error is a terminal.
struct Progress {
    begun: Clock,
    end: Instant,
    bar: Option<indicatif::ProgressBar>,
}

impl Progress {
    fn new(end: Instant) -> Progress {
        let bar = errors_are_read().then(|| {
            let bar = indicatif::ProgressBar::hidden();
            bar.set_length(end.as_nanos());
            let style = "{bar:40} {percent}% of the time simulated, {eta} left";
            if let Ok(style) = indicatif::ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        Progress { begun: Clock::now(), end, bar }
    }

    /// Always true: only a signal ends a simulation early.
    fn at(&self, now: Instant) -> bool {
        if let Some(bar) = &self.bar
            && self.begun.elapsed() > Duration::from_secs(1)
        {
            if bar.is_hidden() {
                bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            }
            bar.set_position(now.as_nanos().min(self.end.as_nanos()));
        }
        true
    }

    fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
