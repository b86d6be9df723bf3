//! What a run says of its processes beside what each of them says.

use super::Node;
use windfall_time::Span;

/// What was counted of a run's processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Posts by timers and from other nodes that found their event posted, in a queue, or gone.
    pub undelivered: u64,
    /// Hand-overs to another node that found nobody, so that the datum returned to its queue.
    pub returned: u64,
    /// Data that returned to a queue which was gone.
    pub lost: u64,
    /// What was loaded, in order.
    pub loaded: Vec<Loaded>,
}

/// Code that was loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The kind.
    pub name: &'static str,
    /// Where.
    pub node: Node,
    /// Its size.
    pub kib: u64,
    /// Processor time that it took, at speed 1.
    pub took: Span,
}

impl Loaded {
    /// Code of a kind that was loaded on a node: its size, and how long that took.
    #[must_use]
    pub const fn new(name: &'static str, node: Node, kib: u64, took: Span) -> Loaded {
        Loaded { name, node, kib, took }
    }
}
