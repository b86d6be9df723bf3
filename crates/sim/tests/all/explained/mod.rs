//! Results of `explain` for a run, against the accounts of the simulator itself.

use windfall_scenario::outcome::Outcome;
use windfall_time::{Instant, Span};
use windfall_trace::explain::{Explainer, Explanation, Keep, Kind, Part, Question};
use windfall_trace::{Event, Record, Sink};

/// Everything about every thread up to the end of the run; whatever takes time is kept as a miss.
pub(crate) fn explain(records: &[Record], outcome: &Outcome) -> Explanation {
    let question = Question::new("*".into(), Keep::All).longer_than(Span::ZERO);
    let mut explainer = Explainer::new(question);
    for record in records {
        explainer.record(record.at, &record.event);
    }
    // A trace ends with its last record, a run may go on after it.
    let end = Event::Mark { thread: None, text: "the end".to_owned() };
    explainer.record(Instant::ZERO + outcome.length, &end);
    explainer.finish()
}

/// The parts of each episode add up, and to what each thread received.
pub(crate) fn explained(records: &[Record], outcome: &Outcome) -> Result<(), String> {
    let explanation = explain(records, outcome);
    if explanation.conflicts > 0 {
        return Err(format!("{} contradictions in the trace", explanation.conflicts));
    }
    for found in &explanation.threads {
        let thread = &outcome.threads[found.thread.0 as usize];
        for episode in &found.kept {
            if episode.account.total() != episode.span() {
                return Err(format!("{}: the parts do not add up: {episode:?}", thread.name));
            }
        }
        let all = &found.all;
        if all.parts.contains_key(&Part::Unknown) {
            return Err(format!("{}: something is unknown: {all:?}", thread.name));
        }
        let same = all.of(Part::Ran) == thread.received
            && (all.dispatches, all.migrations) == (thread.dispatches, thread.migrations);
        if found.kind == Kind::Burst && !same {
            return Err(format!("{}: {all:?}, but {thread:?}", thread.name));
        }
    }
    Ok(())
}
