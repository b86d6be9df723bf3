//! The schedulers above a virtual processor or a scheduler: what they make up for, declare, and stem from.

use crate::check::{Node, Tree};
use alloc::vec::Vec;

impl Tree {
    /// Whether somewhere above a virtual processor stands a scheduler that
    /// [makes up](crate::Conversion::makes_up) for stolen time.
    #[must_use]
    pub fn is_below_makeup(&self, vp: usize) -> bool {
        let parent = self.vps.get(vp).and_then(|vp| self.nodes.get(vp.parent?));
        parent.is_some_and(|node| {
            node.conversion.makes_up() || node.own.iter().any(|own| self.is_below_makeup(*own))
        })
    }

    /// Whether a scheduler knows the speed of its first own virtual processor by the one above.
    pub(crate) fn is_declared(&self, node: &Node) -> bool {
        let parent = node.own.first().and_then(|own| self.nodes.get(self.vps[*own].parent?));
        parent.is_some_and(|parent| parent.conversion.declares_speed())
    }

    /// For each scheduler: whether all its own virtual processors stem from one processor.
    pub(crate) fn on_one(&self) -> Vec<bool> {
        let mut places: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let own = node.own.iter().filter(|own| !self.vps[**own].orphaned);
            let mut above = own.map(|own| match self.vps[*own].parent {
                None => Some(*own),
                Some(parent) => places.get(parent).copied().flatten(),
            });
            let first = above.next().flatten();
            places.push(first.filter(|_| above.all(|place| place == first)));
        }
        places.iter().map(Option::is_some).collect()
    }
}
