//! Statistics of a run's processes, besides those of each process.

use super::Node;
use windfall_time::Span;

/// Statistics of a run's processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Posts by timers and from other nodes that found their event posted, in a queue, or deleted.
    pub undelivered: u64,
    /// Arrivals at devices that found their event posted.
    pub coalesced: u64,
    /// Hand-overs to another node that found no waiting event, so that the datum returned to its queue.
    pub returned: u64,
    /// Data that returned to a queue which had been deleted.
    pub lost: u64,
    /// Loaded code, in order.
    pub loaded: Vec<Loaded>,
}

/// Code that was loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The kind.
    pub name: &'static str,
    /// The node.
    pub node: Node,
    /// Its size in KiB.
    pub kib: u64,
    /// Processor time for loading it, at speed 1.
    pub took: Span,
}

impl Loaded {
    /// Code of a kind that was loaded on a node: its size, and how long that took.
    #[must_use]
    pub const fn new(name: &'static str, node: Node, kib: u64, took: Span) -> Loaded {
        Loaded { name, node, kib, took }
    }
}
