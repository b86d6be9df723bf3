//! `windfall migrate FILE`: a scenario file of an earlier version becomes one of today's.

use crate::Answer;
use crate::cli::MigrateArgs;
use crate::command_error::CommandError;
use crate::output::{Destinations, document, input_name, print};
use serde_json::{Value, json};
use std::io::Write;
use windfall_scenario::{migrate, read_text};

pub(crate) fn run(args: &MigrateArgs) -> Result<Answer, CommandError> {
    let name = input_name(&args.file);
    let text = read_text(&args.file);
    let text = text.map_err(|why| crate::VerbError(format!("windfall: {name}: {why}")))?;
    let mut outputs = Destinations::new(true, [])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = outputs.claim("FILE", &args.file)?;
    let Some(migrated) = migrate(&name, &text).map_err(CommandError::of)? else {
        // A file stays as it is; a pipe goes on.
        if crate::output::is_standard(&args.file) {
            output.write(|out| out.write_all(text.as_bytes()))?;
        }
        if args.json {
            print(&document(changes(&name, &[])))?;
        } else {
            outputs.print(&format!("{name} is of today's version; nothing was changed\n"))?;
        }
        return Ok(Answer::Yes);
    };
    output.write(|out| out.write_all(migrated.text.as_bytes()))?;
    if args.json {
        print(&document(changes(&name, &migrated.changes)))?;
        return Ok(Answer::Yes);
    }
    let lines = migrated.changes.iter();
    let lines =
        lines.map(|(line, before, now)| format!("{name}:{line}: `{before}` is `{now}` now\n"));
    outputs.print(&lines.collect::<String>())?;
    Ok(Answer::Yes)
}

/// The words that were replaced, for programs.
fn changes(name: &str, changes: &[(usize, String, String)]) -> Value {
    let change = |(line, before, now): &(usize, String, String)| json!({ "line": line, "before": before, "now": now });
    json!({ "file": name, "changes": changes.iter().map(change).collect::<Vec<_>>() })
}
