//! Why threads were late, as text and as JSON: one thread with its misses, or a line for each of several.

mod json;
mod marks;
mod one;
mod several;
mod tasks;

pub use json::json;
pub use one::word;

use windfall_scenario::outcome::{count, plain};
use windfall_time::Span;
use windfall_trace::Figure;
use windfall_trace::escape::escaped;
use windfall_trace::explain::Explanation;

/// A recording that has been gone through.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The result of the analysis.
    pub explanation: Explanation,
    /// How many switches the source did not report.
    pub silent: u64,
    /// Problems met while reading the recording.
    pub warnings: Vec<String>,
}

/// The question, as far as the text repeats it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Every miss, and every thread.
    pub all: bool,
    /// One miss or one job.
    pub one: bool,
    /// A job or burst that takes longer counts as a miss.
    pub longer_than: Option<Span>,
    /// The recording as an argument, to ask on with.
    pub of: String,
}

/// For people, on lines of at most `width` characters where that matters.
#[must_use]
pub fn text(requested: &Scope, mut reading: Reading, width: Option<usize>) -> String {
    reading.explanation.escape();
    match reading.explanation.threads.len() {
        0 | 1 => one::text(requested, &reading),
        _ => several::text(requested, &reading, width),
    }
}

/// Figures that a thread reported, by the keys of results: `saved_ns` and nanoseconds, `committed` and a count.
fn keyed(figures: &[(String, Figure)]) -> Vec<(String, u64)> {
    let keyed = figures.iter().map(|(name, value)| plain(&escaped(name), count(*value)));
    keyed.collect()
}
