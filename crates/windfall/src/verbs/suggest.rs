//! `windfall suggest RECORDING`: suggested guarantees for the recorded threads, and the effect they would have had.
//!
//! It joins what `import --reserve`, `calibrate` and `simulate` do: periods and needs are learnt from the recording, promises are
//! made as far as they fit together, and the recording is simulated under Linux's own policy without them and with them.
//!
//! Invariant: the checker grants everything that is suggested.

use super::import::seen_from;
use super::load::plan_from;
use super::new::{place_schema, with_schema};
use crate::cli::SuggestArgs;
use crate::command_error::CommandError;
use crate::output::{Destinations, Kept, input_name, is_standard};
use crate::verbs::recording::{open_recording, read_recording, unreadable};
use crate::verbs::simulated::simulated;
use crate::{Answer, VerbError};
use std::io::Write;
use std::path::Path;
use windfall_guarantees::Guarantee;
use windfall_programs::learn::{Parent, Proposal, Row};
use windfall_report::import::remarks;
use windfall_report::suggest::{self, Suggested, Suggestions};
use windfall_scenario::model::Run;
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{Recording, Reserving, Scenario, import};
use windfall_schedulers::kinds;
use windfall_time::Span;
use windfall_trace::Sink;
use windfall_trace::explain::{Explainer, Keep, Question};

pub(crate) fn run(args: &SuggestArgs) -> Result<Answer, CommandError> {
    let trouble = |why: &str| CommandError::from(unreadable(&args.recording, why));
    if is_standard(&args.recording) && args.output.is_some() {
        return Err(trouble(
            "the scenario names its recording, which needs a file; keep the recording in one",
        ));
    }
    let mut outputs = Destinations::new(args.force.force, [args.recording.as_path()])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = args.output.as_deref().map(|path| outputs.claim("--output", path)).transpose()?;
    let kept = is_standard(&args.recording).then(Kept::of_standard_input).transpose();
    let kept = kept.map_err(|why| trouble(&why.to_string()))?;
    let path = kept.as_ref().map_or(args.recording.as_path(), Kept::path);
    let recording = read_recording(path, &args.recording, args.from)?;
    let found = find(args, path, &recording)?;
    outputs.show(args.json, || suggest::json(&found), |width| suggest::text(&found, width))?;
    if let (Some(output), Some(path)) = (&output, &args.output) {
        let file = seen_from(&args.recording, path)?;
        let scenario = made(&recording, &file, Reserving::Periodic).0;
        output.write(|out| out.write_all(with_schema(&scenario).as_bytes()))?;
        let beside = place_schema(path)?;
        outputs.print(&output.wrote(&beside))?;
    }
    Ok(if found.promises.is_empty() { Answer::No } else { Answer::Yes })
}

/// A scenario of the recording, in which threads without a promise are scheduled as Linux does it.
fn made(recording: &Recording, file: &str, reserving: Reserving) -> (Scenario, Proposal) {
    let imported = import(recording, file, reserving, kinds::LINUX_EEVDF);
    (imported.scenario, imported.proposal)
}

/// `path` is where the recording can be read again.
fn find(
    args: &SuggestArgs,
    path: &Path,
    recording: &Recording,
) -> Result<Suggestions, CommandError> {
    let file = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let (without, _) = made(recording, &file, Reserving::Nobody);
    let (with, proposal) = made(recording, &file, Reserving::Periodic);
    with.check().map_err(CommandError::of)?;
    if let Some(refused) = with.promises().refused().next() {
        let promises = with.promises();
        let why = format!("a promise does not fit: {}", promises.explain(refused));
        return Err(VerbError(format!("windfall: {}: {why}", input_name(&args.recording))).into());
    }
    let (promises, others) = match proposal.rows.iter().any(|row| reservation(row).is_some()) {
        true => compared(args, path, recording, [&without, &with], &proposal)?,
        false => (Vec::new(), None),
    };
    let (remarks, cut, lost) = (remarks(recording), recording.cut.clone(), recording.learned.lost);
    Ok(Suggestions { proposal, promises, others, remarks, cut, lost })
}

/// The suggested promise of a thread.
fn reservation(row: &Row) -> Option<Guarantee> {
    match row.parent {
        Parent::Reservation { amount, period, .. } => {
            Some(Guarantee::BasicSoft(amount.into(), period.into()))
        }
        _ => None,
    }
}

/// The effect of the suggested promises on their threads and on all others: the recording is simulated without them and with them.
fn compared(
    args: &SuggestArgs,
    path: &Path,
    recording: &Recording,
    scenarios: [&Scenario; 2],
    proposal: &Proposal,
) -> Result<(Vec<Suggested>, Option<[Span; 2]>), CommandError> {
    let simulated = |scenario: &Scenario| -> Result<Outcome, CommandError> {
        Ok(simulated(scenario, plan_from(scenario, path)?.0, path)?)
    };
    let [without, with] = scenarios;
    let [before, after] = [simulated(without)?, simulated(with)?];
    let recorded = recorded(args, path)?;
    let (mut promises, mut promised) = (Vec::new(), Vec::new());
    for row in &proposal.rows {
        let Some(guarantee) = reservation(row) else { continue };
        let name = name(with, recording, row.thread);
        let id = recording.learned.threads[row.thread].trace_thread;
        let longest = [
            recorded.iter().find(|(thread, _)| *thread == id).map(|(_, most)| *most),
            response(&before, &name),
            response(&after, &name),
        ];
        promises.push(Suggested { row: row.clone(), guarantee, longest });
        promised.push(name);
    }
    let others = [&before, &after].map(|outcome| {
        let others = outcome.threads.iter().filter(|thread| !promised.contains(&thread.name));
        others.map(|thread| thread.received).fold(Span::ZERO, Span::saturating_add)
    });
    Ok((promises, Some(others)))
}

/// The name in the scenario of a recorded thread with a promise of its own.
fn name(scenario: &Scenario, recording: &Recording, thread: usize) -> String {
    let reference = recording.reference(thread);
    let is_it = |run: &Run| matches!(run, Run::Recorded { thread, .. } if *thread == reference);
    let found = scenario.threads.iter().find(|thread| is_it(&thread.run));
    found.map(|thread| thread.name.clone()).unwrap_or_default()
}

fn response(outcome: &Outcome, name: &str) -> Option<Span> {
    outcome.threads.iter().find(|thread| thread.name == name)?.response.most()
}

/// The longest response of each thread as it was recorded.
fn recorded(
    args: &SuggestArgs,
    path: &Path,
) -> Result<Vec<(windfall_trace::ThreadId, Span)>, VerbError> {
    let everybody = "*".parse().map_err(|_| VerbError("windfall: `*` is a pattern".to_owned()))?;
    let question = Question::new(everybody, Keep::Worst(1));
    let mut explainer = Explainer::new(question);
    let source = open_recording(path, args.from)?;
    // Where it cannot be read further, the remarks say so.
    for record in source.map_while(Result::ok) {
        explainer.record(record.at, &record.event);
    }
    Ok(explainer.finish().threads.iter().map(|found| (found.thread, found.most)).collect())
}
