//! A recording that was gone through, and the question about it.
//!
//! Invariant: it has a thread that the question means, and the miss or job that it asks for.

use super::ExplainError;
use core::fmt::Display;
use windfall_scenario::outcome::{count, plain};
use windfall_trace::codec::Reader;
use windfall_trace::escape::escaped;
use windfall_trace::explain::{Explainer, Explanation, Keep, Question};
use windfall_trace::{Figure, Record, Sink, Source};

/// A recording that has been gone through, with a question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The question.
    pub question: Question,
    /// The result of the analysis.
    pub explanation: Explanation,
    /// How many switches the source did not report.
    pub silent: u64,
    /// Problems met while reading the recording.
    pub warnings: Vec<String>,
}

impl Reading {
    /// Goes through a recording.
    ///
    /// # Errors
    /// When it has no thread, or not what the question asks about.
    pub fn of_recording(question: Question, mut source: Source) -> Result<Reading, ExplainError> {
        let mut reading = Reading::of(question, &mut source);
        reading.silent = source.report().map_or(0, |report| report.mismatches.count);
        reading.answers(ExplainError::NoThreads)
    }

    /// Goes through what a run has recorded so far, in Windfall's own format.
    ///
    /// # Errors
    /// When it is of another format, has no thread yet, or not what the question asks about.
    pub fn of_run(question: Question, trace: &[u8]) -> Result<Reading, ExplainError> {
        let records = Reader::new(trace);
        let records = records.map_err(|why| ExplainError::Unreadable(why.to_string()))?;
        Reading::of(question, records).answers(ExplainError::NotStarted)
    }

    fn of<E: Display>(
        question: Question,
        records: impl Iterator<Item = Result<Record, E>>,
    ) -> Reading {
        let mut explainer = Explainer::new(question.clone());
        let mut warnings = Vec::new();
        for record in records {
            match record {
                Ok(record) => explainer.record(record.at, &record.event),
                Err(error) => warnings.push(error.to_string()),
            }
        }
        Reading { question, explanation: explainer.finish(), silent: 0, warnings }
    }

    /// Refuses a recording that does not answer; `nothing` is why one has no thread that could be read whole.
    fn answers(mut self, nothing: ExplainError) -> Result<Reading, ExplainError> {
        if self.explanation.people.is_empty() {
            let unread = (!self.warnings.is_empty()).then(|| self.warnings.swap_remove(0));
            return Err(unread.map_or(nothing, ExplainError::Unreadable));
        }
        let asked = || self.question.thread.to_string();
        match &self.explanation.threads[..] {
            [] => Err(ExplainError::nobody(asked(), &self.explanation)),
            [thread] if thread.kept.is_empty() => match self.question.keep {
                Keep::Miss(miss) => {
                    Err(ExplainError::NoMiss { thread: asked(), miss, misses: thread.misses })
                }
                Keep::Job(job) => {
                    let (kind, jobs) = (thread.kind, thread.episodes());
                    Err(ExplainError::NoJob { thread: asked(), kind, job, jobs })
                }
                _ => Ok(self),
            },
            [_] => Ok(self),
            several if self.is_of_one() => {
                Err(ExplainError::Several { thread: asked(), threads: several.len() })
            }
            _ => Ok(self),
        }
    }

    /// Whether one miss or one job is asked for.
    pub(super) const fn is_of_one(&self) -> bool {
        matches!(self.question.keep, Keep::Miss(_) | Keep::Job(_))
    }

    /// Whether every miss is asked for, and every thread.
    pub(super) const fn is_of_all(&self) -> bool {
        matches!(self.question.keep, Keep::All)
    }
}

/// Figures that a thread reported, by the keys of results: `saved_ns` and nanoseconds, `committed` and a count.
pub(super) fn keyed(figures: &[(String, Figure)]) -> Vec<(String, u64)> {
    let keyed = figures.iter().map(|(name, value)| plain(&escaped(name), count(*value)));
    keyed.collect()
}
