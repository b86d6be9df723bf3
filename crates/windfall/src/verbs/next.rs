//! The next command that makes sense after each verb, for people at a terminal.
//!
//! It goes to standard error, and only where that is a terminal: what a verb prints is the same in a pipe.

use super::new;
use crate::Answer;
use crate::cli::{CheckArgs, ExplainArgs, KeepArgs, SimulateArgs, Verb};
use crate::output::{errors_are_read, is_standard, print_error, quoted};
use std::path::Path;
use windfall_scenario::Override;

/// Prints it.
pub(crate) fn print(verb: &Verb, answer: Answer) {
    say(after(verb, answer));
}

/// Prints the words after `windfall`, if there are such; for a verb that knows by its result alone.
pub(super) fn say(next: Option<String>) {
    if let Some(next) = next.filter(|_| errors_are_read()) {
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
        Verb::Check(_) | Verb::Explain(_) | Verb::Simulate(_) => return None, // they say so themselves
        Verb::Convert(_) => "catalogue".to_owned(),
        Verb::Reserve(args) => match &args.file {
            Some(file) => format!("check {}", named(file)?),
            None => return None, // it is for a file that is not there yet
        },
        #[cfg(feature = "machine")]
        Verb::Machine(verb) => return super::machine::next::after(verb, yes),
        Verb::Export(args) => match args.output.extension()?.to_str()? {
            "wft" => format!("explain {}", named(&args.output)?),
            // A page or Perfetto shows it; this says it in words.
            _ => format!("explain {} --worst", named(&args.trace)?),
        },
        Verb::Migrate(args) => format!("check {}", named(&args.file)?),
        Verb::Catalogue(args) => match &args.name {
            None => "catalogue rez".to_owned(),
            Some(_) => return None, // it is for a file that is being written
        },
        Verb::Import(args) => format!("simulate {}", named(&args.output)?),
        // For an editor, a shell and `man`.
        Verb::Schema(_) | Verb::Completions(_) | Verb::Man(_) => return None,
    })
}

/// After a check that refused nothing.
pub(super) fn after_check(args: &CheckArgs) -> Option<String> {
    Some(format!("simulate {}{}", named(&args.file)?, set(&args.set.overrides)))
}

/// After a check that refused a promise of `owner`, which would fit with these values.
pub(super) fn after_refusal(
    args: &CheckArgs,
    owner: &str,
    fitting: Option<&[Override]>,
) -> Option<String> {
    let file = named(&args.file)?;
    match fitting {
        Some(values) => Some(format!("check {file}{}", set(values))),
        None if args.why.is_none() => {
            let set = set(&args.set.overrides);
            Some(format!("check {file}{set} --why {}", quoted(owner)))
        }
        None => None,
    }
}

/// After a simulation, in which nothing failed and no deadline was missed, or something was.
pub(super) fn after_simulation(args: &SimulateArgs, yes: bool) -> Option<String> {
    let file = named(&args.file)?;
    let length = args.length.map(|length| format!(" --for {length}")).unwrap_or_default();
    let seed = args.seed.map(|seed| format!(" --seed {seed}")).unwrap_or_default();
    let set = format!("{length}{seed}{}", set(&args.set.overrides));
    Some(match trace(&args.keep) {
        Some(trace) => format!("explain {trace} --worst"),
        None if !yes => format!("simulate {file}{set} --trace simulated.wft"),
        None if set.is_empty() => format!("run {file} --dry-run"),
        // A run takes the file as it is.
        None if args.keep.report.is_none() => format!("simulate {file}{set} --report report.html"),
        None => return None,
    })
}

/// The options that set the same values again.
fn set(overrides: &[Override]) -> String {
    let options = overrides.iter().map(|one| format!(" --set {}", quoted(&one.to_string())));
    options.collect()
}

/// After one thread or a list of so many, of which `worst` is the pattern of the worst.
pub(super) fn after_explanation(
    args: &ExplainArgs,
    threads: usize,
    worst: Option<String>,
) -> Option<String> {
    let of = match (&args.recording, &args.socket) {
        (Some(recording), _) => Some(named(recording)?),
        (None, Some(socket)) => Some(format!("--socket {}", named(socket)?)),
        (None, None) => None,
    };
    if threads > 1 {
        let limit = args.longer_than.map(|limit| format!("--longer-than {limit}"));
        let from = args.from.map(|format| format!("--from {}", format.name));
        let thread = format!("--thread {}", quoted(&worst?));
        let words = [Some("explain".to_owned()), of, Some(thread), limit, from];
        return Some(words.into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    match (&args.recording, of) {
        (Some(_), Some(recording)) => Some(format!("suggest {recording}")),
        (_, Some(socket)) => Some(format!("ctl {socket} list")),
        _ => Some("ctl list".to_owned()),
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
        "simulate a.toml --set a.share=2 --set length=2s",
        "run a.toml",
        "run a.toml --dry-run",
        "run --share 2 -- make -j4",
        "compare a.toml",
        "compare a.toml --costs costs.toml",
        "compare a.toml b.json",
        "compare - b.toml",
        "compare a.json b.json",
        "doctor",
        "restore",
        "measure",
        "measure -o costs.toml",
        "record",
        "calibrate --pid 4",
        "calibrate --save player --pid 4",
        "calibrate --for 9s -- /usr/bin/mpv --volume=0 film.mkv",
        "calibrate --conservatism p99 -- /",
        "export a.txt a.wft",
        "export a.wft a.html",
        "export - a.html",
        "ctl list",
        "ctl stop",
        "ctl --socket s list",
        "ctl --socket s share a 3",
        "top --socket s",
        "ctl share a 3",
        "top",
        "import a.wft -o a.toml",
        "migrate a.toml",
        "explain a.wft",
        "explain a.wft --worst",
        "explain --thread a",
        "lab list",
        "lab table-10-4",
        "lab table-10-4 --report a.html",
        "lab validate",
        "lab validate --report a.html",
        "catalogue",
        "catalogue rez",
        "schema",
        "schema -o s.json",
        "completions bash",
        "man pages",
    ];

    fn parsed(words: &str) -> Verb {
        parsed_of(std::iter::once("windfall").chain(words.split_whitespace()).map(str::to_owned))
    }

    fn parsed_of(words: impl IntoIterator<Item = String>) -> Verb {
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
                let next = match parsed(call) {
                    Verb::Simulate(args) => after_simulation(&args, answer == Answer::Yes),
                    verb => after(&verb, answer),
                };
                if let Some(next) = next {
                    parsed(&next);
                    let upper = |word: &str| {
                        !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase())
                    };
                    let stem = |word: &str| word.split('.').next().is_some_and(upper);
                    assert!(!next.split(' ').any(stem), "`{next}` has a word to fill in");
                    said += 1;
                }
            }
        }
        assert!(said > 85, "{said}");
        for (call, worst, next) in [
            ("explain a.wft", Some("cc1"), Some("explain a.wft --thread cc1")),
            (
                "explain a.wft --longer-than 3ms",
                Some("#7"),
                Some("explain a.wft --thread '#7' --longer-than 3ms"),
            ),
            (
                "explain a.txt --from ftrace",
                Some("b"),
                Some("explain a.txt --thread b --from ftrace"),
            ),
            ("explain --socket s", Some("a"), Some("explain --socket s --thread a")),
            ("explain --socket s --worst", None, Some("ctl --socket s list")),
            ("explain --thread a", None, Some("ctl list")),
            ("explain a.wft --worst", None, Some("suggest a.wft")),
            ("explain - --worst", None, None),
        ] {
            let Verb::Explain(args) = parsed(call) else { panic!("{call}") };
            let threads = if worst.is_some() { 2 } else { 1 };
            let found = after_explanation(&args, threads, worst.map(str::to_owned));
            assert_eq!(found.as_deref(), next, "{call}");
            found.inspect(|next| drop(parsed(next)));
        }
    }

    #[test]
    fn limit_nothing_comes_next_after_two_outcomes_whose_scenarios_are_unknown() {
        let next = |call: &str| after(&parsed(call), Answer::No);
        assert_eq!(next("compare a.json b.json"), None);
        assert_eq!(
            next("compare a.json b.toml").as_deref(),
            Some("simulate b.toml --report report.html")
        );
    }

    #[test]
    fn law_what_comes_next_after_values_that_were_set_sets_them_again() {
        let set = "a.toml --set a.share=2 --set 'a.guarantee=RESBH 4ms 10ms'";
        let words = |verb: &str| {
            [
                "windfall",
                verb,
                "a.toml",
                "--set",
                "a.share=2",
                "--set",
                "a.guarantee=RESBH 4ms 10ms",
            ]
            .map(str::to_owned)
        };
        for (answer, next) in [
            (Answer::Yes, format!("simulate {set} --report report.html")),
            (Answer::No, format!("simulate {set} --trace simulated.wft")),
        ] {
            let Verb::Simulate(args) = parsed_of(words("simulate")) else { panic!("another verb") };
            assert_eq!(after_simulation(&args, answer == Answer::Yes), Some(next));
        }
        let Verb::Check(mut args) = parsed_of(words("check")) else { panic!("another verb") };
        assert_eq!(after_check(&args), Some(format!("simulate {set}")));
        let fits = [Override::new("b.guarantee", "PS 1/2")];
        let next = Some("check a.toml --set 'b.guarantee=PS 1/2'".to_owned());
        assert_eq!(after_refusal(&args, "b", Some(&fits)), next);
        assert_eq!(after_refusal(&args, "b", None), Some(format!("check {set} --why b")));
        args.why = Some("b".to_owned());
        assert_eq!(after_refusal(&args, "b", None), None);
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
