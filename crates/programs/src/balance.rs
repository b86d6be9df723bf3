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
mod state;
#[cfg(test)]
mod tests;

pub use reading::{NodeReading, ProcessReading, UnreadableSchedulerError};
pub use state::{Policy, State};

use crate::control::ThreadRequest;
use record::Record;
use state::{PROCESSOR, Room, part};

/// The most requests of one round; what is left over is found again in the next round.
const MOST_REQUESTS: usize = 64;
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
