//! The policy of a monitor over several epoch schedulers: it tunes needs and slices, and moves processes between nodes (Chrysalis 5; decision
//! 0026).
//!
//! [`decide`] is a pure function of what was read, what is remembered, and the policy. It only returns requests; what becomes of them shows in later
//! readings, and a refusal is reported to [`State::refused`]. Invariants: the needs that it requests never exceed what a node has left at the reading,
//! less `spare`; each move lowers the sum of squares of all loads; a process that has moved n times rests for 2^n windows.

mod moves;
mod needs;
mod reading;
mod record;
mod slices;
#[cfg(test)]
mod tests;

pub use reading::{NodeReading, ProcessReading, UnreadableSchedulerError};

use crate::control::ThreadRequest;
use record::Record;
use std::collections::BTreeMap;
use windfall_time::Span;

/// The most requests of one round; what is left over is found again in the next round.
const MOST_REQUESTS: usize = 64;
/// A processor, in the unit of loads.
const PROCESSOR: u64 = 1_000_000;

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
    records: BTreeMap<String, Record>,
    /// Readings since the last decision.
    readings: u32,
    /// Decisions so far.
    round: u64,
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
struct Room {
    left: Span,
}

impl Room {
    fn of(node: &NodeReading, policy: &Policy) -> Room {
        let spare = part(node.epoch, policy.spare, 100);
        let taken = node.declared.saturating_add(spare);
        Room { left: node.epoch.saturating_sub(taken) }
    }

    fn take(&mut self, need: Span) {
        self.left = self.left.saturating_sub(need);
    }
}

/// So many parts of a span that is divided into `of`; rounded down.
fn part(span: Span, parts: u32, of: u64) -> Span {
    Span::from_nanos(span.as_nanos() / of * u64::from(parts))
}

/// Takes in a reading, and returns what is to be requested: nothing, unless a window ends.
///
/// ```
/// use windfall_programs::balance::{Policy, State, decide};
///
/// let mut state = State::default();
/// assert!(decide(&[], &mut state, &Policy::DEFAULT).is_empty());
/// ```
#[must_use]
pub fn decide(nodes: &[NodeReading], state: &mut State, policy: &Policy) -> Vec<ThreadRequest> {
    state.take_in(nodes);
    state.readings += 1;
    if state.readings < policy.window {
        return Vec::new();
    }
    let mut room: Vec<Room> = nodes.iter().map(|node| Room::of(node, policy)).collect();
    let mut requests = Vec::new();
    moves::balance(nodes, state, policy, &mut room, &mut requests);
    if policy.tunes {
        needs::tune(nodes, state, policy, &mut room, &mut requests);
        slices::tune(nodes, state, &mut requests);
    }
    requests.truncate(MOST_REQUESTS);
    state.readings = 0;
    state.round += 1;
    state.records.values_mut().for_each(Record::begin_window);
    requests
}
