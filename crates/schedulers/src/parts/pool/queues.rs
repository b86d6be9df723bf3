//! Several priority queues of ready children, of which each child is in one: by home, or by binding.
//!
//! The queues are leftist heaps (Crane 1972) that share one table of nodes, so that many queues cost no more than
//! their roots. Invariants: no node's key is below its parent's; the rank of a node is its distance to the nearest
//! missing child, and never larger on the right than on the left. So a right spine has O(log n) nodes, and inserting,
//! removing and changing are O(log n) without recursion; nothing allocates except in [`Queues::register`],
//! [`Queues::insert_queue`] and [`Queues::new`].

use alloc::vec::Vec;
use windfall_hierarchy::ChildVp;

#[derive(Clone)]
pub(crate) struct Queues<K> {
    /// The first child of each queue.
    roots: Vec<Option<u32>>,
    nodes: Vec<Option<Node<K>>>,
    len: usize,
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

impl<K> Default for Queues<K> {
    fn default() -> Queues<K> {
        Queues { roots: Vec::new(), nodes: Vec::new(), len: 0 }
    }
}

impl<K: Ord + Copy> Queues<K> {
    /// This many queues, without children.
    pub(crate) fn new(queues: u16) -> Queues<K> {
        Queues { roots: alloc::vec![None; usize::from(queues)], ..Queues::default() }
    }

    /// Whether there is no queue.
    #[inline]
    pub(crate) const fn are_none(&self) -> bool {
        self.roots.is_empty()
    }

    /// Number of queues.
    pub(crate) const fn count(&self) -> usize {
        self.roots.len()
    }

    /// Number of children.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Inserts an empty queue of this number; those from it on get the next number. Allocates.
    pub(crate) fn insert_queue(&mut self, at: u16) {
        self.roots.insert(at.into(), None);
        for node in self.nodes.iter_mut().flatten().filter(|node| node.queue >= at) {
            node.queue += 1;
        }
    }

    /// Makes room for a child; allocates.
    pub(crate) fn register(&mut self, child: ChildVp) {
        let room = self.nodes.len().max(child.index() + 1);
        self.nodes.resize(room, None);
    }

    /// The key of a child, with the number of its queue.
    pub(crate) fn get(&self, child: ChildVp) -> Option<(K, u16)> {
        let node = self.nodes.get(child.index())?.as_ref()?;
        Some((node.key, node.queue))
    }

    /// The first child of a queue.
    #[inline]
    pub(crate) fn first(&self, queue: u16) -> Option<(K, ChildVp)> {
        let root = (*self.roots.get(usize::from(queue))?)?;
        Some((self.node(root).key, ChildVp(root)))
    }

    /// Inserts a child into a queue, or changes it.
    pub(crate) fn set(&mut self, child: ChildVp, queue: u16, key: K) {
        self.remove(child);
        self.len += 1;
        let (parent, left, right) = (None, None, None);
        self.nodes[child.index()] = Some(Node { key, queue, rank: 1, parent, left, right });
        let root = self.merge(self.roots[usize::from(queue)], Some(child.0));
        self.roots[usize::from(queue)] = root;
    }

    /// Removes a child if it is in a queue.
    pub(crate) fn remove(&mut self, child: ChildVp) {
        let Some(node) = self.nodes.get_mut(child.index()).and_then(Option::take) else { return };
        self.len -= 1;
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

    impl Queues<u64> {
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
        /// Compares with the slow definition: the least of all children of a queue.
        #[test]
        fn law_the_first_of_each_queue_is_the_least(
            ops in prop::collection::vec((0_u8..5, 0..CHILDREN, 0_u16..4, 0_u64..50), 0..400),
        ) {
            let mut queues = Queues::new(4);
            queues.register(ChildVp(CHILDREN - 1));
            let mut model: BTreeMap<u32, (u64, u16)> = BTreeMap::new();
            for (op, child, queue, key) in ops {
                match op {
                    0 => {
                        queues.remove(ChildVp(child));
                        model.remove(&child);
                    }
                    1 if queues.count() < 9 => {
                        queues.insert_queue(queue);
                        let later = model.values_mut().filter(|(_, at)| *at >= queue);
                        later.for_each(|(_, at)| *at += 1);
                    }
                    _ => {
                        queues.set(ChildVp(child), queue, key);
                        model.insert(child, (key, queue));
                    }
                }
                for queue in 0..9 {
                    let there = model.iter().filter(|(_, (_, at))| *at == queue);
                    let least = there.map(|(child, (key, _))| (*key, ChildVp(*child))).min();
                    prop_assert_eq!(queues.first(queue), least);
                }
                for child in 0..CHILDREN {
                    prop_assert_eq!(queues.get(ChildVp(child)), model.get(&child).copied());
                }
                let roots = queues.roots.iter().enumerate();
                let nodes: usize = roots.map(|(at, root)| queues.sound(*root, None, at)).sum();
                prop_assert_eq!(nodes, model.len());
                prop_assert_eq!(queues.len(), model.len());
            }
        }
    }
}
