//! A virtual processor: the joint between exactly one parent and one child (HLS 4.2, figure 4.2).
//!
//! ```text
//!              request               grant
//!   waiting ------------->  ready  ---------->  running on p
//!      ^ ^                  |   ^                  |    |
//!      | +----- release ----+   +----- revoke -----+    |
//!      +------------------- release --------------------+
//! ```
//!
//! Each end has its own view of the state, `above` (the parent's) and `below` (the child's). They
//! differ only while a notification between the two is under way; the side that acts first wins, and the
//! other's crossing notification is absorbed (`settle.rs`).

use crate::id::{ChildVp, NodeId, OwnVp, Processor, Target, ThreadId};
use crate::index::NodeIndex;

/// The state of a virtual processor; only a running one names a processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VpState {
    /// The child has no request.
    Waiting,
    /// The child has a request pending.
    Ready,
    /// The child holds this processor.
    Running(Processor),
}

impl VpState {
    /// Whether the child holds a processor.
    #[inline]
    pub(crate) const fn is_running(self) -> bool {
        matches!(self, VpState::Running(_))
    }
}

/// The lower end of a virtual processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Below {
    /// None: the child has been moved to another parent.
    Nobody,
    /// A thread.
    Thread(ThreadId),
    /// A scheduler instance, and the number of this VP among its own.
    Node(NodeId, OwnVp),
}

/// The upper end of a virtual processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Above {
    /// The top scheduler, which always gives this VP the same processor.
    Top(Processor),
    /// A scheduler instance, and the VP's slot there.
    Node(NodeIndex, ChildVp),
    /// None: the scheduler below has lost this parent, or has taken the VP out. It can be requested, and is never granted.
    Nowhere,
}

/// A virtual processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vp {
    pub(crate) parent: Above,
    pub(crate) child: Below,
    /// The state as the parent knows it.
    pub(crate) above: VpState,
    /// The state as the child knows it.
    pub(crate) below: VpState,
    /// The parent's own VP through which it runs; meaningful only while `above` is running.
    pub(crate) through: OwnVp,
    /// Number of releases that the child has sent and the parent has not yet received.
    pub(crate) releasing: u16,
    /// Number of those releases that withdraw a request which the parent will never receive.
    pub(crate) withdrawn: u16,
    /// Number of requests by the scheduler below, modulo 2^32.
    pub(crate) requests: u32,
}

impl Vp {
    /// The child's id, if there is a child.
    pub(crate) const fn target(&self) -> Option<Target> {
        match self.child {
            Below::Nobody => None,
            Below::Thread(thread) => Some(Target::Thread(thread)),
            Below::Node(node, _) => Some(Target::Node(node)),
        }
    }

    pub(crate) const fn new(parent: Above, child: Below) -> Vp {
        Vp {
            parent,
            child,
            above: VpState::Waiting,
            below: VpState::Waiting,
            through: OwnVp(0),
            releasing: 0,
            withdrawn: 0,
            requests: 0,
        }
    }
}
