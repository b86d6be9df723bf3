//! Identifiers of the parts of a hierarchy.
//!
//! A scheduler gets small dense indices ([`ChildVp`], [`OwnVp`], [`TimerId`]), which may index its own tables. A
//! host gets [`NodeId`] and [`ThreadId`], which carry a generation: a stale id is refused instead of naming a later
//! object.

use crate::index::{LeafIndex, NodeIndex};

/// A child's virtual processor, as its parent scheduler sees it: a slot number. `unregister` frees the number, and
/// the one freed last is reused first, so the numbers stay dense.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChildVp(pub u32);

impl ChildVp {
    /// The number as an index into a per-child table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A virtual processor that a scheduler shares with a parent. Own VPs are numbered from 0 in the order of
/// [`NodeSpec::owns`](crate::NodeSpec::owns).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OwnVp(pub u16);

impl OwnVp {
    /// The number as an index into a per-VP table.
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
    /// The processor with this index in a per-processor table.
    ///
    /// # Panics
    /// Above 65,535, because a hierarchy numbers its processors with 16 bits.
    #[must_use]
    pub fn at(index: usize) -> Processor {
        Processor(u16::try_from(index).expect("a hierarchy's processors are numbered by 16 bits"))
    }

    /// The number as an index into a per-processor table.
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

/// The lower end of a virtual processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// A thread.
    Thread(ThreadId),
    /// A scheduler instance.
    Node(NodeId),
}

/// Where a virtual processor is registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parent {
    /// At the top: a processor of its own.
    Top,
    /// At a scheduler instance.
    Node(NodeId),
}
