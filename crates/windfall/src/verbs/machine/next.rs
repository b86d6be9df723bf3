//! The next command after a verb of this machine.

use crate::cli::{
    CalibrateArgs, CompareArgs, CtlVerb, LabArgs, LabVerb, MachineVerb, RunArgs, RunHost,
};
use crate::output::quoted;
use crate::verbs::next::{named, trace};
use std::path::{Path, PathBuf};

/// The words after `windfall`; nothing where nothing makes sense.
pub(in crate::verbs) fn after(verb: &MachineVerb, yes: bool) -> Option<String> {
    Some(match verb {
        MachineVerb::Run(args) => after_run(args, yes)?,
        MachineVerb::Compare(args) => after_comparison(args)?,
        MachineVerb::Doctor(_) if yes => "record --for 10s".to_owned(),
        MachineVerb::Doctor(_) => "new audio".to_owned(),
        MachineVerb::Restore(_) => "doctor".to_owned(),
        MachineVerb::Measure(args) if args.output.is_none() => "measure -o costs.toml".to_owned(),
        MachineVerb::Measure(_) => return None, // it is for a scenario of the user's

        MachineVerb::Record(args) => format!("explain {} --worst", named(&args.output)?),
        MachineVerb::Calibrate(args) => after_calibration(args, yes)?,
        MachineVerb::Ctl(args) => match args.verb {
            CtlVerb::Stop => return None,
            CtlVerb::List => format!("top{}", of_run(args.socket.as_deref())?),
            _ => format!("ctl{} list", of_run(args.socket.as_deref())?),
        },
        MachineVerb::Top(args) => format!("explain{} --worst", of_run(args.socket.as_deref())?),
        MachineVerb::Lab(args) => return after_lab(args),
    })
}

/// The option that names a run's socket, if it has one of its own.
fn of_run(socket: Option<&Path>) -> Option<String> {
    match socket {
        Some(socket) => Some(format!(" --socket {}", named(socket)?)),
        None => Some(String::new()),
    }
}

/// The same again, kept as a profile of the command's name.
fn after_calibration(args: &CalibrateArgs, yes: bool) -> Option<String> {
    if !yes || args.save.is_some() {
        return None; // nothing to keep, or it has said how a scenario names it
    }
    let name = Path::new(args.command.first()?).file_name()?.to_str()?;
    let length = args.length.map(|length| format!(" --for {length}")).unwrap_or_default();
    let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
    let conservatism = match args.conservatism.as_str() {
        "1.2" => String::new(),
        other => format!(" --conservatism {}", quoted(other)),
    };
    Some(format!("calibrate{length}{conservatism} --save {} -- {}", quoted(name), words.join(" ")))
}

fn after_lab(args: &LabArgs) -> Option<String> {
    match (&args.verb, args.name.as_deref()) {
        (Some(LabVerb::Validate(args)), _) => Some(match args.report {
            None => "lab validate --report machine.html".to_owned(),
            Some(_) => "measure -o costs.toml".to_owned(),
        }),
        (None, None | Some("list")) => Some("lab table-10-4 --quick".to_owned()),
        (None, Some(name)) if args.report.is_none() => {
            Some(format!("lab {name} --report {name}.html"))
        }
        (None, Some(_)) => Some("lab list".to_owned()),
    }
}

fn after_run(args: &RunArgs, yes: bool) -> Option<String> {
    if args.host == RunHost::Sim {
        return None; // as a simulation it has said so itself
    }
    let Some(file) = &args.file else {
        if !yes {
            return None; // the command failed, or was not found
        }
        let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
        return Some(format!("calibrate -- {}", words.join(" ")));
    };
    let file = named(file)?;
    Some(match trace(&args.keep) {
        _ if args.dry_run => format!("run {file}"),
        Some(trace) => format!("explain {trace} --worst"),
        None if yes => format!("compare {file}"),
        None => format!("run {file} --trace run.wft"),
    })
}

fn after_comparison(args: &CompareArgs) -> Option<String> {
    let is_scenario = |path: &&PathBuf| path.extension().is_some_and(|end| end == "toml");
    match (&args.other, &args.costs) {
        (None, None) => Some("measure -o costs.toml".to_owned()),
        (None, Some(_)) => None,
        // The page shows where the times are; an outcome does not say of which scenario it is.
        (Some(other), _) => {
            let scenario = [other, &args.file].into_iter().find(is_scenario)?;
            Some(format!("simulate {} --report report.html", named(scenario)?))
        }
    }
}
