//! `windfall explain RECORDING --thread NAME`: why a thread was late, and who ran instead.

mod json;
mod table;
mod text;

use crate::cli::{ExplainArgs, Text};
use crate::output::print;
use crate::{Answer, Trouble};
use windfall_scenario::near;
use windfall_trace::explain::{Explainer, Explanation, Keep, Question};
use windfall_trace::import::{Format, Report};
use windfall_trace::{Sink, Source};

/// How many misses are explained unless all are asked for: the worst.
const WORST: usize = 3;

/// A recording that has been gone through.
struct Read {
    explanation: Explanation,
    /// What became of the lines of a text.
    report: Option<Report>,
    /// What stood in the way of reading it whole.
    warnings: Vec<String>,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Answer, Trouble> {
    let read = read(args)?;
    let threads = &read.explanation.threads;
    if threads.is_empty() {
        return Err(nobody(args, &read));
    }
    if let [thread] = &threads[..]
        && thread.kept.is_empty()
    {
        let has = |what: &str, number: u64, there: u64| {
            Trouble(format!(
                "windfall: {}: there is no {what} {number}; `{}` has {there}",
                args.recording.display(),
                args.thread
            ))
        };
        if let Some(number) = args.miss {
            return Err(has("miss", number, thread.misses));
        }
        if let Some(number) = args.job {
            return Err(has(text::word(thread.kind), number, thread.episodes()));
        }
    }
    if threads.len() > 1 && (args.miss.is_some() || args.job.is_some()) {
        return Err(Trouble(format!(
            "windfall: {}: `{}` means {} threads, and `--miss` and `--job` are about one; without \
             them the threads are listed, and `--thread '#TID'` names one",
            args.recording.display(),
            args.thread,
            threads.len()
        )));
    }
    let several = threads.len() > 1;
    print(&match (args.json, several) {
        (true, _) => format!("{:#}\n", json::all(&read)),
        (false, true) => table::text(args, &read),
        (false, false) => text::text(args, &read),
    })?;
    let missed = threads.iter().any(|thread| thread.misses > 0);
    Ok(if missed { Answer::No } else { Answer::Yes })
}

fn read(args: &ExplainArgs) -> Result<Read, Trouble> {
    let trouble = |why: String| Trouble(format!("windfall: {}: {why}", args.recording.display()));
    if args.recording.extension().is_some_and(|extension| extension == "toml") {
        let why =
            "a scenario, not a recording; make one with `windfall simulate FILE --trace OUT.wft`";
        return Err(trouble(why.to_owned()));
    }
    let format = match args.from {
        Some(Text::Ftrace) => Format::Ftrace,
        Some(Text::Perf) => Format::Perf,
        None => Format::Auto,
    };
    let keep = match (args.miss, args.job) {
        (Some(number), _) => Keep::Miss(number),
        (_, Some(number)) => Keep::Job(number),
        _ if args.all => Keep::All,
        _ => Keep::Worst(WORST),
    };
    let question = Question { thread: args.thread.clone(), longer_than: args.longer_than, keep };
    let mut source =
        Source::open(&args.recording, format).map_err(|error| trouble(error.to_string()))?;
    let mut explainer = Explainer::new(question);
    let mut warnings = Vec::new();
    for record in &mut source {
        match record {
            Ok(record) => explainer.record(record.at, &record.event),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    let explanation = explainer.finish();
    if explanation.people.is_empty() {
        let nothing =
            || "there is no thread in it; record sched_switch and sched_waking".to_owned();
        return Err(trouble(warnings.into_iter().next().unwrap_or_else(nothing)));
    }
    Ok(Read { explanation, report: source.report().cloned(), warnings })
}

/// Nobody is called so; who is called alike.
fn nobody(args: &ExplainArgs, read: &Read) -> Trouble {
    let asked = args.thread.as_str();
    let mut names: Vec<&str> =
        read.explanation.people.values().map(|person| person.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let holds =
        |name: &&&str| !asked.is_empty() && name.to_lowercase().contains(&asked.to_lowercase());
    let mut close: Vec<&str> = names.iter().filter(holds).copied().collect();
    for name in near(asked, names.iter().copied()) {
        if !close.contains(&name) {
            close.push(name);
        }
    }
    let close: Vec<String> = close.iter().take(5).map(|name| format!("`{name}`")).collect();
    let hint = if close.is_empty() {
        format!("`--thread '*'` lists the {} names that it has", names.len())
    } else {
        format!("did you mean {}?", close.join(" or "))
    };
    Trouble(format!(
        "windfall: {}: no thread is called `{asked}`; {hint}",
        args.recording.display()
    ))
}
