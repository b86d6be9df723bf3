//! Costs of calls on a simulated machine: processor time of the caller at speed 1, spent before the call has its
//! effect.

use super::{Call, Handle, Node};
use windfall_time::Span;

/// Costs of a node's processor under the rules of Chrysalis. The running process pays for interrupts, and a process
/// that is switched to pays for the switch; nobody pays while the processor is idle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct NodeCosts {
    /// An interrupt of the interval timer, which ends slices, and posts and wakes what is due (2.8). It is charged
    /// to the process that it interrupts (2.7), and the scheduler is entered when it is over.
    pub timer: Span,
    /// Entering the scheduler: by the timer, or by an event that gives the processor to another process or to none
    /// (3.1).
    pub scheduler: Span,
    /// Saving and restoring registers, for a process that did not run last (2.6).
    pub registers: Span,
}

/// One cost for each kind of call; zero by default.
// Fields: a table, one cost for each kind of call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Costs {
    /// Reading the clock.
    pub now: Span,
    /// Making a template, apart from `load`.
    pub make_template: Span,
    /// Loading code, for each KiB.
    pub load: Span,
    /// Making a process.
    pub make_process: Span,
    /// Making an event or a queue.
    pub make: Span,
    /// Deleting a template, an event or a queue.
    pub delete: Span,
    /// Posting an event.
    pub post: Span,
    /// Resetting an event, testing it, setting or cancelling its timer, having notices posted to it, attaching or detaching a device.
    pub reset: Span,
    /// Waiting for an event, whether or not one is posted.
    pub wait: Span,
    /// Enqueueing, without the post of a hand-over.
    pub enqueue: Span,
    /// Dequeueing, whether or not there is a datum.
    pub dequeue: Span,
    /// Waking a process, or setting its wakeup-waiting switch.
    pub wakeup: Span,
    /// Blocking, whether or not the switch is set.
    pub block: Span,
    /// Entering itself for an event.
    pub add_event: Span,
    /// Removing that entry.
    pub del_event: Span,
    /// Notifying an event.
    pub notify: Span,
    /// Notifying, in addition for each process that waits.
    pub notify_each: Span,
    /// Waiting for a notification, whether or not it has come.
    pub wait_event: Span,
    /// In addition for each call that names an object on another node.
    pub remote: Span,
    /// Time until a post to another node arrives; not processor time.
    pub latency: Span,
}

/// A method for each figure, which sets it.
macro_rules! setters {
    ($costs:ident: $($figure:ident),*) => {
        impl $costs {
            $(
                #[doc = concat!("The same, with so much for [`", stringify!($figure), "`](Self#structfield.", stringify!($figure), ").")]
                #[must_use]
                pub const fn $figure(mut self, cost: Span) -> $costs {
                    self.$figure = cost;
                    self
                }
            )*
        }
    };
}

setters!(NodeCosts: timer, scheduler, registers);
setters!(Costs: now, make_template, load, make_process, make, delete, post, reset, wait, enqueue);
setters!(Costs: dequeue, wakeup, block, add_event, del_event, notify, notify_each, wait_event);
setters!(Costs: remote, latency);

impl NodeCosts {
    /// Nothing costs anything.
    pub const NONE: NodeCosts =
        NodeCosts { timer: Span::ZERO, scheduler: Span::ZERO, registers: Span::ZERO };
}

impl Costs {
    /// The cost of a call for a process on `node`, which would wake `waiters` processes.
    pub(super) fn of(&self, call: &Call, node: Node, waiters: usize) -> Span {
        let far = |handle: Handle| if handle.node() == node { Span::ZERO } else { self.remote };
        let each = |span: Span, count: u64| span.saturating_mul(count);
        let waiters = waiters as u64;
        let (own, more) = match call {
            Call::Now => (self.now, Span::ZERO),
            Call::MakeTemplate { kib, .. } => (self.make_template, each(self.load, *kib)),
            Call::MakeProcess(_) => (self.make_process, Span::ZERO),
            Call::MakeEvent | Call::MakeQueue { .. } | Call::NamedQueue { .. } => {
                (self.make, Span::ZERO)
            }
            Call::Delete(handle) => (self.delete, far(*handle)),
            Call::Post { event, .. } => (self.post, far(event.handle())),
            Call::Reset(_)
            | Call::Test(_)
            | Call::Cancel(_)
            | Call::PostAt { .. }
            | Call::Notices(_)
            | Call::Attach { .. }
            | Call::Detach(_) => (self.reset, Span::ZERO),
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
