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
use clap::error::ContextKind;
use serde_json::{Value, json};
use std::ffi::OsString;
use windfall_scenario::{Diagnostic, Diagnostics, Rendering, Scenario};

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
    /// version, it gives today's name.
    pub(crate) fn usage(
        error: clap::Error,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> CommandError {
        let verb = arguments.into_iter().nth(1);
        let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
        let word = kinds.iter().find_map(|kind| error.get(*kind)).map(ToString::to_string);
        let renamed = RENAMED.iter().find(|(of, before, _)| {
            verb.as_deref() == Some(of.as_ref()) && word.as_deref() == Some(before)
        });
        let error = match renamed {
            Some((_, before, now)) => {
                let message = format!("`{before}` is called `{now}` now\n");
                clap::Error::raw(error.kind(), message)
            }
            None => error,
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
                // A refusal of a run has its help in a line of its own.
                match why.split_once("\n  help: ").or_else(|| why.split_once("; ")) {
                    Some((fact, remedy)) => document("failed", fact, Some(remedy)),
                    None => document("failed", why, None),
                }
            }
        }
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
    format!("{}{count} mistake{plural}", drawn(mistakes))
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
