//! The aim of a monitor, and its memory.

use super::NodeReading;
use super::record::Record;
use crate::control::ThreadRequest;
use std::collections::BTreeMap;
use windfall_time::Span;

/// A processor, in the unit of loads.
pub(super) const PROCESSOR: u64 = 1_000_000;

/// The aim of a monitor.
// Fields: the settings of the program `monitor`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Policy {
    /// How many readings make a window, at whose end it decides; at least 1.
    pub window: u32,
    /// For how many windows a use of a need is remembered; at least 1.
    pub memory: u32,
    /// By how much a move must lower the larger of two loads, in hundredths of a processor; at least 1, or equal loads would be exchanged.
    pub margin: u32,
    /// The part of an epoch that stays undeclared, in hundredths.
    pub spare: u32,
    /// The most moves of one round.
    pub moves: u32,
    /// Whether it tunes needs and slices.
    pub tunes: bool,
}

impl Policy {
    /// The policy with which the program `monitor` begins: windows of 10 readings, remembered 3 times; a margin of a tenth of a processor; a
    /// twentieth of each epoch spare; one move in a round.
    pub const DEFAULT: Policy =
        Policy { window: 10, memory: 3, margin: 10, spare: 5, moves: 1, tunes: true };
}

/// The state of a monitor between readings.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub(super) records: BTreeMap<String, Record>,
    /// Readings since the last decision.
    pub(super) readings: u32,
    /// Decisions so far.
    pub(super) round: u64,
}

impl State {
    /// Notes that a request for a process was refused: that process is left alone for twice as long as the last time.
    pub fn refused(&mut self, request: &ThreadRequest) {
        if let Some(record) = self.records.get_mut(&request.thread) {
            record.rest(self.round);
        }
    }

    /// How many decisions were made.
    #[must_use]
    pub const fn rounds(&self) -> u64 {
        self.round
    }
}

/// The need that can still be declared at a node in this round.
pub(super) struct Room {
    pub(super) left: Span,
}

impl Room {
    pub(super) fn of(node: &NodeReading, policy: &Policy) -> Room {
        let spare = part(node.epoch, policy.spare, 100);
        let taken = node.declared.saturating_add(spare);
        Room { left: node.epoch.saturating_sub(taken) }
    }

    pub(super) fn take(&mut self, need: Span) {
        self.left = self.left.saturating_sub(need);
    }
}

/// So many parts of a span that is divided into `of`; rounded down.
pub(super) fn part(span: Span, parts: u32, of: u64) -> Span {
    Span::from_nanos(span.as_nanos() / of * u64::from(parts))
}
