//! The time that the threads below each scheduler received, destroyed schedulers included.
//!
//! Hosts decide when a scheduler gets an account and which time is added to it; the chain of
//! schedulers through which a thread receives processor time is known to them alone.

use super::{Figures, NodeOutcome};
use windfall_hierarchy::{Hierarchy, NodeId, Target};
use windfall_time::{Instant, Span};

/// Accounts by scheduler, in order of opening.
#[derive(Clone, Default, Debug)]
pub struct Accounts {
    accounts: Vec<(NodeId, NodeOutcome)>,
    /// By the hierarchy's index: the position of a living scheduler's account.
    places: Vec<Option<usize>>,
}

impl Accounts {
    /// Opens an account for every scheduler that has none, and notes the present parents of all.
    pub fn learn(&mut self, hierarchy: &Hierarchy) {
        for id in hierarchy.nodes() {
            let mut parents: Vec<String> = Vec::new();
            for name in hierarchy.parents(id).filter_map(|parent| hierarchy.name(parent)) {
                if parents.iter().all(|known| known != name) {
                    parents.push(name.to_owned());
                }
            }
            if let Some(place) = self.place(id) {
                self.accounts[place].1.parents = parents;
                continue;
            }
            let Some(view) = hierarchy.node(id) else { continue };
            let outcome = NodeOutcome {
                name: view.name.to_owned(),
                kind: view.kind.to_owned(),
                parents,
                received: Span::ZERO,
                alive: true,
                stats: Figures::new(),
            };
            if self.places.len() <= id.index() {
                self.places.resize(id.index() + 1, None);
            }
            self.places[id.index()] = Some(self.accounts.len());
            self.accounts.push((id, outcome));
        }
    }

    /// The position of a scheduler's account; it stays the same after the scheduler's end.
    #[must_use]
    pub fn place(&self, node: NodeId) -> Option<usize> {
        let place = self.places.get(node.index()).copied().flatten();
        place.filter(|place| self.accounts[*place].0 == node)
    }

    /// Adds processor time to the account at a position that [`place`](Self::place) returned.
    pub fn put(&mut self, place: usize, span: Span) {
        self.accounts[place].1.received += span;
    }

    /// Whether some scheduler has several parents.
    #[must_use]
    pub fn joined(&self) -> bool {
        self.accounts.iter().any(|(_, account)| account.parents.len() > 1)
    }

    /// All accounts at a moment: the living schedulers, and their figures.
    pub fn read(
        &self,
        at: Instant,
        hierarchy: &Hierarchy,
    ) -> impl Iterator<Item = (NodeId, NodeOutcome)> {
        self.accounts.iter().map(move |(id, account)| {
            let alive = hierarchy.name(*id).is_some();
            let counted = hierarchy.counted(at, Target::Node(*id));
            (*id, NodeOutcome { alive, stats: counted, ..account.clone() })
        })
    }
}
