//! Tunes needs to what is used of them.

use super::{NodeReading, Policy, Room, State, part};
use crate::control::{ThreadChange, ThreadRequest};
use windfall_time::Span;

/// An eighth more, in whole steps, which are hundredths of an epoch; at least one step, at most the epoch.
fn ample(used: Span, epoch: Span) -> Span {
    let step = (epoch.as_nanos() / 100).max(1);
    let steps = (used.as_nanos() / 8).saturating_add(used.as_nanos()).div_ceil(step).max(1);
    Span::from_nanos(steps.saturating_mul(step)).min(epoch)
}

/// Lowers needs that are not used, and raises those that are exceeded, as far as there is room.
pub(super) fn tune(
    nodes: &[NodeReading],
    state: &mut State,
    policy: &Policy,
    room: &mut [Room],
    requests: &mut Vec<ThreadRequest>,
) {
    let memory = usize::try_from(policy.memory).unwrap_or(1).max(1);
    for (node, room) in nodes.iter().zip(room) {
        let moved: Vec<String> = requests.iter().map(|request| request.thread.clone()).collect();
        for process in node.processes.iter().filter(|process| !process.need.is_zero()) {
            let Some(record) = state.changeable(process) else { continue };
            if record.window.epochs == 0 || moved.contains(&process.name) {
                continue;
            }
            let window = record.window;
            let used = record.keep_use(memory);
            let need = process.need;
            let band = part(need, 1, 8).max(part(node.epoch, 1, 100));
            let lower = used.map(|used| ample(used, node.epoch));
            let wanted =
                if window.waited { ample(window.most_ran, node.epoch) } else { record.claim };
            let higher = wanted.min(need.saturating_add(room.left));
            let is_exceeded = !window.left_some && window.most_ran > need;
            let amount = match lower {
                Some(lower) if lower.saturating_add(band) < need => lower,
                _ if is_exceeded && higher >= need.saturating_add(band) => {
                    room.take(higher.saturating_sub(need));
                    higher
                }
                _ => continue,
            };
            let change = ThreadChange::Need { amount, period: node.epoch };
            requests.push(ThreadRequest::new(&process.name, change));
        }
    }
}
