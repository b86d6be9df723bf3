//! Schedulers whose reservation is used up: so no thread below them runs.
//!
//! A note about a scheduler's child that is a scheduler does not name it; it is known where there is
//! only one such child. Where there are several, nothing is said, and the time counts as what the
//! processor did meanwhile.
//!
//! Invariant: a hold begins with [`Note::Exhausted`](crate::Note::Exhausted) and ends when the same
//! scheduler replenishes, or a thread below runs all the same (a soft reservation).

use super::Scheduler;
use crate::NodeId;
use std::collections::BTreeMap;
use windfall_time::Instant;

/// Schedulers whose reservations are used up, and since when.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds {
    held: BTreeMap<NodeId, Instant>,
}

impl Holds {
    pub(super) fn begin(&mut self, node: NodeId, at: Instant) {
        self.held.insert(node, at);
    }

    pub(super) fn end(&mut self, node: NodeId) {
        self.held.remove(&node);
    }

    /// The nearest scheduler at or above `node` that is held.
    pub(super) fn above(
        &self,
        node: Option<NodeId>,
        schedulers: &BTreeMap<NodeId, Scheduler>,
    ) -> Option<NodeId> {
        if self.held.is_empty() {
            return None;
        }
        upwards(node, schedulers).find(|node| self.held.contains_key(node))
    }

    /// A thread below `node` ran until `to`: those above are held no more, unless since then.
    pub(super) fn ran(
        &mut self,
        node: Option<NodeId>,
        to: Instant,
        schedulers: &BTreeMap<NodeId, Scheduler>,
    ) -> bool {
        let before = self.held.len();
        if before > 0 {
            for node in upwards(node, schedulers) {
                if self.held.get(&node).is_some_and(|since| *since < to) {
                    self.held.remove(&node);
                }
            }
        }
        self.held.len() < before
    }
}

/// The only child of a scheduler that is a scheduler.
pub(super) fn only_child(of: NodeId, schedulers: &BTreeMap<NodeId, Scheduler>) -> Option<NodeId> {
    let mut children = schedulers.iter().filter(|(_, child)| child.parent == Some(of));
    let (only, _) = children.next()?;
    children.next().is_none().then_some(*only)
}

/// A scheduler and all above it. A circle of parents is gone round no more often than there are
/// schedulers.
fn upwards(
    from: Option<NodeId>,
    schedulers: &BTreeMap<NodeId, Scheduler>,
) -> impl Iterator<Item = NodeId> {
    let up = |node: &NodeId| schedulers.get(node).and_then(|scheduler| scheduler.parent);
    std::iter::successors(from, up).take(schedulers.len() + 1)
}
