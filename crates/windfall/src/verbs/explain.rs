//! `windfall explain [RECORDING] --thread NAME`: why a thread was late, and who ran instead; of a recording, or of
//! what a run has recorded lately.

use crate::cli::ExplainArgs;
use crate::output::{input_name, print_json, print_text, width};
use crate::verbs::export::open_recording;
use crate::verbs::next;
use crate::{Answer, VerbError};
use std::fmt::Display;
use windfall_report::explain::{self, Reading, Scope};
use windfall_scenario::near;
use windfall_trace::codec::Reader;
use windfall_trace::escape::escaped;
use windfall_trace::explain::{Explainer, Explanation, Keep, Question};
use windfall_trace::{Record, Sink};

/// How many misses are explained unless all are asked for: the worst.
const WORST: usize = 3;

pub(crate) fn run(args: &ExplainArgs) -> Result<Answer, VerbError> {
    let mut read = read(args)?;
    if args.worst {
        read.explanation.keep_worst();
    }
    let threads = &read.explanation.threads;
    if threads.is_empty() {
        return Err(nobody(args, &read));
    }
    if let [thread] = &threads[..]
        && thread.kept.is_empty()
    {
        let has = |what: &str, number: u64, there: u64| {
            VerbError(format!(
                "windfall: {}: there is no {what} {number}; `{}` has {there}",
                named(args),
                args.thread
            ))
        };
        if let Some(number) = args.miss {
            return Err(has("miss", number, thread.misses));
        }
        if let Some(number) = args.job {
            return Err(has(explain::word(thread.kind), number, thread.episodes()));
        }
    }
    if threads.len() > 1 && (args.miss.is_some() || args.job.is_some()) {
        return Err(VerbError(format!(
            "windfall: {}: `{}` means {} threads, and `--miss` and `--job` are about one; without \
             them the threads are listed, and `--thread '#TID'` names one",
            named(args),
            args.thread,
            threads.len()
        )));
    }
    let missed = threads.iter().any(|thread| thread.misses > 0);
    let one = args.miss.or(args.job).is_some();
    if args.json {
        print_json(explain::json(&read, one))?;
    } else {
        let next = next::after_explanation(
            args,
            threads.len(),
            explain::worst(&read, &args.thread, args.all),
        );
        let scope = Scope { all: args.all, one, longer_than: args.longer_than };
        print_text(&explain::text(&scope, read, width()))?;
        next::say(next);
    }
    Ok(if missed { Answer::No } else { Answer::Yes })
}

/// The name of the recording, or of the run.
fn named(args: &ExplainArgs) -> String {
    args.recording.as_deref().map_or_else(|| "the run".to_owned(), input_name)
}

fn read(args: &ExplainArgs) -> Result<Reading, VerbError> {
    let keep = match (args.miss, args.job) {
        (Some(number), _) => Keep::Miss(number),
        (_, Some(number)) => Keep::Job(number),
        _ if args.all => Keep::All,
        _ if args.worst => Keep::Worst(1),
        _ => Keep::Worst(WORST),
    };
    let question = Question::new(args.thread.clone(), keep).longer_than(args.longer_than);
    let trouble = |why: String| VerbError(format!("windfall: {}: {why}", named(args)));
    let mut silent = 0;
    let (explanation, warnings) = match &args.recording {
        Some(path) => {
            let mut source = open_recording(path, args.from).map_err(trouble)?;
            let read = explained(question, &mut source);
            silent = source.report().map_or(0, |report| report.mismatches.count);
            read
        }
        None => {
            let trace = of_the_run(args)?;
            let records = Reader::new(&trace[..]).map_err(|error| trouble(error.to_string()))?;
            explained(question, records)
        }
    };
    if explanation.people.is_empty() {
        let nothing = || match args.recording {
            Some(_) => "there is no thread in it; record sched_switch and sched_waking".to_owned(),
            None => "no thread has started yet; try again later".to_owned(),
        };
        return Err(trouble(warnings.into_iter().next().unwrap_or_else(nothing)));
    }
    Ok(Reading { explanation, silent, warnings })
}

/// The trace that the run has kept so far.
#[cfg(feature = "machine")]
fn of_the_run(args: &ExplainArgs) -> Result<Vec<u8>, VerbError> {
    Ok(windfall_linux::control::trace(args.socket.as_deref())?)
}

#[cfg(not(feature = "machine"))]
fn of_the_run(_: &ExplainArgs) -> Result<Vec<u8>, VerbError> {
    let why =
        "built without the verbs of this machine, this command reads recordings only; name one";
    Err(VerbError(format!("windfall: {why}, or build it with the feature `machine`")))
}

/// The explanation, and what stood in the way of reading it whole.
fn explained<E: Display>(
    question: Question,
    records: impl Iterator<Item = Result<Record, E>>,
) -> (Explanation, Vec<String>) {
    let mut explainer = Explainer::new(question);
    let mut warnings = Vec::new();
    for record in records {
        match record {
            Ok(record) => explainer.record(record.at, &record.event),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    (explainer.finish(), warnings)
}

/// No thread has that name; which have a similar one.
fn nobody(args: &ExplainArgs, read: &Reading) -> VerbError {
    let requested = args.thread.as_str();
    let mut names: Vec<&str> =
        read.explanation.people.values().map(|person| person.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let holds = |name: &&&str| {
        !requested.is_empty() && name.to_lowercase().contains(&requested.to_lowercase())
    };
    let mut close: Vec<&str> = names.iter().filter(holds).copied().collect();
    for name in near(requested, names.iter().copied()) {
        if !close.contains(&name) {
            close.push(name);
        }
    }
    let close: Vec<String> =
        close.iter().take(5).map(|name| format!("`{}`", escaped(name))).collect();
    let hint = if close.is_empty() {
        format!("`--thread '*'` lists the {} names that it has", names.len())
    } else {
        format!("did you mean {}?", close.join(" or "))
    };
    VerbError(format!("windfall: {}: no thread is called `{requested}`; {hint}", named(args)))
}
