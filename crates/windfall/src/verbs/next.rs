//! The next command that makes sense after each verb, for people at a terminal.
//!
//! It goes to standard error, and only where that is a terminal: what a verb prints is the same in a pipe.

use super::new;
use crate::Answer;
use crate::cli::{ExplainArgs, KeepArgs, SimulateArgs, Verb};
use crate::output::{errors_are_read, is_standard, print_error, quoted};
use std::path::Path;

/// Prints it.
pub(crate) fn print(verb: &Verb, answer: Answer) {
    if errors_are_read()
        && let Some(next) = after(verb, answer)
    {
        print_error(&format!("next: windfall {next}\n"));
    }
}

/// The words after `windfall`; nothing where nothing makes sense, or the verb has said it itself.
fn after(verb: &Verb, answer: Answer) -> Option<String> {
    let yes = answer == Answer::Yes;
    Some(match verb {
        Verb::New(args) => format!("check {}", named(&new::output(args))?),
        Verb::Suggest(args) => match &args.output {
            Some(output) => format!("check {}", named(output)?),
            None if yes => format!("suggest {} -o suggested.toml", named(&args.recording)?),
            None => return None,
        },
        Verb::Check(args) => format!("simulate {}", named(&args.file)?),
        Verb::Convert(_) => "catalogue".to_owned(),
        Verb::Reserve(args) => match &args.file {
            Some(file) => format!("check {}", named(file)?),
            None => "new audio".to_owned(),
        },
        Verb::Simulate(args) => after_simulation(args, yes)?,
        #[cfg(feature = "machine")]
        Verb::Machine(verb) => return super::machine::next::after(verb, yes),
        Verb::Explain(args) => after_explanation(args)?,
        Verb::Export(args) => match args.output.extension()?.to_str()? {
            "wft" => format!("explain {}", named(&args.output)?),
            _ => return None, // for another program
        },
        Verb::Migrate(args) => format!("check {}", named(&args.file)?),
        Verb::Catalogue(args) => match &args.name {
            None => "catalogue rez".to_owned(),
            Some(_) => "new audio".to_owned(),
        },
        Verb::Schema(args) if args.output.is_some() => "new audio".to_owned(),
        Verb::Import(_) => return None, // it says so itself
        Verb::Schema(_) | Verb::Completions(_) | Verb::Man(_) => return None,
    })
}

fn after_simulation(args: &SimulateArgs, yes: bool) -> Option<String> {
    let file = named(&args.file)?;
    Some(match trace(&args.keep) {
        Some(trace) => format!("explain {trace} --worst"),
        None if yes => format!("run {file} --dry-run"),
        None => format!("simulate {file} --trace simulated.wft"),
    })
}

fn after_explanation(args: &ExplainArgs) -> Option<String> {
    // A list of threads names the next one itself.
    if !args.worst && args.thread.as_str() == "*" {
        return None;
    }
    match &args.recording {
        Some(recording) => Some(format!("suggest {}", named(recording)?)),
        None => Some("ctl list".to_owned()),
    }
}

/// A trace of Windfall's own form that was kept in a file.
pub(super) fn trace(keep: &KeepArgs) -> Option<String> {
    let trace = keep.trace.as_deref().filter(|trace| trace.extension().is_some_and(|e| e == "wft"));
    named(trace?)
}

/// A file as it is typed; nothing of standard input and output.
pub(super) fn named(path: &Path) -> Option<String> {
    (!is_standard(path)).then(|| quoted(&path.display().to_string()))
}

#[cfg(all(test, feature = "machine"))]
mod tests {
    use super::*;
    use crate::cli::{Cli, MachineVerb};
    use clap::{CommandFactory, Parser};
    use std::collections::BTreeSet;

    /// A call of each verb; of some in several forms.
    const CALLS: &[&str] = &[
        "new audio",
        "new robot -o r.toml",
        "suggest a.wft",
        "suggest a.wft -o s.toml",
        "check a.toml",
        "convert ALL NULL",
        "reserve a.toml",
        "reserve --task 1ms/10ms",
        "simulate a.toml",
        "simulate a.toml --trace a.wft",
        "run a.toml",
        "run a.toml --dry-run",
        "run --share 2 -- make -j4",
        "compare a.toml",
        "compare a.json b.json",
        "doctor",
        "restore",
        "measure",
        "measure -o costs.toml",
        "record",
        "calibrate --pid 4",
        "calibrate --save player --pid 4",
        "export a.txt a.wft",
        "ctl list",
        "ctl stop",
        "ctl share a 3",
        "top",
        "import a.wft -o a.toml",
        "migrate a.toml",
        "explain a.wft",
        "explain a.wft --worst",
        "explain --thread a",
        "lab list",
        "lab table-10-4",
        "catalogue",
        "catalogue rez",
        "schema",
        "schema -o s.json",
        "completions bash",
        "man pages",
    ];

    fn parsed(words: &str) -> Verb {
        let words = std::iter::once("windfall").chain(words.split_whitespace());
        Cli::try_parse_from(words).unwrap_or_else(|why| panic!("{why}")).verb
    }

    #[test]
    fn law_what_comes_next_after_each_verb_can_be_typed() {
        let verbs: BTreeSet<_> =
            CALLS.iter().filter_map(|call| call.split_whitespace().next()).collect();
        let all = Cli::command();
        let all = all.get_subcommands().map(clap::Command::get_name);
        assert_eq!(verbs, all.filter(|name| *name != "help").collect());
        let mut said = 0;
        for call in CALLS {
            for answer in [Answer::Yes, Answer::No, Answer::Status(3)] {
                if let Some(next) = after(&parsed(call), answer) {
                    parsed(&next);
                    said += 1;
                }
            }
        }
        assert!(said > 90, "{said}");
    }

    #[test]
    fn accepts_names_that_a_shell_would_take_apart() {
        assert_eq!(quoted("a b's.wft"), r"'a b'\''s.wft'");
        assert_eq!(quoted("scenarios/a-1.toml"), "scenarios/a-1.toml");
        let record = Verb::Machine(MachineVerb::Record(crate::cli::RecordArgs {
            length: None,
            output: "-".into(),
            force: crate::cli::ForceArgs::default(),
            json: false,
            command: Vec::new(),
        }));
        assert_eq!(after(&record, Answer::Yes), None);
    }
}
