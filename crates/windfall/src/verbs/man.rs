//! `windfall man FOLDER`: a page for the command and one for each verb.

use crate::cli::{Cli, ManArgs};
use crate::output::{Destinations, is_standard};
use crate::{Answer, VerbError};
use clap::CommandFactory;
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
    let mut command = Cli::command();
    command.build();
    let verbs: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut pages = vec![("windfall".to_owned(), command)];
    let verbs = verbs.into_iter().filter(|verb| verb.get_name() != "help");
    pages.extend(verbs.map(|verb| (format!("windfall-{}", verb.get_name()), verb)));
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
