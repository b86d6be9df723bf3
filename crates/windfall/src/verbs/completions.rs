//! `windfall completions SHELL`: a script that asks the command itself for completions.

use crate::cli::CompletionsArgs;
use crate::output::print;
use crate::{Answer, VerbError};
use clap_complete::env::Shells;

/// The variable by which a shell asks for completions.
pub(crate) const VARIABLE: &str = "WINDFALL_COMPLETE";

pub(crate) fn run(args: &CompletionsArgs) -> Result<Answer, VerbError> {
    let shells = Shells::builtins();
    let name = args.shell.to_string();
    let shell = shells.completer(&name);
    let shell = shell.ok_or_else(|| VerbError(format!("windfall: no completions for {name}")))?;
    let mut text = Vec::new();
    shell.write_registration(VARIABLE, "windfall", "windfall", "windfall", &mut text)?;
    print(&String::from_utf8_lossy(&text))?;
    Ok(Answer::Yes)
}
