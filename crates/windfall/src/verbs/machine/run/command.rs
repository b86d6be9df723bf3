//! `windfall run --budget 3ms --period 10ms -- COMMAND`: the scenario made for a command, and the exit status of the command.

use crate::cli::{RunArgs, RunHost};
use crate::command_error::CommandError;
use crate::{Answer, VerbError};
use serde_json::json;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use windfall_scenario::Scenario;

/// A shell that waits for the command and keeps its exit status in a file, because a run does not report how its programs
/// ended.
const SHELL: &str = "to=$1; shift; \"$@\"; echo $? > \"$to\"";

/// A command that is to be run, and the folder in which its status is left.
pub(super) struct Started {
    text: String,
    name: String,
    folder: Folder,
}

impl Started {
    /// Refuses what says nothing, and what cannot be.
    pub(super) fn new(args: &RunArgs) -> Result<Started, VerbError> {
        if args.host == RunHost::Sim {
            let why = "a command cannot be simulated, because its behaviour is unknown; `windfall calibrate -- COMMAND` measures it";
            return Err(VerbError(format!("windfall: {why}")));
        }
        let tree = tree(args)?;
        let folder = Folder::new()?;
        let status = folder.status();
        let shell = ["sh", "-c", SHELL, "windfall", status.to_str().unwrap_or_default()];
        let shell = shell.into_iter().filter(|_| !args.dry_run); // what is not run has no status
        let words: Vec<&str> = shell.chain(args.command.iter().map(String::as_str)).collect();
        // A JSON list of strings is a TOML list of strings.
        let text = format!("{tree}exec = {}\n", json!(words));
        let program = args.command.first().map_or("", String::as_str);
        let name = Path::new(program).file_name().map_or(program.into(), |n| n.to_string_lossy());
        Ok(Started { text, name: name.into_owned(), folder })
    }

    /// The name of the run.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The scenario.
    pub(super) fn scenario(&self) -> Result<Scenario, CommandError> {
        Scenario::parse("the command line", &self.text).map_err(CommandError::of)
    }

    /// The exit status of the command; success if it was asked to end before.
    pub(super) fn answer(&self) -> Answer {
        let status = std::fs::read_to_string(self.folder.status()).ok();
        let status = status.and_then(|status| status.trim().parse::<u8>().ok());
        status.map_or(Answer::Yes, Answer::Status)
    }
}

/// The scheduler of the command and what it is promised there, up to its last key.
fn tree(args: &RunArgs) -> Result<String, VerbError> {
    let (machine, guarantee) = match (args.budget.zip(args.period), args.share) {
        (Some((budget, period)), _) => ("", format!("RESBH {budget} {period}")),
        // Who is not supervised has the rest of the processor, so none is claimed.
        (None, Some(parts)) => (
            "[machine]\nclaim = \"none\"\n\n",
            format!("RESBH {}ms {}ms", u64::from(parts) * 10, u64::from(parts) * 10 + 10),
        ),
        (None, None) => {
            let why =
                "a command without a scenario needs `--budget 3ms --period 10ms`, or `--share 2`";
            return Err(VerbError(format!("windfall: {why}")));
        }
    };
    Ok(format!(
        "schema = 2\nlength = \"8760h\"\n\n{machine}[schedulers.root]\nscheduler = \"rez\"\nparent = \"top\"\n\n\
         [threads.command]\nparent = \"root\"\nguarantee = \"{guarantee}\"\n"
    ))
}

/// A folder that only this user can write to, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, VerbError> {
        let path = std::env::temp_dir().join(format!("windfall-run-{}", std::process::id()));
        // Of an earlier process of this number, which was killed; nobody else's is removed.
        let _ = std::fs::remove_dir_all(&path);
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| VerbError(format!("windfall: {}: {error}", path.display())))?;
        Ok(Folder(path))
    }

    /// Where the shell leaves the status.
    fn status(&self) -> PathBuf {
        self.0.join("status")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // what is left is empty, or a number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, MachineVerb, Verb};
    use clap::Parser;
    use windfall_scenario::model::{Claim, ExternalProgram};

    fn started(words: &[&str]) -> Result<Started, VerbError> {
        let words = ["windfall", "run"].iter().chain(words);
        match Cli::try_parse_from(words).map(|cli| cli.verb) {
            Ok(Verb::Machine(MachineVerb::Run(args))) => Started::new(&args),
            _ => Err(VerbError("no run".to_owned())),
        }
    }

    fn scenario(words: &[&str]) -> Scenario {
        let started = started(words).unwrap_or_else(|VerbError(why)| panic!("{why}"));
        started.scenario().unwrap_or_else(|_| panic!("{}", started.text))
    }

    #[test]
    fn accepts_a_budget_as_a_hard_reservation_of_all_threads_together() {
        let found =
            scenario(&["--budget", "3ms", "--period", "10ms", "--", "make", "-j4", "a b\"c"]);
        let promised = found.schedulers.iter().find_map(|s| s.owns[0].requires.guarantee);
        assert_eq!(promised.map(|it| it.to_string()).as_deref(), Some("RESBH 3ms 10ms"));
        let external = found.threads[0].external.as_ref().map(|external| &external.program);
        let Some(ExternalProgram::Exec { command, .. }) = external else { panic!("a command") };
        assert_eq!(command[5..], ["make", "-j4", "a b\"c"]);
        let shown = scenario(&["--dry-run", "--share", "2", "--", "make", "-j4"]);
        let external = shown.threads[0].external.as_ref().map(|external| &external.program);
        let Some(ExternalProgram::Exec { command, .. }) = external else { panic!("a command") };
        assert_eq!(command[..], ["make", "-j4"], "a dry run shows the command alone");
        assert!(found.promises().refused().next().is_none());
        assert_eq!(found.machine.claim, Claim::Processors);
    }

    #[test]
    fn accepts_a_share_as_parts_to_one_of_everybody_else() {
        let found = scenario(&["--share", "2", "--", "make"]);
        let promised = found.schedulers.iter().find_map(|s| s.owns[0].requires.guarantee);
        assert_eq!(promised.map(|it| it.to_string()).as_deref(), Some("RESBH 20ms 30ms"));
        assert_eq!(found.machine.claim, Claim::None);
        let most = scenario(&["--share", "19", "--", "make"]);
        assert!(most.build().is_ok() && most.promises().refused().next().is_none());
    }

    #[test]
    fn refuses_a_command_that_is_promised_nothing_and_a_budget_above_its_period() {
        for words in [
            &["--", "make"][..],
            &["--host", "sim", "--share", "2", "--", "make"],
            &["--share", "20", "--", "make"],
            &["--budget", "3ms", "--", "make"],
        ] {
            assert!(started(words).is_err(), "{words:?}");
        }
        let above = started(&["--budget", "11ms", "--period", "10ms", "--", "make"]);
        assert!(above.is_ok_and(|started| started.scenario().is_err()));
    }
}
