//! `windfall run --budget 3ms --period 10ms -- COMMAND`: the scenario made for a command, and the exit status of the command.

use crate::cli::{RunArgs, RunHost};
use crate::{Answer, VerbError};
use std::collections::BTreeMap;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use windfall_scenario::model::{
    Claim, External, ExternalProgram, Machine, Requirements, Run, Scheduler, Thread,
};
use windfall_scenario::{Guarantee, Scenario};
use windfall_schedulers::kinds;
use windfall_time::Span;

/// A shell that waits for the command and keeps its exit status in a file, because a run does not report how its programs
/// ended.
const SHELL: &str = "to=$1; shift; \"$@\"; echo $? > \"$to\"";

/// How long a command may run that is not told: a year.
const AT_MOST: Span = Span::from_secs(8_760 * 60 * 60);

/// The name of the command's threads in the scenario.
const COMMAND: &str = "command";

/// The shortest period that a command may have. Each period costs two decisions, and each takes 5 us on real threads as a
/// rule, 40 us on a slow machine or in a build without optimisation (`docs/benchmarks/decisions-on-linux.md`). With
/// periods below the cost of their decisions a run does nothing but decide, and its guardian ends it.
const SHORTEST_PERIOD: Span = Span::from_nanos(250_000);
/// The least budget: what decides in a period is paid for by it.
const LEAST_BUDGET: Span = Span::from_nanos(25_000);

/// A command that is to be run, and the folder in which its status is left.
pub(super) struct Started {
    scenario: Scenario,
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
        let promised = Promised::of(args)?;
        let folder = Folder::new()?;
        let status = folder.status();
        let shell = ["sh", "-c", SHELL, "windfall", status.to_str().unwrap_or_default()];
        let shell = shell.into_iter().filter(|_| !args.dry_run); // what is not run has no status
        let words = shell.chain(args.command.iter().map(String::as_str)).map(str::to_owned);
        let scenario = promised.scenario(words.collect())?;
        let program = args.command.first().map_or("", String::as_str);
        let name = Path::new(program).file_name().map_or(program.into(), |n| n.to_string_lossy());
        Ok(Started { scenario, name: name.into_owned(), folder })
    }

    /// The name of the run.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The scenario.
    pub(super) fn scenario(&self) -> Scenario {
        self.scenario.clone()
    }

    /// The exit status of the command; success if it was asked to end before.
    pub(super) fn answer(&self) -> Answer {
        let status = std::fs::read_to_string(self.folder.status()).ok();
        let status = status.and_then(|status| status.trim().parse::<u8>().ok());
        status.map_or(Answer::Yes, Answer::Status)
    }
}

/// The promise that the options ask for.
struct Promised {
    amount: Span,
    period: Span,
    claim: Claim,
    /// The options, as they were given.
    options: String,
}

impl Promised {
    fn of(args: &RunArgs) -> Result<Promised, VerbError> {
        match (args.budget.zip(args.period), args.share) {
            (Some((amount, period)), _) => {
                let options = format!("`--budget {amount} --period {period}`");
                Ok(Promised { amount, period, claim: Claim::Processors, options })
            }
            (None, Some(parts)) => {
                let amount = Span::from_millis(parts * 10);
                let period = amount.saturating_add(Span::from_millis(10));
                // Who is not supervised has the rest of the processor, so none is claimed.
                Ok(Promised {
                    amount,
                    period,
                    claim: Claim::None,
                    options: format!("`--share {parts}`"),
                })
            }
            (None, None) => {
                let why = "a command without a scenario needs `--budget 3ms --period 10ms`, or `--share 2`";
                Err(VerbError(format!("windfall: {why}")))
            }
        }
    }

    /// The scenario of a command: what is wrong with it is wrong with the options.
    fn scenario(&self, command: Vec<String>) -> Result<Scenario, VerbError> {
        let Promised { amount, period, claim, options } = self;
        let wrong = |why: &str| VerbError(format!("windfall: {options}: {why}"));
        if amount.is_zero() {
            return Err(wrong("the budget is zero; write a time above zero"));
        }
        if amount > period {
            return Err(wrong("the budget is above its period; write at most the period"));
        }
        is_worth_deciding(*amount, *period)?;
        let guarantee = Guarantee::BasicHard((*amount).into(), (*period).into());
        let exec = ExternalProgram::Exec { command, env: BTreeMap::new() };
        let thread = Thread::new(COMMAND, "root", Requirements::guarantee(guarantee), Run::Unknown);
        let scenario = Scenario::new(AT_MOST)
            .machine(Machine::ideal(1).claim(*claim))
            .scheduler(Scheduler::root("root", kinds::REZ))
            .thread(thread.external(External::new(exec)))
            .reserved_together();
        let built = scenario.build().map(drop);
        built.map_err(|mistakes| match mistakes.list() {
            [first, ..] => {
                let help = first.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
                wrong(&format!("{}{help}", first.message))
            }
            [] => wrong("it cannot be run"),
        })?;
        Ok(scenario)
    }
}

/// Refuses what deciding would take all of.
fn is_worth_deciding(budget: Span, period: Span) -> Result<(), VerbError> {
    let too_short = |option: &str, asked: Span, least: Span| {
        let cost = "deciding on real threads takes up to 40us, and twice in each period";
        let help = format!("the least that works is `{option} {least}`");
        Err(VerbError(format!("windfall: `{option} {asked}` is too short: {cost}; {help}")))
    };
    if period < SHORTEST_PERIOD {
        return too_short("--period", period, SHORTEST_PERIOD);
    }
    if budget < LEAST_BUDGET {
        return too_short("--budget", budget, LEAST_BUDGET);
    }
    Ok(())
}

/// A folder that only this user can write to, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, VerbError> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("windfall-run-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
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

    fn started(words: &[&str]) -> Result<Started, VerbError> {
        let words = ["windfall", "run"].iter().chain(words);
        match Cli::try_parse_from(words).map(|cli| cli.verb) {
            Ok(Verb::Machine(MachineVerb::Run(args))) => Started::new(&args),
            _ => Err(VerbError("no run".to_owned())),
        }
    }

    fn scenario(words: &[&str]) -> Scenario {
        started(words).unwrap_or_else(|VerbError(why)| panic!("{why}")).scenario()
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
    fn limit_a_period_and_a_budget_are_longer_than_what_deciding_takes() {
        for (budget, period, refused) in [
            ("1us", "10us", Some("`--period 10us` is too short")),
            ("10us", "249us", Some("the least that works is `--period 250us`")),
            ("24us", "250us", Some("the least that works is `--budget 25us`")),
            ("25us", "250us", None),
            ("1ms", "1ms", None),
            ("100us", "1ms", None),
        ] {
            let found = started(&["--budget", budget, "--period", period, "--", "true"]);
            let why = found.err().map(|VerbError(why)| why);
            match refused {
                Some(part) => assert!(why.is_some_and(|why| why.contains(part)), "{part}"),
                None => assert_eq!(why, None),
            }
        }
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
    }

    #[test]
    fn refuses_a_budget_that_cannot_be_in_the_words_of_the_options() {
        for (budget, period, why) in [
            ("11ms", "10ms", "`--budget 11ms --period 10ms`: the budget is above its period"),
            ("0s", "10ms", "`--budget 0s --period 10ms`: the budget is zero"),
            ("0s", "0s", "`--budget 0s --period 0s`: the budget is zero"),
        ] {
            let words = ["--budget", budget, "--period", period, "--", "make"];
            let VerbError(told) = started(&words).err().expect(budget);
            assert!(told.starts_with(&format!("windfall: {why}")), "{told}");
        }
    }

    #[test]
    fn accepts_a_command_of_any_characters() {
        for word in ["\u{7f}", "\u{202e}", "a\nb", "\"", "\\", "ä"] {
            let found = scenario(&["--dry-run", "--share", "2", "--", "printf", word]);
            let external = found.threads[0].external.as_ref().map(|external| &external.program);
            let Some(ExternalProgram::Exec { command, .. }) = external else { panic!("a command") };
            assert_eq!(command[..], ["printf", word]);
        }
    }

    #[test]
    fn law_the_scenario_of_a_command_is_what_a_file_would_say() {
        let text = "schema = 2\nlength = \"8760h\"\n[machine]\nclaim = \"none\"\n[schedulers.root]\nscheduler = \"rez\"\n\
                    parent = \"top\"\n[threads.command]\nparent = \"root\"\nguarantee = \"RESBH 20ms 30ms\"\nexec = [\"make\"]\n";
        let file =
            Scenario::parse("file.toml", text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(scenario(&["--dry-run", "--share", "2", "--", "make"]), file);
    }
}
