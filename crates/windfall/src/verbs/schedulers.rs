//! `windfall schedulers [NAME]`: the catalogue, from the code itself.

use crate::cli::SchedulersArgs;
use crate::output::{print, table};
use crate::{Answer, Trouble};
use windfall_schedulers::catalogue::{Form, KINDS, Kind, find};

pub(crate) fn run(args: &SchedulersArgs) -> Result<Answer, Trouble> {
    let Some(name) = &args.name else {
        let row = |kind: &&Kind| vec![kind.name.to_owned(), kind.summary.to_owned()];
        print(&table(&["SCHEDULER", "WHAT IT DOES"], 2, KINDS.iter().map(row).collect()))?;
        return Ok(Answer::Yes);
    };
    let Some(kind) = find(name) else {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let known = known.join(", ");
        return Err(Trouble(format!("windfall: unknown scheduler `{name}`; known: {known}")));
    };
    print(&describe(kind))?;
    Ok(Answer::Yes)
}

/// The head of its file, then its settings.
fn describe(kind: &Kind) -> String {
    let head = kind.source.lines().map_while(|line| line.strip_prefix("//!"));
    let mut text: String =
        head.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect();
    if kind.settings.is_empty() {
        text.push_str("\nNo settings.\n");
        return text;
    }
    text.push('\n');
    let row = |setting: &windfall_schedulers::catalogue::Setting| {
        let form = match setting.form {
            Form::Span => "time".to_owned(),
            Form::Integer(least, most) => format!("{least} to {most}"),
            Form::Bool => "true, false".to_owned(),
            Form::Word(words) => words.join(", "),
        };
        vec![setting.name.to_owned(), form, setting.default.to_owned(), setting.help.to_owned()]
    };
    let rows = kind.settings.iter().map(row).collect();
    text + &table(&["SETTING", "ALLOWED", "DEFAULT", "WHAT IT DOES"], 4, rows)
}
