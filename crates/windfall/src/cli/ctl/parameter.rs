//! `windfall ctl KEY NAME VALUE`: a verb for each parameter of the table that has none of its own.

use crate::candidates;
use clap::{Arg, ArgMatches, Command, Error, FromArgMatches, Subcommand};
use clap_complete::ArgValueCandidates as Candidates;
use windfall_schedulers::parameters::{ALL, Parameter, RESERVE};

/// Sets a parameter of a thread or a scheduler.
#[derive(Debug)]
pub(crate) struct ParameterVerb {
    /// Which.
    pub(crate) parameter: &'static Parameter,
    /// A thread or a scheduler.
    pub(crate) name: String,
    /// Its value, as in a file.
    pub(crate) value: String,
}

/// The parameters that have such a verb.
fn parameters() -> impl Iterator<Item = &'static Parameter> {
    ALL.iter().copied().filter(|parameter| **parameter != RESERVE)
}

fn command(parameter: &'static Parameter) -> Command {
    let (whom, about) = match parameter.of_threads {
        true => ("A thread", "a thread"),
        false => ("A thread or a scheduler", "a thread or a scheduler"),
    };
    let name = Arg::new("name").value_name("NAME").required(true);
    let name = name.help(whom).add(Candidates::new(candidates::run_nodes));
    let value = Arg::new("value").value_name("VALUE").required(true).allow_hyphen_values(true);
    Command::new(parameter.key)
        .about(format!("Set the {} of {about}", parameter.key))
        .args([name, value.help(parameter.help.trim_end_matches('.'))])
}

impl FromArgMatches for ParameterVerb {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ParameterVerb, Error> {
        let missing = || Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (key, matches) = matches.subcommand().ok_or_else(missing)?;
        let parameter = parameters().find(|parameter| parameter.key == key).ok_or_else(missing)?;
        let text = |id: &str| matches.get_one::<String>(id).cloned().ok_or_else(missing);
        Ok(ParameterVerb { parameter, name: text("name")?, value: text("value")? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = ParameterVerb::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for ParameterVerb {
    fn augment_subcommands(verbs: Command) -> Command {
        verbs.subcommands(parameters().map(command))
    }

    fn augment_subcommands_for_update(verbs: Command) -> Command {
        ParameterVerb::augment_subcommands(verbs)
    }

    fn has_subcommand(name: &str) -> bool {
        parameters().any(|parameter| parameter.key == name)
    }
}
