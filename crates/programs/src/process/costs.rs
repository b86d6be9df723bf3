//! What calls of processes cost on a simulated machine: processor time of the caller at speed 1, spent before the call
//! does anything.

use super::{Call, Handle, Node};
use windfall_time::Span;

/// One figure a call; none by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    /// Reading the clock.
    pub now: Span,
    /// Making a template, and for each KiB of its code.
    pub make_template: Span,
    /// For each KiB of code that is loaded.
    pub load: Span,
    /// Making a process.
    pub make_process: Span,
    /// Making an event or a queue.
    pub make: Span,
    /// Deleting a template, an event or a queue.
    pub delete: Span,
    /// Posting an event.
    pub post: Span,
    /// Resetting an event, testing it, setting or cancelling its timer.
    pub reset: Span,
    /// Waiting for an event, whether or not one is posted.
    pub wait: Span,
    /// Enqueueing, the post of a hand-over apart.
    pub enqueue: Span,
    /// Dequeueing, whether or not there is a datum.
    pub dequeue: Span,
    /// Waking a process, or setting its switch.
    pub wakeup: Span,
    /// Blocking, whether or not the switch is set.
    pub block: Span,
    /// Entering oneself for an event.
    pub add_event: Span,
    /// Taking that back.
    pub del_event: Span,
    /// Notifying an event.
    pub notify: Span,
    /// For each process that waits for it.
    pub notify_each: Span,
    /// Waiting for a notification, whether or not it has come.
    pub wait_event: Span,
    /// More for each call that names something on another node.
    pub remote: Span,
    /// How long a post to another node takes to arrive; nobody's processor time.
    pub latency: Span,
}

impl Costs {
    /// What a call costs a process on `node`, which would wake so many.
    pub(super) fn of(&self, call: &Call, node: Node, waiters: usize) -> Span {
        let far = |handle: Handle| if handle.node() == node { Span::ZERO } else { self.remote };
        let each = |span: Span, count: u64| span.checked_mul(count).unwrap_or(Span::MAX);
        let waiters = u64::try_from(waiters).unwrap_or(u64::MAX);
        let (own, more) = match call {
            Call::Now => (self.now, Span::ZERO),
            Call::MakeTemplate { kib, .. } => (self.make_template, each(self.load, *kib)),
            Call::MakeProcess(_) => (self.make_process, Span::ZERO),
            Call::MakeEvent | Call::MakeQueue { .. } => (self.make, Span::ZERO),
            Call::Delete(handle) => (self.delete, far(*handle)),
            Call::Post { event, .. } => (self.post, far(event.handle())),
            Call::Reset(_) | Call::Test(_) | Call::Cancel(_) | Call::PostAt { .. } => {
                (self.reset, Span::ZERO)
            }
            Call::Wait | Call::MWait(_) => (self.wait, Span::ZERO),
            Call::Enqueue { queue, .. } => {
                (self.enqueue.saturating_add(each(self.post, waiters)), far(queue.handle()))
            }
            Call::Dequeue { queue, .. } => (self.dequeue, far(queue.handle())),
            Call::Wakeup(process) => (self.wakeup, far(process.handle())),
            Call::Block => (self.block, Span::ZERO),
            Call::AddEvent(_) => (self.add_event, Span::ZERO),
            Call::DelEvent(_) => (self.del_event, Span::ZERO),
            Call::Notify(_) => (self.notify, each(self.notify_each, waiters)),
            Call::WaitEvent(_) => (self.wait_event, Span::ZERO),
        };
        own.saturating_add(more)
    }
}
