//! The sample for a fit: spans that ended with an incident, and spans that ended without one.

use windfall_time::Span;

/// Spans of operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    ended: Vec<Span>,
    censored: Vec<Span>,
}

impl Sample {
    /// `ended`: until an incident. `censored`: cut off before one came, as by the end of observation; a censored span of zero says nothing and is left out.
    #[must_use]
    pub fn new(ended: Vec<Span>, mut censored: Vec<Span>) -> Sample {
        censored.retain(|span| !span.is_zero());
        Sample { ended, censored }
    }

    /// Spans that ended with an incident, in the order in which they were given.
    #[must_use]
    pub fn ended(&self) -> &[Span] {
        &self.ended
    }

    /// Spans that were cut off.
    #[must_use]
    pub fn censored(&self) -> &[Span] {
        &self.censored
    }

    /// How many incidents.
    #[must_use]
    pub const fn events(&self) -> usize {
        self.ended.len()
    }

    /// Seconds under observation.
    pub(crate) fn total_seconds(&self) -> f64 {
        self.ended.iter().chain(&self.censored).map(|span| span.as_secs_f64()).sum()
    }

    /// The same, joined with the spans of another system of the same kind.
    #[must_use]
    pub fn with(mut self, other: Sample) -> Sample {
        self.ended.extend(other.ended);
        self.censored.extend(other.censored);
        self
    }
}
