//! `windfall new audio|server|robot|service -o FILE`: a first scenario, and beside it the schema that its first line names.

use super::schema;
use crate::cli::{NewArgs, Template};
use crate::output::Destinations;
use crate::{Answer, VerbError};
use clap::ValueEnum;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use windfall_scenario::Scenario;

pub(crate) fn run(args: &NewArgs) -> Result<Answer, VerbError> {
    let path = output(args);
    let mut outputs = Destinations::new(args.force.force, [])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = outputs.claim("--output", &path)?;
    output.write(|out| out.write_all(text(args.template).as_bytes()))?;
    let beside = place_schema(&path)?;
    let schema = Some(path.with_file_name(schema::FILE)).filter(|schema| schema.exists());
    outputs.show(
        args.json,
        || json!({ "wrote": output.name(), "schema": schema }),
        |_| output.wrote(&beside),
    )?;
    Ok(Answer::Yes)
}

/// Where the scenario is written.
pub(crate) fn output(args: &NewArgs) -> PathBuf {
    let name = args.template.to_possible_value();
    let default = || format!("{}.toml", name.map_or(String::new(), |n| n.get_name().to_owned()));
    args.output.clone().unwrap_or_else(|| default().into())
}

const fn text(template: Template) -> &'static str {
    match template {
        Template::Audio => include_str!("../../templates/audio.toml"),
        Template::Server => include_str!("../../templates/server.toml"),
        Template::Robot => include_str!("../../templates/robot.toml"),
        Template::Service => include_str!("../../templates/service.toml"),
    }
}

/// A scenario's text, with the schema that lies beside it in its first line.
pub(crate) fn with_schema(scenario: &Scenario) -> String {
    format!("#:schema {}\n{}", schema::FILE, scenario.write())
}

/// Writes the schema beside a scenario's file where there is none, and says so. One that is there is left as it is.
pub(crate) fn place_schema(scenario: &Path) -> Result<String, VerbError> {
    if !scenario.metadata().is_ok_and(|data| data.is_file()) {
        return Ok(String::new()); // a pipe has nothing beside it
    }
    let path = scenario.with_file_name(schema::FILE);
    let name = path.display();
    let text = windfall_scenario::schema();
    if path.symlink_metadata().is_err() {
        let mut outputs = Destinations::new(false, [scenario])?;
        outputs.claim("--output", &path)?.write(|out| out.write_all(text.as_bytes()))?;
        return Ok(format!(", and {name} for completion in editors"));
    }
    let same = std::fs::read_to_string(&path).is_ok_and(|there| there == text);
    let renew =
        || format!("; {name} is of another version: `windfall schema --force -o {name}` renews it");
    Ok(if same { String::new() } else { renew() })
}
