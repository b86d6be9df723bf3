//! `windfall man FOLDER`: a page for the command and one for each verb, also of those below a verb, so that every page exists that
//! another one names.

use crate::cli::{Cli, ManArgs};
use crate::output::{Destinations, is_standard};
use crate::{Answer, VerbError};
use clap::{Command, CommandFactory};
use clap_mangen::Man;

pub(crate) fn run(args: &ManArgs) -> Result<Answer, VerbError> {
    if is_standard(&args.folder) {
        let why =
            "windfall: man pages are several files and cannot go to standard output; name a folder";
        return Err(VerbError(why.to_owned()));
    }
    let mut outputs = Destinations::new(args.force.force, [])?;
    std::fs::create_dir_all(&args.folder)
        .map_err(|error| VerbError(format!("windfall: {}: {error}", args.folder.display())))?;
    let mut command = without_help(Cli::command());
    command.build();
    let mut pages = Vec::new();
    add_pages("windfall", &command, &mut pages);
    let mut claimed = Vec::new();
    for (name, command) in pages {
        let output = outputs.claim("FOLDER", &args.folder.join(format!("{name}.1")))?;
        claimed.push((output, name, command));
    }
    for (output, name, command) in claimed {
        output.write(|out| Man::new(command).title(name).render(out))?;
    }
    Ok(Answer::Yes)
}

/// The command without its verbs `help`, which have no pages.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

/// The page of a command, then those of its verbs.
fn add_pages(name: &str, command: &Command, pages: &mut Vec<(String, Command)>) {
    pages.push((name.to_owned(), command.clone()));
    for verb in command.get_subcommands() {
        add_pages(&format!("{name}-{}", verb.get_name()), verb, pages);
    }
}
