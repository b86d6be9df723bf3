//! The error output of all verbs, for people or, with `--json`, for programs.
//!
//! With `--json` the last line of standard error is
//! `{"error": {"code", "message", "help", "place", "mistakes"}, "windfall"}`. `code` is `usage` (the command line), `scenario`
//! (mistakes in a file, all of them in `mistakes`, each with the `code` of `docs/diagnostics.md`) or `failed`. `help` and `place` (`file`, `line`, `column`) are null where
//! there is none; `message`, `help` and `place` are those of the first mistake.

use crate::VerbError;
use crate::output::{
    JSON_VERSION, colour_is_wanted, errors_are_read, print_error, print_error_raw,
};
use clap::error::{ContextKind, ErrorKind};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use windfall_scenario::{Diagnostic, Diagnostics, Rendering, Scenario};
use windfall_time::{Ratio, Span};

/// Words of the command line that have another name since version 2 (decision 0016): of which verb, before, now.
const RENAMED: [(&str, &str, &str); 3] = [
    ("ctl", "release", "unreserve"),
    ("reserve", "--granule", "--step"),
    ("compare", "--within", "--tolerance"),
];

/// Why a verb could not do its work.
pub(crate) enum CommandError {
    /// The command line means nothing.
    Usage(Box<clap::Error>),
    /// A file has mistakes.
    Scenario(Box<Diagnostics>),
    /// Anything else.
    Failed(VerbError),
}

impl From<VerbError> for CommandError {
    fn from(trouble: VerbError) -> CommandError {
        CommandError::Failed(trouble)
    }
}

impl<E: std::error::Error> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError::Failed(error.into())
    }
}

impl CommandError {
    /// The command line (`arguments`, the program's name first) means nothing; of a word that its verb had in an earlier
    /// version, it gives today's name, and of a number why it is none.
    pub(crate) fn usage(
        error: clap::Error,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> CommandError {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let verb = arguments.get(1);
        let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
        let word = kinds.iter().find_map(|kind| error.get(*kind)).map(ToString::to_string);
        let renamed = RENAMED.iter().find(|(of, before, _)| {
            verb.is_some_and(|verb| verb == of) && word.as_deref() == Some(before)
        });
        let error = match renamed {
            Some((_, before, now)) => {
                let message = format!("`{before}` is called `{now}` now\n");
                clap::Error::raw(error.kind(), message)
            }
            None => match no_number(&error, word.as_deref(), &arguments) {
                Some(why) => clap::Error::raw(error.kind(), why + "\n"),
                None => error,
            },
        };
        CommandError::Usage(Box::new(error))
    }

    /// A file has mistakes.
    pub(crate) fn of(mistakes: Diagnostics) -> CommandError {
        CommandError::Scenario(Box::new(mistakes))
    }

    /// Prints it to standard error.
    pub(crate) fn print(&self, json: bool) {
        if json {
            print_error_raw(&format!(
                "{}\n",
                json!({ "error": self.document(), "windfall": JSON_VERSION })
            ));
            return;
        }
        match self {
            CommandError::Usage(error) => error.print().unwrap_or_default(),
            CommandError::Scenario(mistakes) => print_error_raw(&format!("{}\n", shown(mistakes))),
            CommandError::Failed(VerbError(why)) => print_error(&format!("{}\n", why.trim_end())),
        }
    }

    fn document(&self) -> Value {
        match self {
            CommandError::Usage(error) => {
                let (message, help) = usage(&error.to_string());
                document("usage", &message, help.as_deref())
            }
            CommandError::Scenario(mistakes) => {
                let all: Vec<Value> = mistakes.list().iter().map(diagnostic_json).collect();
                let mut first = all.first().cloned().unwrap_or_default();
                first["code"] = "scenario".into();
                first["mistakes"] = all.into();
                first
            }
            CommandError::Failed(VerbError(why)) => {
                let why = why.trim().strip_prefix("windfall: ").unwrap_or(why.trim());
                let words: Vec<String> = std::env::args().skip(1).collect();
                let (fact, remedy) = divided(why, &words);
                document("failed", fact, remedy)
            }
        }
    }
}

/// The fact and the remedy of a text: a refusal of a run has its help in a line of its own, others behind the first `; ` that is not
/// in a word of the command line, as the name of a file is.
fn divided<'t>(why: &'t str, words: &[String]) -> (&'t str, Option<&'t str>) {
    const BETWEEN: &str = "; ";
    if let Some((fact, remedy)) = why.split_once("\n  help: ") {
        return (fact, Some(remedy));
    }
    let names = words.iter().filter(|word| word.contains(BETWEEN));
    let places: Vec<_> = names
        .flat_map(|name| why.match_indices(name.as_str()).map(|(at, _)| at..at + name.len()))
        .collect();
    let mut all = why.match_indices(BETWEEN);
    match all.find(|(at, _)| !places.iter().any(|place| place.contains(at))) {
        Some((at, _)) => (&why[..at], Some(&why[at + BETWEEN.len()..])),
        None => (why, None),
    }
}

fn document(code: &str, message: &str, help: Option<&str>) -> Value {
    let mistakes: [Value; 0] = [];
    json!({ "code": code, "message": message, "help": help, "place": null, "mistakes": mistakes })
}

fn diagnostic_json(one: &Diagnostic) -> Value {
    let place =
        (one.line > 0).then(|| json!({ "file": one.file, "line": one.line, "column": one.column }));
    json!({ "code": one.code, "message": one.message, "help": one.help, "place": place })
}

/// Why a value is no number, in words that help: the parser takes one below zero for an option, and whole numbers speak of digits.
fn no_number(error: &clap::Error, option: Option<&str>, arguments: &[OsString]) -> Option<String> {
    let option = option?;
    if error.kind() == ErrorKind::UnknownArgument {
        let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
        let word = words.find(|word| word.starts_with(option) && is_below_zero(word))?;
        let why = "is below zero, and means nothing here";
        return Some(format!("`{word}` {why}\n\n  write it without `-`"));
    }
    let why = std::error::Error::source(error)?.downcast_ref::<ParseIntError>()?;
    let help = match why.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "it is too large",
        _ => "write a whole number of zero or more",
    };
    let value = error.get(ContextKind::InvalidValue)?;
    Some(format!("invalid value '{value}' for '{option}': {help}"))
}

/// Whether a word is a time or a number with a minus before it.
fn is_below_zero(word: &str) -> bool {
    let number = word.strip_prefix('-').unwrap_or_default();
    number.parse::<Span>().is_ok() || number.parse::<Ratio>().is_ok()
}

/// The message of a usage error, and the rest of the parser's text.
fn usage(text: &str) -> (String, Option<String>) {
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.trim().strip_prefix("error: ").unwrap_or(message.trim());
    let lines = rest.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let lines: Vec<&str> = lines.collect();
    let help = (!lines.is_empty()).then(|| lines.join("; "));
    (message.split_whitespace().collect::<Vec<_>>().join(" "), help)
}

/// Mistakes as people read them.
fn shown(mistakes: &Diagnostics) -> String {
    let count = mistakes.list().len();
    let plural = if count == 1 { "" } else { "s" };
    let all = if count > Diagnostics::SHOWN { "; `--json` lists all" } else { "" };
    format!("{}{count} mistake{plural}{all}", drawn(mistakes))
}

/// Prints the warnings about a scenario to standard error.
pub(crate) fn warn(scenario: &Scenario) {
    if let Some(warnings) = scenario.warnings() {
        print_error_raw(&drawn(&warnings));
    }
}

fn drawn(diagnostics: &Diagnostics) -> String {
    let how = match (errors_are_read(), colour_is_wanted()) {
        (false, _) => Rendering::Plain,
        (true, false) => Rendering::Drawn,
        (true, true) => Rendering::Coloured,
    };
    diagnostics.render_as(how)
}

/// Whether the command line asks for JSON, even where it means nothing otherwise.
pub(crate) fn json_is_wanted(arguments: impl IntoIterator<Item = OsString>) -> bool {
    arguments.into_iter().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_text_is_divided_where_no_word_of_the_command_line_is() {
        let words = ["explain", "a; b.wft"].map(str::to_owned);
        let why = "a; b.wft: it is short; a; b.wft again";
        assert_eq!(divided(why, &words), ("a; b.wft: it is short", Some("a; b.wft again")));
        assert_eq!(divided("a; b.wft: gone", &words), ("a; b.wft: gone", None));
        assert_eq!(divided("a; b.wft: gone", &words[..1]), ("a", Some("b.wft: gone")));
        assert_eq!(divided("a; b\n  help: c; d", &[]), ("a; b", Some("c; d")));
    }
}
