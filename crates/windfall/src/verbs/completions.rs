//! `windfall completions SHELL`

use crate::cli::{Cli, CompletionsArgs};
use crate::output::print;
use crate::{Answer, VerbError};
use clap::CommandFactory;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Answer, VerbError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "windfall", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(Answer::Yes)
}
