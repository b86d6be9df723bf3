//! Where nodes lie: two vectors, in which places that were given back are used again.

use super::inner::Inner;
use super::leaf::Leaf;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// No node.
const NONE: u32 = u32::MAX;

/// All nodes of a tree. Those that are free form lists through their numbers.
#[derive(Clone, Debug)]
pub(super) struct Arena<const L: usize, const I: usize> {
    leaves: Vec<Leaf<L>>,
    inners: Vec<Inner<I>>,
    free_leaf: u32,
    free_inner: u32,
}

/// Appends, and lets the vector grow by a sixteenth where it is full, since memory a slot counts.
fn push<T>(nodes: &mut Vec<T>, node: T) -> u32 {
    if nodes.len() == nodes.capacity() {
        nodes.reserve_exact(nodes.len() / 16 + 1);
    }
    nodes.push(node);
    u32::try_from(nodes.len() - 1).unwrap_or(NONE)
}

impl<const L: usize, const I: usize> Arena<L, I> {
    pub(super) fn new() -> Self {
        Arena { leaves: Vec::new(), inners: Vec::new(), free_leaf: NONE, free_inner: NONE }
    }

    /// Takes room for so many nodes in all.
    pub(super) fn reserve(&mut self, leaves: usize, inners: usize) -> Result<(), TryReserveError> {
        self.leaves.try_reserve_exact(leaves.saturating_sub(self.leaves.len()))?;
        self.inners.try_reserve_exact(inners.saturating_sub(self.inners.len()))
    }

    #[inline]
    pub(super) fn leaf(&self, node: u32) -> &Leaf<L> {
        &self.leaves[node as usize]
    }

    #[inline]
    pub(super) fn leaf_mut(&mut self, node: u32) -> &mut Leaf<L> {
        &mut self.leaves[node as usize]
    }

    #[inline]
    pub(super) fn inner(&self, node: u32) -> &Inner<I> {
        &self.inners[node as usize]
    }

    #[inline]
    pub(super) fn inner_mut(&mut self, node: u32) -> &mut Inner<I> {
        &mut self.inners[node as usize]
    }

    pub(super) fn add_leaf(&mut self, leaf: Leaf<L>) -> u32 {
        let node = self.free_leaf;
        if node == NONE {
            return push(&mut self.leaves, leaf);
        }
        self.free_leaf = self.leaf(node).numbers[0];
        *self.leaf_mut(node) = leaf;
        node
    }

    pub(super) fn add_inner(&mut self, inner: Inner<I>) -> u32 {
        let node = self.free_inner;
        if node == NONE {
            return push(&mut self.inners, inner);
        }
        self.free_inner = self.inner(node).numbers[0];
        *self.inner_mut(node) = inner;
        node
    }

    pub(super) fn free_leaf(&mut self, node: u32) {
        self.leaf_mut(node).numbers[0] = self.free_leaf;
        self.free_leaf = node;
    }

    pub(super) fn free_inner(&mut self, node: u32) {
        self.inner_mut(node).numbers[0] = self.free_inner;
        self.free_inner = node;
    }

    /// Two leaves that are not the same.
    pub(super) fn two_leaves(&mut self, one: u32, other: u32) -> [&mut Leaf<L>; 2] {
        self.leaves.get_disjoint_mut([one as usize, other as usize]).expect("two leaves")
    }

    /// Appends a leaf to the one before it, which begins so much work earlier.
    pub(super) fn append_leaf(&mut self, into: u32, from: u32, work: i64) {
        let [into, moved] = self.two_leaves(into, from);
        into.append(moved, work);
        self.free_leaf(from);
    }

    /// Appends an inner node to the one before it, which begins so much work earlier; it begins at this place in the order.
    pub(super) fn append_inner(&mut self, into: u32, from: u32, pair: (i64, u32), work: i64) {
        let [into, moved] =
            self.inners.get_disjoint_mut([into as usize, from as usize]).expect("two nodes");
        into.append(moved, pair, work);
        self.free_inner(from);
    }

    /// Forgets all nodes.
    pub(super) fn clear(&mut self) {
        self.leaves.clear();
        self.inners.clear();
        (self.free_leaf, self.free_inner) = (NONE, NONE);
    }

    pub(super) fn bytes(&self) -> usize {
        self.leaves.capacity() * size_of::<Leaf<L>>()
            + self.inners.capacity() * size_of::<Inner<I>>()
    }
}
