//! `windfall explain [RECORDING] --thread NAME`: why a thread was late, and who ran instead; of a recording, or of
//! what a run has recorded lately.

use crate::cli::ExplainArgs;
use crate::output::{input_name, print_json, print_text, width};
use crate::verbs::next;
use crate::verbs::recording::open_recording;
use crate::{Answer, VerbError};
use windfall_report::explain::{self, ExplainError, Reading};
use windfall_trace::explain::{Keep, Question};

/// How many misses are explained unless all are asked for: the worst.
const WORST: usize = 3;

pub(crate) fn run(args: &ExplainArgs) -> Result<Answer, VerbError> {
    let mut reading = match &args.recording {
        Some(path) => {
            let reading = Reading::of_recording(question(args), open_recording(path, args.from)?);
            reading.map_err(|why| trouble(&input_name(path), &why))?
        }
        None => {
            let reading = Reading::of_run(question(args), &of_the_run(args)?);
            reading.map_err(|why| trouble("the run", &why))?
        }
    };
    if args.worst {
        reading.explanation.keep_worst();
    }
    let threads = &reading.explanation.threads;
    let missed = threads.iter().any(|thread| thread.misses > 0);
    if args.json {
        print_json(explain::json(&reading))?;
    } else {
        let next = next::after_explanation(args, threads.len(), explain::worst(&reading));
        print_text(&explain::text(reading, width()))?;
        next::say(next);
    }
    Ok(if missed { Answer::No } else { Answer::Yes })
}

/// The question that the options ask.
fn question(args: &ExplainArgs) -> Question {
    let keep = match (args.miss, args.job) {
        (Some(number), _) => Keep::Miss(number),
        (_, Some(number)) => Keep::Job(number),
        _ if args.all => Keep::All,
        _ if args.worst => Keep::Worst(1),
        _ => Keep::Worst(WORST),
    };
    Question::new(args.thread.clone(), keep).longer_than(args.longer_than)
}

fn trouble(name: &str, why: &ExplainError) -> VerbError {
    VerbError(format!("windfall: {name}: {why}"))
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
