//! Verbs of this machine.

pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod ctl;
pub(crate) mod doctor;
pub(crate) mod lab;
pub(crate) mod measure;
pub(crate) mod next;
pub(crate) mod record;
pub(crate) mod restore;
pub(crate) mod run;
pub(crate) mod top;

use crate::Answer;
use crate::cli::MachineVerb;
use crate::command_error::CommandError;

pub(crate) fn run(verb: &MachineVerb) -> Result<Answer, CommandError> {
    Ok(match verb {
        MachineVerb::Run(args) => run::run(args)?,
        MachineVerb::Compare(args) => compare::run(args)?,
        MachineVerb::Doctor(args) => doctor::run(args)?,
        MachineVerb::Restore(args) => restore::run(args)?,
        MachineVerb::Measure(args) => measure::run(args)?,
        MachineVerb::Record(args) => record::run(args)?,
        MachineVerb::Calibrate(args) => calibrate::run(args)?,
        MachineVerb::Ctl(args) => ctl::run(args)?,
        MachineVerb::Top(args) => top::run(args)?,
        MachineVerb::Lab(args) => lab::run(args)?,
    })
}
