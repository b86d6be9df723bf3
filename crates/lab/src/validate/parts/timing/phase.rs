//! The records of one phase: idle, or under load.

use super::record::{Quantile, Record};
use crate::validate::machine::Class;
use windfall_time::Span;

/// The records of all processors, in their order.
pub(super) struct Phase {
    pub(super) records: Vec<Record>,
    pub(super) class: Class,
}

impl Phase {
    /// The least, over processors, of how much work was left of a period in all but one in so many.
    pub(super) fn left(&self, index: usize, quantile: Quantile) -> Span {
        let left = self.records.iter().map(|record| {
            let of = &record.periods[index];
            of.period.saturating_sub(of.lost.at(quantile))
        });
        left.min().unwrap_or(Span::ZERO)
    }

    /// How many periods each processor had, at least.
    pub(super) fn count(&self, index: usize) -> u64 {
        self.records.iter().map(|record| record.periods[index].lost.count()).min().unwrap_or(0)
    }
}
