//! `windfall man FOLDER`: a page for the command and one for each verb.

use crate::cli::{Cli, ManArgs};
use crate::output::write_file;
use crate::{Answer, Trouble};
use clap::CommandFactory;
use clap_mangen::Man;

pub(crate) fn run(args: &ManArgs) -> Result<Answer, Trouble> {
    std::fs::create_dir_all(&args.folder)
        .map_err(|error| Trouble(format!("windfall: {}: {error}", args.folder.display())))?;
    let mut command = Cli::command();
    command.build();
    let verbs: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let page = |name: &str, command: clap::Command| {
        let path = args.folder.join(format!("{name}.1"));
        write_file(&path, |out| Man::new(command).title(name).render(out))
    };
    page("windfall", command)?;
    for verb in verbs.into_iter().filter(|verb| verb.get_name() != "help") {
        let name = format!("windfall-{}", verb.get_name());
        page(&name, verb)?;
    }
    Ok(Answer::Yes)
}
