//! Schedulers that stand between a child and several parents.

pub(crate) mod briefly_blocked;
#[expect(clippy::module_inception, reason = "the kind that its family is named after")]
pub(crate) mod join;
pub(crate) mod overrun;

pub use self::briefly_blocked::BrieflyBlocked;
pub use self::join::Join;
pub use self::overrun::Overrun;

use crate::parameters::read_constraint;
use windfall_hierarchy::Message;

/// Whether a message concerns the job (its work or its deadline) and is therefore passed on to all parents.
fn passes_on(message: Message) -> bool {
    matches!(message, Message::Job { .. } | Message::Periodic { .. })
        || read_constraint(message).is_some()
}
