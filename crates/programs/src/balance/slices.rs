//! Tunes slices to how many processes of a node are ready at once (Chrysalis 2.5): too long, and others wait; too short, and switching costs.

use super::{NodeReading, PROCESSOR, State};
use crate::control::{ThreadChange, ThreadRequest};
use windfall_time::Span;

/// Requests half an epoch, divided by the number of processes that are ready most of the time, for each of these whose slice differs from that by a factor of
/// more than two.
pub(super) fn tune(nodes: &[NodeReading], state: &mut State, requests: &mut Vec<ThreadRequest>) {
    for node in nodes {
        let is_busy = |record: &super::Record| {
            record.window.epochs > 0 && record.load(node.epoch) * 2 >= PROCESSOR
        };
        let names = node.processes.iter().map(|process| &process.name);
        let busy = names.filter(|name| state.records.get(*name).is_some_and(is_busy));
        let busy = busy.fold(0_u64, |sum, _| sum + 1).max(1);
        let slice = Span::from_nanos(node.epoch.as_nanos() / 2 / busy).max(node.useful);
        for process in &node.processes {
            let differs =
                process.slice > slice.saturating_mul(2) || process.slice.saturating_mul(2) < slice;
            let requested = requests
                .iter()
                .any(|request| request.thread == process.name && request.destination().is_some());
            let is_busy = state.changeable(process).is_some_and(|record| is_busy(record));
            if differs && is_busy && !requested {
                requests.push(ThreadRequest::new(&process.name, ThreadChange::Slice(slice)));
            }
        }
    }
}
