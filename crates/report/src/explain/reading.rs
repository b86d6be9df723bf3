//! A recording that was gone through, and the question about it.

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
}

/// Figures that a thread reported, by the keys of results: `saved_ns` and nanoseconds, `committed` and a count.
pub(super) fn keyed(figures: &[(String, Figure)]) -> Vec<(String, u64)> {
    let keyed = figures.iter().map(|(name, value)| plain(&escaped(name), count(*value)));
    keyed.collect()
}
