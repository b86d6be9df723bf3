//! `windfall migrate FILE`: a scenario file of an earlier version becomes one of today's.

use crate::Answer;
use crate::cli::MigrateArgs;
use crate::command_error::CommandError;
use crate::output::{Destinations, input_name, is_standard};
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
    let migrated = migrate(&name, &text).map_err(CommandError::of)?;
    let (text, changed) = match migrated {
        Some(migrated) => (migrated.text, migrated.changes),
        // A pipe goes on; a file stays as it is.
        None => (text, Vec::new()),
    };
    if !changed.is_empty() || is_standard(&args.file) {
        let output = outputs.claim_rewritten("FILE", &args.file)?;
        output.write(|out| out.write_all(text.as_bytes()))?;
    }
    if changed.is_empty() {
        let nothing = |_| format!("{name} is of the current version; nothing was changed\n");
        outputs.show(args.json, || changes(&name, &[]), nothing)?;
        return Ok(Answer::Yes);
    }
    let line = |(line, before, now): &(usize, String, String)| {
        format!("{name}:{line}: `{before}` is `{now}` now\n")
    };
    outputs.show(args.json, || changes(&name, &changed), |_| changed.iter().map(line).collect())?;
    Ok(Answer::Yes)
}

/// The words that were replaced, for programs.
fn changes(name: &str, changes: &[(usize, String, String)]) -> Value {
    let change = |(line, before, now): &(usize, String, String)| json!({ "line": line, "before": before, "now": now });
    json!({ "file": name, "changes": changes.iter().map(change).collect::<Vec<_>>() })
}
