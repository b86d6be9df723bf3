//! Effects under way between schedulers: down towards the threads, or up to the parents.

use crate::id::{OwnVp, Processor};
use crate::index::{NodeIndex, VpIndex};
use crate::message::{Message, ParentNotice};

/// An effect on its way down. Effects are delivered in the order in which they were asked for, each with all its
/// consequences before the next. The tag has a byte of its own: sharing the notice's tag would make it slower to
/// read.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Down {
    /// The child of a VP gets this processor.
    Grant(VpIndex, Processor),
    /// The child of a VP loses its processor.
    Revoke(VpIndex),
    /// The parent notifies the child of a VP.
    Notice(VpIndex, ParentNotice),
    /// A scheduler that broke a rule is quarantined, after all its effects have been delivered. [`State::broken`] has the rule.
    ///
    /// [`State::broken`]: crate::state::State::broken
    Quarantine(NodeIndex),
}

/// An effect on its way up. Effects are delivered in the order in which they were sent.
#[derive(Clone, Copy)]
pub(crate) enum Up {
    /// The child of a VP requests a processor.
    Request(VpIndex),
    /// The child of a VP releases.
    Release(VpIndex),
    /// The child of a VP sends a message.
    Message(VpIndex, Message),
    /// An instance puts an own VP back to where it was registered.
    Register(NodeIndex, OwnVp),
    /// An instance takes an own VP out of its parent.
    Unregister(NodeIndex, OwnVp),
}
