//! Ready children by the own VP on which they last ran: one priority queue for each own VP, with one node for each child.
//!
//! The queues are leftist heaps (Crane 1972) that share one table of nodes, so that many own VPs cost no more than
//! their roots. Invariants: no node's key is below its parent's; the rank of a node is its distance to the nearest
//! missing child, and never larger on the right than on the left. So a right spine has O(log n) nodes, and inserting,
//! removing and changing are O(log n) without recursion; nothing allocates except in [`Homes::register`].

use alloc::vec::Vec;
use windfall_hierarchy::{ChildVp, OwnVp};

#[derive(Clone)]
pub(crate) struct Homes<K> {
    /// The first child of each own VP, then of the children that are at home everywhere. Empty if no homes are kept.
    roots: Vec<Option<u32>>,
    nodes: Vec<Option<Node<K>>>,
}

#[derive(Clone, Copy)]
struct Node<K> {
    key: K,
    /// Number of its queue.
    queue: u16,
    rank: u8,
    parent: Option<u32>,
    left: Option<u32>,
    right: Option<u32>,
}

impl<K> Default for Homes<K> {
    fn default() -> Homes<K> {
        Homes { roots: Vec::new(), nodes: Vec::new() }
    }
}

impl<K: Ord + Copy> Homes<K> {
    /// Homes on own VPs `0..owns`, without children.
    pub(crate) fn new(owns: u16) -> Homes<K> {
        Homes { roots: alloc::vec![None; usize::from(owns) + 1], nodes: Vec::new() }
    }

    /// Whether homes are kept.
    #[inline]
    pub(crate) const fn are_kept(&self) -> bool {
        !self.roots.is_empty()
    }

    /// Keeps homes on one more own VP, of the highest number; allocates.
    pub(crate) fn grow(&mut self) {
        let Some(everywhere) = self.roots.len().checked_sub(1) else { return };
        self.roots.insert(everywhere, None);
        for node in self.nodes.iter_mut().flatten() {
            node.queue += u16::from(usize::from(node.queue) == everywhere);
        }
    }

    /// Makes room for a child; allocates.
    pub(crate) fn register(&mut self, child: ChildVp) {
        let room = self.nodes.len().max(child.index() + 1);
        self.nodes.resize(room, None);
    }

    /// The key of a ready child, with its home; a home of `None` means everywhere.
    pub(crate) fn get(&self, child: ChildVp) -> Option<(K, Option<OwnVp>)> {
        let node = self.nodes.get(child.index())?.as_ref()?;
        let everywhere = usize::from(node.queue) + 1 == self.roots.len();
        Some((node.key, (!everywhere).then_some(OwnVp(node.queue))))
    }

    /// The first child whose home is this own VP.
    pub(crate) fn first(&self, own: OwnVp) -> Option<(K, ChildVp)> {
        self.peek(own.index())
    }

    /// The first child that is at home everywhere.
    pub(crate) fn first_anywhere(&self) -> Option<(K, ChildVp)> {
        self.peek(self.roots.len().checked_sub(1)?)
    }

    fn peek(&self, queue: usize) -> Option<(K, ChildVp)> {
        let root = (*self.roots.get(queue)?)?;
        Some((self.node(root).key, ChildVp(root)))
    }

    /// Inserts a child, which is at home everywhere if `home` is `None`, or changes it.
    pub(crate) fn set(&mut self, child: ChildVp, home: Option<OwnVp>, key: K) {
        self.remove(child);
        let everywhere = u16::try_from(self.roots.len() - 1).expect("made of 16 bits");
        let queue = home.map_or(everywhere, |own| own.0);
        let (parent, left, right) = (None, None, None);
        self.nodes[child.index()] = Some(Node { key, queue, rank: 1, parent, left, right });
        let root = self.merge(self.roots[usize::from(queue)], Some(child.0));
        self.roots[usize::from(queue)] = root;
    }

    /// Removes a child if it is ready.
    pub(crate) fn remove(&mut self, child: ChildVp) {
        let Some(node) = self.nodes.get_mut(child.index()).and_then(Option::take) else { return };
        for below in [node.left, node.right].into_iter().flatten() {
            self.node_mut(below).parent = None;
        }
        let below = self.merge(node.left, node.right);
        if let Some(below) = below {
            self.node_mut(below).parent = node.parent;
        }
        let Some(parent) = node.parent else {
            self.roots[usize::from(node.queue)] = below;
            return;
        };
        let above = self.node_mut(parent);
        let side = if above.left == Some(child.0) { &mut above.left } else { &mut above.right };
        *side = below;
        let mut at = Some(parent);
        while let Some(node) = at {
            at = if self.balance(node) { self.node(node).parent } else { None };
        }
    }

    /// Joins two heaps whose roots have no parent.
    fn merge(&mut self, one: Option<u32>, other: Option<u32>) -> Option<u32> {
        let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
        let (root, mut rest) =
            if self.goes_before(other, one) { (other, one) } else { (one, other) };
        let mut at = root;
        loop {
            match self.node(at).right {
                Some(right) if !self.goes_before(rest, right) => at = right,
                right => {
                    self.node_mut(at).right = Some(rest);
                    self.node_mut(rest).parent = Some(at);
                    at = rest;
                    let Some(right) = right else { break };
                    rest = right;
                }
            }
        }
        let mut above = self.node(at).parent;
        while let Some(node) = above {
            self.balance(node);
            above = self.node(node).parent;
        }
        Some(root)
    }

    /// Restores the rank of a node, and the order of the ranks below it. Returns whether its rank has changed.
    fn balance(&mut self, at: u32) -> bool {
        let node = *self.node(at);
        let rank = |below: Option<u32>| below.map_or(0, |below| self.node(below).rank);
        let (left, right) = (rank(node.left), rank(node.right));
        let node = self.node_mut(at);
        if left < right {
            core::mem::swap(&mut node.left, &mut node.right);
        }
        let before = core::mem::replace(&mut node.rank, left.min(right) + 1);
        before != node.rank
    }

    fn goes_before(&self, one: u32, other: u32) -> bool {
        (self.node(one).key, one) < (self.node(other).key, other)
    }

    fn node(&self, at: u32) -> &Node<K> {
        self.nodes[at as usize].as_ref().expect("a link leads to a child that is ready")
    }

    fn node_mut(&mut self, at: u32) -> &mut Node<K> {
        self.nodes[at as usize].as_mut().expect("a link leads to a child that is ready")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    const CHILDREN: u32 = 40;

    impl Homes<u64> {
        /// The number of nodes in a heap, whose invariants hold.
        fn sound(&self, at: Option<u32>, parent: Option<u32>, queue: usize) -> usize {
            let Some(at) = at else { return 0 };
            let node = self.node(at);
            let rank = |below: Option<u32>| below.map_or(0, |below| self.node(below).rank);
            assert_eq!((node.parent, usize::from(node.queue)), (parent, queue));
            assert!(parent.is_none_or(|parent| self.goes_before(parent, at)));
            assert!(rank(node.left) >= rank(node.right), "the shorter way is on the right");
            assert_eq!(node.rank, rank(node.right) + 1);
            let below = [node.left, node.right].map(|below| self.sound(below, Some(at), queue));
            1 + below[0] + below[1]
        }
    }

    proptest! {
        /// Compares with the slow definition: the least of all children of an own VP.
        #[test]
        fn law_the_first_at_each_home_is_the_least(
            ops in prop::collection::vec((0_u8..4, 0..CHILDREN, 0_u16..4, 0_u64..50), 0..400),
        ) {
            let mut homes = Homes::new(3);
            homes.register(ChildVp(CHILDREN - 1));
            let mut model = BTreeMap::new();
            for (op, child, home, key) in ops {
                let home = (home < 3).then_some(OwnVp(home));
                if op == 0 {
                    homes.remove(ChildVp(child));
                    model.remove(&child);
                } else {
                    homes.set(ChildVp(child), home, key);
                    model.insert(child, (key, home));
                }
                let least = |home| {
                    let there = model.iter().filter(|(_, (_, at))| *at == home);
                    there.map(|(child, (key, _))| (*key, ChildVp(*child))).min()
                };
                for own in (0..3).map(OwnVp) {
                    prop_assert_eq!(homes.first(own), least(Some(own)));
                }
                prop_assert_eq!(homes.first_anywhere(), least(None));
                for child in 0..CHILDREN {
                    prop_assert_eq!(homes.get(ChildVp(child)), model.get(&child).copied());
                }
                let queues = homes.roots.iter().enumerate();
                let nodes: usize = queues.map(|(at, root)| homes.sound(*root, None, at)).sum();
                prop_assert_eq!(nodes, model.len());
            }
        }
    }
}
