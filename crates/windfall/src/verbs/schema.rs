//! `windfall schema [-o FILE]`

use crate::cli::SchemaArgs;
use crate::output::{Destinations, print};
use crate::{Answer, VerbError};
use std::io::Write;

/// How the schema's file is called where a scenario beside it names it.
pub(crate) const FILE: &str = "scenario.schema.json";

pub(crate) fn run(args: &SchemaArgs) -> Result<Answer, VerbError> {
    let Some(path) = &args.output else {
        print(&windfall_scenario::schema())?;
        return Ok(Answer::Yes);
    };
    let mut outputs = Destinations::new(args.force.force, [])?;
    let output = outputs.claim("--output", path)?;
    output.write(|out| out.write_all(windfall_scenario::schema().as_bytes()))?;
    outputs.print(&output.wrote(""))?;
    Ok(Answer::Yes)
}
