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
//! differ only while a notification between the two is under way; whoever acts first wins, and the
//! other's crossing notification is absorbed (`settle.rs`).

use crate::id::{ChildVp, NodeId, OwnVp, Processor, Target, ThreadId};
use crate::index::NodeIndex;

/// The state of a virtual processor; only a running one names a processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VpState {
    /// The child asks for nothing.
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

/// Who stands below a virtual processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Below {
    /// Nobody any longer: the child has been moved to another parent.
    Nobody,
    /// A thread.
    Thread(ThreadId),
    /// A scheduler instance, and which of its own VPs this is.
    Node(NodeId, OwnVp),
}

/// Who stands above a virtual processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Above {
    /// The top scheduler, which gives this VP always the same processor.
    Top(Processor),
    /// A scheduler instance, and the slot there.
    Node(NodeIndex, ChildVp),
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
    /// While running above: through which of the parent's own VPs.
    pub(crate) through: OwnVp,
    /// Releases that the child has sent and the parent has not yet heard.
    pub(crate) releasing: u16,
    /// How many of these take back a request that the parent has not heard and will not hear.
    pub(crate) withdrawn: u16,
    /// How often the scheduler below has requested, modulo 2^32.
    pub(crate) requests: u32,
}

impl Vp {
    /// Who stands below, by its id.
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
