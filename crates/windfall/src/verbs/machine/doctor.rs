//! `windfall doctor`: what this machine can host and enforce, what stands in the way, what would help.

use crate::cli::DoctorArgs;
use crate::output::show;
use crate::{Answer, VerbError};
use windfall_doctor::examine;
use windfall_report::doctor;

pub(crate) fn run(args: &DoctorArgs) -> Result<Answer, VerbError> {
    let found = examine()?;
    show(args.json, || doctor::json(&found), |width| doctor::text(&found, width))?;
    Ok(if found.ready() { Answer::Yes } else { Answer::No })
}
