//! The command: `cli.rs` parses the arguments, and a file for each verb carries it out.
//!
//! No logic of its own lives here: verbs join what the crates below offer, and print. One does more, `verbs/suggest.rs`: it
//! simulates a recording without promises and with them, and no crate below knows the simulator and the report at once.
#![forbid(unsafe_code)]

mod candidates;
mod cli;
mod command_error;
mod output;
mod profiles;
mod signals;
mod verbs;

use clap::{CommandFactory, Parser};
use clap_complete::CompleteEnv;
use cli::{Cli, Verb};
use command_error::{CommandError, json_is_wanted};
use std::process::ExitCode;

/// How a verb ended, where nothing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// Done, or all expectations held.
    Yes,
    /// The verdict is no: an expectation failed, or a promise does not follow.
    No,
    /// The exit status of a command that was started.
    #[cfg(feature = "machine")]
    Status(u8),
}

/// Why a verb could not do its work, ready to be printed.
pub(crate) struct VerbError(pub(crate) String);

impl VerbError {
    /// The failures of outputs that were written each for itself, a line each.
    pub(crate) fn of_all(
        written: impl IntoIterator<Item = Result<(), VerbError>>,
    ) -> Result<(), VerbError> {
        let failed = written.into_iter().filter_map(Result::err).map(|VerbError(why)| why);
        let failed: Vec<String> = failed.collect();
        if failed.is_empty() { Ok(()) } else { Err(VerbError(failed.join("\n"))) }
    }
}

impl<E: std::error::Error> From<E> for VerbError {
    fn from(error: E) -> VerbError {
        VerbError(format!("windfall: {error}"))
    }
}

fn main() -> ExitCode {
    CompleteEnv::with_factory(Cli::command).var(verbs::completions::VARIABLE).complete();
    let json = json_is_wanted(std::env::args_os());
    let done = match Cli::try_parse() {
        Ok(cli) => run(&cli.verb).inspect(|answer| {
            if !json {
                verbs::next::print(&cli.verb, *answer);
            }
        }),
        Err(error) if !error.use_stderr() => error.exit(), // help and version
        Err(error) => Err(CommandError::usage(error, std::env::args_os())),
    };
    match done {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        #[cfg(feature = "machine")]
        Ok(Answer::Status(status)) => ExitCode::from(status),
        Err(error) => {
            error.print(json);
            ExitCode::from(2)
        }
    }
}

fn run(verb: &Verb) -> Result<Answer, CommandError> {
    if verb.may_end_at_once() {
        signals::explain();
    }
    Ok(match verb {
        Verb::New(args) => verbs::new::run(args)?,
        Verb::Suggest(args) => verbs::suggest::run(args)?,
        Verb::Check(args) => verbs::check::run(args)?,
        Verb::Simulate(args) => verbs::simulate::run(args)?,
        #[cfg(feature = "machine")]
        Verb::Machine(verb) => verbs::machine::run(verb)?,
        Verb::Explain(args) => verbs::explain::run(args)?,
        Verb::Export(args) => verbs::export::run(args)?,
        Verb::Import(args) => verbs::import::run(args)?,
        Verb::Migrate(args) => verbs::migrate::run(args)?,
        Verb::Convert(args) => verbs::convert::run(args)?,
        Verb::Reserve(args) => verbs::reserve::run(args)?,
        Verb::Catalogue(args) => verbs::catalogue::run(args)?,
        Verb::Schema(args) => verbs::schema::run(args)?,
        Verb::Completions(args) => verbs::completions::run(args)?,
        Verb::Man(args) => verbs::man::run(args)?,
    })
}
