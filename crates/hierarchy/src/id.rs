//! Names for the things of a hierarchy.
//!
//! A scheduler sees small dense indices ([`ChildVp`], [`OwnVp`], [`TimerId`]) that it may use to index
//! its own tables. A host sees [`NodeId`] and [`ThreadId`], which carry a generation, so that a
//! stale one is refused instead of naming another object.

use crate::index::{LeafIndex, NodeIndex};

/// A child's virtual processor, as its parent scheduler sees it: a slot number that is free again
/// after `unregister`; the one freed last is given first, so the numbers stay dense.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChildVp(pub u32);

impl ChildVp {
    /// As an index into a per-child table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One of a scheduler's own virtual processors (that it shares with a parent), numbered from 0 in
/// the order of the request that created it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OwnVp(pub u16);

impl OwnVp {
    /// As an index into a per-VP table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One of a scheduler instance's timers, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TimerId(pub u16);

/// A physical processor, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Processor(pub u16);

impl Processor {
    /// That with this index in a per-processor table.
    ///
    /// # Panics
    /// Above 65,535: a hierarchy is made for a number of processors that 16 bits hold.
    #[must_use]
    pub fn at(index: usize) -> Processor {
        Processor(u16::try_from(index).expect("a hierarchy's processors are numbered by 16 bits"))
    }

    /// As an index into a per-processor table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A scheduler instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId {
    pub(crate) index: NodeIndex,
    pub(crate) generation: u32,
}

impl NodeId {
    /// A dense index, reused after the instance is destroyed.
    #[must_use]
    pub const fn index(self) -> usize {
        self.index.0 as usize
    }
}

/// A thread, which is a leaf of the hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId {
    pub(crate) index: LeafIndex,
    pub(crate) generation: u32,
}

impl ThreadId {
    /// A dense index, reused after the thread exits.
    #[must_use]
    pub const fn index(self) -> usize {
        self.index.0 as usize
    }
}

/// Whoever stands at the lower end of a virtual processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// A thread.
    Thread(ThreadId),
    /// A scheduler instance.
    Node(NodeId),
}
