//! Moves processes from more loaded nodes to less loaded ones.

use super::{NodeReading, PROCESSOR, Policy, Room, State};
use crate::control::{Destination, ThreadChange, ThreadRequest};

/// The indices of a node, of its process, and of the node that the process is to move to.
type Step = (usize, usize, usize);

/// Requests up to `moves` moves.
pub(super) fn balance(
    nodes: &[NodeReading],
    state: &mut State,
    policy: &Policy,
    room: &mut [Room],
    requests: &mut Vec<ThreadRequest>,
) {
    let load = |state: &State, node: &NodeReading, at: usize| {
        let record = state.records.get(&node.processes[at].name);
        record.map_or(0, |record| record.load(node.epoch))
    };
    let mut loads: Vec<u64> = nodes
        .iter()
        .map(|node| (0..node.processes.len()).map(|at| load(state, node, at)).sum())
        .collect();
    for _ in 0..policy.moves {
        let Some((from, at, to)) = best(nodes, state, policy, room, &loads) else { return };
        let (process, goal) = (&nodes[from].processes[at], &nodes[to]);
        let moved = load(state, &nodes[from], at);
        loads[from] -= moved;
        loads[to] += moved;
        room[to].take(process.need);
        let round = state.round;
        if let Some(record) = state.records.get_mut(&process.name) {
            record.rest(round);
        }
        let need = (!process.need.is_zero()).then_some((process.need, goal.epoch));
        let slice = process.slice.max(goal.useful);
        let place = Destination::new(&goal.name, process.priority, need, slice);
        requests.push(ThreadRequest::new(&process.name, ThreadChange::Move(place)));
    }
}

/// The best move from the most loaded node that has one, to the least loaded node that takes it: the one after which the larger of the two loads is
/// smallest. Of equals the one that comes first.
fn best(
    nodes: &[NodeReading],
    state: &mut State,
    policy: &Policy,
    room: &[Room],
    loads: &[u64],
) -> Option<Step> {
    let margin = u64::from(policy.margin) * (PROCESSOR / 100);
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|node| core::cmp::Reverse(loads[*node])); // stable: equals stay in order
    for (place, from) in order.iter().copied().enumerate() {
        for to in order[place + 1..].iter().copied().rev() {
            let mut found: Option<(u64, usize)> = None;
            for (at, process) in nodes[from].processes.iter().enumerate() {
                let fits = process.need.is_zero()
                    || nodes[from].epoch == nodes[to].epoch && process.need <= room[to].left;
                let Some(record) = state.changeable(process).filter(|_| fits) else { continue };
                let load = record.load(nodes[from].epoch);
                let after = (loads[to] + load).max(loads[from] - load);
                let lowers = load > 0 && loads[to] + load + margin <= loads[from];
                if lowers && found.is_none_or(|(best, _)| after < best) {
                    found = Some((after, at));
                }
            }
            if let Some((_, at)) = found {
                return Some((from, at, to));
            }
        }
    }
    None
}
