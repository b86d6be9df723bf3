//! What is under way between schedulers: down to the threads, or up to the parents.

use crate::id::Processor;
use crate::index::{NodeIndex, VpIndex};
use crate::message::{Message, ParentNotice};

/// On its way down. What was asked for first is delivered first, and what follows from it before the next.
/// Its tag is a byte of its own: one that is folded into a notice's takes longer to read.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Down {
    /// The child of a VP has this processor.
    Grant(VpIndex, Processor),
    /// The child of a VP has its processor no longer.
    Revoke(VpIndex),
    /// The parent tells the child of a VP something.
    Notice(VpIndex, ParentNotice),
    /// All that a scheduler asked for has been delivered that broke a rule meanwhile; how, says [`State::broken`].
    ///
    /// [`State::broken`]: crate::state::State::broken
    Quarantine(NodeIndex),
}

/// On its way up; delivered in the order in which it was sent.
#[derive(Clone, Copy)]
pub(crate) enum Up {
    /// The child of a VP wants a processor.
    Request(VpIndex),
    /// It has no use for one.
    Release(VpIndex),
    /// It tells its parent something.
    Message(VpIndex, Message),
}
