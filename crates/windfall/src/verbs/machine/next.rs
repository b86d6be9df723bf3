//! The next command after a verb of this machine.

use crate::cli::{CompareArgs, CtlVerb, LabArgs, LabVerb, MachineVerb, RunArgs};
use crate::output::quoted;
use crate::verbs::next::{named, trace};

/// The words after `windfall`; nothing where nothing makes sense.
pub(in crate::verbs) fn after(verb: &MachineVerb, yes: bool) -> Option<String> {
    Some(match verb {
        MachineVerb::Run(args) => after_run(args, yes)?,
        MachineVerb::Compare(args) => after_comparison(args)?,
        MachineVerb::Doctor(_) if yes => "record --for 10s".to_owned(),
        MachineVerb::Doctor(_) => "new audio".to_owned(),
        MachineVerb::Restore(_) => "doctor".to_owned(),
        MachineVerb::Measure(args) => match &args.output {
            Some(output) => format!("compare SCENARIO.toml --costs {}", named(output)?),
            None => "measure -o costs.toml".to_owned(),
        },
        MachineVerb::Record(args) => format!("explain {} --worst", named(&args.output)?),
        MachineVerb::Calibrate(args) if args.save.is_some() => "new audio".to_owned(),
        MachineVerb::Calibrate(_) => "calibrate --save NAME -- COMMAND".to_owned(),
        MachineVerb::Ctl(args) => match args.verb {
            CtlVerb::Stop => return None,
            CtlVerb::List => "top".to_owned(),
            _ => "ctl list".to_owned(),
        },
        MachineVerb::Top(_) => "explain --worst".to_owned(),
        MachineVerb::Lab(args) => return after_lab(args),
    })
}

fn after_lab(args: &LabArgs) -> Option<String> {
    match (&args.verb, args.name.as_deref()) {
        (Some(LabVerb::Validate(args)), _) => {
            args.report.is_none().then(|| "lab validate --report machine.html".to_owned())
        }
        (None, Some("list")) => Some("lab table-10-4 --quick".to_owned()),
        (None, Some(name)) if args.report.is_none() => {
            Some(format!("lab {name} --report {name}.html"))
        }
        (None, _) => None,
    }
}

fn after_run(args: &RunArgs, yes: bool) -> Option<String> {
    let Some(file) = &args.file else {
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
    match (&args.other, &args.costs) {
        (None, None) => Some("measure -o costs.toml".to_owned()),
        _ => None,
    }
}
