//! The kinds of calls that have a cost of their own, by the names that a scenario has for them.

use super::Call;
use core::fmt;

/// A kind of call, as [`Costs`](crate::Costs) has figures for them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum CallKind {
    /// Reading the clock.
    Now,
    /// Making a template.
    MakeTemplate,
    /// Making a process.
    MakeProcess,
    /// Making an event or a queue.
    Make,
    /// Deleting a template, an event or a queue.
    Delete,
    /// Posting an event.
    Post,
    /// Resetting an event, testing it, setting or cancelling its timer, having notices posted to it, attaching or detaching a device.
    Reset,
    /// Waiting for an event.
    Wait,
    /// Enqueueing.
    Enqueue,
    /// Dequeueing.
    Dequeue,
    /// Waking a process.
    Wakeup,
    /// Blocking.
    Block,
    /// Entering itself for an event.
    AddEvent,
    /// Removing that entry.
    DelEvent,
    /// Notifying an event.
    Notify,
    /// Waiting for a notification.
    WaitEvent,
}

impl CallKind {
    /// All kinds, by name.
    pub const ALL: [(&'static str, CallKind); 16] = [
        ("now", CallKind::Now),
        ("make-template", CallKind::MakeTemplate),
        ("make-process", CallKind::MakeProcess),
        ("make", CallKind::Make),
        ("delete", CallKind::Delete),
        ("post", CallKind::Post),
        ("reset", CallKind::Reset),
        ("wait", CallKind::Wait),
        ("enqueue", CallKind::Enqueue),
        ("dequeue", CallKind::Dequeue),
        ("wakeup", CallKind::Wakeup),
        ("block", CallKind::Block),
        ("add-event", CallKind::AddEvent),
        ("del-event", CallKind::DelEvent),
        ("notify", CallKind::Notify),
        ("wait-event", CallKind::WaitEvent),
    ];
}

impl fmt::Display for CallKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = CallKind::ALL.iter().find(|(_, kind)| kind == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

impl Call {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> CallKind {
        match self {
            Call::Now => CallKind::Now,
            Call::MakeTemplate { .. } => CallKind::MakeTemplate,
            Call::MakeProcess(_) => CallKind::MakeProcess,
            Call::MakeEvent | Call::MakeQueue { .. } | Call::NamedQueue { .. } => CallKind::Make,
            Call::Delete(_) => CallKind::Delete,
            Call::Post { .. } => CallKind::Post,
            Call::Reset(_)
            | Call::Test(_)
            | Call::Cancel(_)
            | Call::PostAt { .. }
            | Call::Notices(_)
            | Call::Attach { .. }
            | Call::Detach(_) => CallKind::Reset,
            Call::Wait | Call::MWait(_) => CallKind::Wait,
            Call::Enqueue { .. } => CallKind::Enqueue,
            Call::Dequeue { .. } => CallKind::Dequeue,
            Call::Wakeup(_) => CallKind::Wakeup,
            Call::Block => CallKind::Block,
            Call::AddEvent(_) => CallKind::AddEvent,
            Call::DelEvent(_) => CallKind::DelEvent,
            Call::Notify(_) => CallKind::Notify,
            Call::WaitEvent(_) => CallKind::WaitEvent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_kind_of_call_has_one_name() {
        let mut names = CallKind::ALL.map(|(name, _)| name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        for (name, kind) in CallKind::ALL {
            assert_eq!(kind.to_string(), name);
        }
    }
}
