//! Event-driven processes: the calls of a process, the same on every host.
//!
//! A body is an ordinary async function over [`Process`]. The host decides what awaiting means: a simulated
//! machine suspends the body and lets virtual time pass; on Linux each process is a thread, awaiting
//! blocks it, and every future here is ready when it is first polled. Each method takes `&mut self`, so that a
//! process does one thing at a time. A call that was polled once is carried out, even if its body no longer awaits it.
//!
//! Sources: Chrysalis 2.1 to 2.8 (events, dual queues, templates, timer service), the Multics memo
//! (wakeup, block, addevent, delevent, notify, wait). Decision 0011 says what differs, and why.
//! Read next: `handle.rs` (names of objects), `error.rs`, `system.rs` (the effect of each call, where a host carries
//! calls out one by one), `hosted.rs` (how a body is polled there), `runtime/calls.rs`.

mod agenda;
mod annotate;
mod call;
mod code;
mod costs;
mod counts;
mod device;
mod dual_queue;
mod error;
mod events;
mod handle;
mod hosted;
mod meter;
mod params;
mod slots;
mod start;
mod system;
mod tasks;
mod traffic;

pub use annotate::{Annotate, Annotation};
pub use call::{Answer, Call, CallKind, NewProcess, Reply};
pub use code::Code;
pub use costs::{Costs, NodeCosts};
pub use counts::{Counts, Loaded};
pub use device::Device;
pub use error::ProcessError;
pub use handle::{Event, EventId, Handle, Keys, Kind, Node, Place, ProcessHandle, Queue, Template};
pub use meter::Meter;
pub use params::ProcessParams;
pub use start::Start;
pub(crate) use system::{CallOutcome, System};
pub use tasks::Tasks;

use crate::control::{SchedulerView, ThreadRequest, ThreadRequestError};
#[cfg(doc)]
use crate::request::{Notice, Notices};
use crate::request::{OwnRequest, RequestError};
use windfall_time::{Instant, Span};

/// A posted event and its datum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Posted {
    /// The event.
    pub event: Event,
    /// The datum of the post.
    pub datum: u64,
}

/// A process, as its body sees its host.
///
/// # The host promises
/// E1. An event that was posted is taken by its owner once, by [`wait`](Self::wait), [`mwait`](Self::mwait) or
/// [`reset`](Self::reset), with the datum that it was posted with; the oldest first.
/// E2. A datum that was put into a queue leaves it once, the oldest first, and goes to the event that has waited longest.
/// E3. After a [`wakeup`](Self::wakeup) the process returns from the [`block`](Self::block) it is in, or from its next one.
/// E4. After a [`notify`](Self::notify) no process that had added that event before still waits for it.
/// E5. A handle names one object for ever: after that is deleted, every use of the handle is refused.
/// E6. Posts from one node to another arrive in the order in which they were sent.
/// E7. After something has arrived at a device, the event that is attached to it becomes posted or was posted.
/// E8. A task that was [admitted](Tasks::submit) is done by its deadline, while the process works on its tasks in the order of their deadlines, is ready whenever its
///     task is the first of all, stays within what it said, and the supply of the scheduler above it holds.
///
/// # Errors
/// A [`ProcessError`] changes nothing, except that [`enqueue`](Self::enqueue) removes a dead waiter from the queue.
///
/// # Not promised
/// That an awaited event is ever posted. Any order of what several processes do at the same time.
///
/// ```
/// use windfall_programs::{Process, ProcessError, Queue};
/// use windfall_time::Span;
///
/// /// Passes data from one queue to another, with a millisecond of work for each; the same on every host.
/// async fn relay(mut me: impl Process, from: Queue, to: Queue) -> Result<(), ProcessError> {
///     let event = me.make_event().await?;
///     loop {
///         let datum = me.take(from, event).await?;
///         me.compute(Span::from_millis(1)).await;
///         me.enqueue(to, datum).await?;
///     }
/// }
/// ```
pub trait Process: Tasks + Annotate + Send + Sized + 'static {
    /// The handle of this process.
    fn me(&self) -> ProcessHandle;

    /// The node on which it runs.
    fn node(&self) -> Node {
        self.me().handle().node()
    }

    /// The current time.
    fn now(&mut self) -> impl Future<Output = Instant> + Send;

    /// Computes for this much processor time at speed 1.
    fn compute(&mut self, work: Span) -> impl Future<Output = ()> + Send;

    /// Waits until this time; returns at once if it has passed.
    fn sleep_until(&mut self, at: Instant) -> impl Future<Output = ()> + Send;

    /// Lets other threads run first.
    fn yield_now(&mut self) -> impl Future<Output = ()> + Send;

    /// Sends the schedulers a request for its own thread (HLSCtl, HLS 4.3.9), which is carried out completely or not at all.
    ///
    /// # Errors
    /// The request and the reason for its refusal. A host without schedulers refuses everything.
    fn request_own(
        &mut self,
        request: OwnRequest,
    ) -> impl Future<Output = Result<(), RequestError>> + Send;

    /// Has [notices](Notice) about its scheduling posted to an event of its own. The datum of a post is the word of a
    /// [`Notices`]. Notices that come while the event is posted are posted when it has been taken.
    ///
    /// # Errors
    /// When the event belongs to another process, or has been deleted; [`NotHere`](ProcessError::NotHere) on a host without schedulers.
    fn notices(&mut self, event: Event) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Reads the schedulers of a [family](crate::is_of_family), with their figures and those of their threads; changes nothing.
    ///
    /// # Errors
    /// [`NotHere`](ProcessError::NotHere) on a host without schedulers.
    fn query(
        &mut self,
        family: &str,
    ) -> impl Future<Output = Result<Vec<SchedulerView>, ProcessError>> + Send;

    /// Sends the schedulers a request for a thread of others, which is carried out completely or not at all. A process may do so for threads directly below the
    /// family of schedulers that it [controls](crate::Program::controlling).
    ///
    /// # Errors
    /// The request and the reason for its refusal. A host without schedulers refuses everything.
    fn request(
        &mut self,
        request: ThreadRequest,
    ) -> impl Future<Output = Result<(), ThreadRequestError>> + Send;

    /// Loads code on a node (Make_Template). On hosts where loading takes time, the time is proportional to
    /// [`Code::KIB`].
    ///
    /// # Errors
    /// When there is no such node, or no room for another template.
    fn make_template<C: Code>(
        &mut self,
        node: Node,
    ) -> impl Future<Output = Result<Template<C>, ProcessError>> + Send;

    /// Starts a process of loaded code on a node (Make_Process). It owns no events and is not blocked.
    ///
    /// # Errors
    /// When the template has been deleted, there is no such node, a parameter is invalid, or the node does not
    /// admit it.
    fn make_process<C: Code>(
        &mut self,
        template: Template<C>,
        node: Node,
        params: ProcessParams,
        code: C,
    ) -> impl Future<Output = Result<ProcessHandle, ProcessError>> + Send;

    /// Makes an event block (Make_Event). This process owns it and alone may wait for it; it is deleted when the
    /// process exits.
    ///
    /// # Errors
    /// When there is no room for another.
    fn make_event(&mut self) -> impl Future<Output = Result<Event, ProcessError>> + Send;

    /// Posts an event of any owner (Post_Event). To another node this sends a message and does not wait: only
    /// whether the handle is an event's is checked at once; other errors are found when the message arrives, and
    /// counted there.
    ///
    /// # Errors
    /// When the event is already posted, waits in a queue, has been deleted, or is not an event.
    fn post(
        &mut self,
        event: Event,
        datum: u64,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Makes an event of its own idle: takes back a post that has not been waited for and returns its datum, or
    /// removes the event from the queue in which it waits. A timer of the event continues.
    ///
    /// # Errors
    /// When the event belongs to another process, or has been deleted.
    fn reset(
        &mut self,
        event: Event,
    ) -> impl Future<Output = Result<Option<u64>, ProcessError>> + Send;

    /// Returns the datum of an event of its own if that is posted; changes nothing.
    ///
    /// # Errors
    /// When the event belongs to another process, or has been deleted.
    fn test(
        &mut self,
        event: Event,
    ) -> impl Future<Output = Result<Option<u64>, ProcessError>> + Send;

    /// Waits for any event of its own (Wait): returns the one that was posted first, and makes it idle.
    ///
    /// # Errors
    /// When it owns no event, so that nothing could ever be posted.
    fn wait(&mut self) -> impl Future<Output = Result<Posted, ProcessError>> + Send;

    /// Waits for one of a set of its own events (MWait): returns the one that was posted first, and makes it idle.
    ///
    /// # Errors
    /// When the set is empty, or one of the events belongs to another process or has been deleted.
    fn mwait(&mut self, set: &[Event])
    -> impl Future<Output = Result<Posted, ProcessError>> + Send;

    /// Sets a timer that posts an event of its own at a time (timer service). If the event cannot be posted then,
    /// that is counted.
    ///
    /// # Errors
    /// When the event already has a timer, belongs to another process, or has been deleted.
    fn post_at(
        &mut self,
        event: Event,
        datum: u64,
        at: Instant,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Cancels the timer of an event of its own. Returns whether it was still to come.
    ///
    /// # Errors
    /// When the event belongs to another process, or has been deleted.
    fn cancel(&mut self, event: Event) -> impl Future<Output = Result<bool, ProcessError>> + Send;

    /// Has a device post an event of its own at each arrival there, from now on; at once, if something has
    /// arrived already. The datum is the device's, or the number of the arrival, counted from 1. Arrivals while the
    /// event is posted is not posted again: the process finds it when it reads the device.
    ///
    /// # Errors
    /// When there is no such device, it belongs to another node, another event is attached to it, or the event
    /// belongs to another process or has been deleted.
    fn attach(
        &mut self,
        device: Device,
        event: Event,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Has a device post its event no longer. Returns whether one was attached; its post, if there is one, stays.
    ///
    /// # Errors
    /// When there is no such device, or its event belongs to another process.
    fn detach(&mut self, device: Device)
    -> impl Future<Output = Result<bool, ProcessError>> + Send;

    /// Makes a dual queue on a node, for at most `capacity` data. It outlives its maker.
    ///
    /// # Errors
    /// When there is no such node, no room for another queue, or the capacity is zero or too large.
    fn make_queue(
        &mut self,
        node: Node,
        capacity: usize,
    ) -> impl Future<Output = Result<Queue, ProcessError>> + Send;

    /// Returns the queue that all processes know by this name. The first process that calls this makes it on its own node,
    /// for at most `capacity` data; after it was deleted, the next one does.
    ///
    /// # Errors
    /// As for [`make_queue`](Self::make_queue); when the queue of this name has another capacity.
    fn named_queue(
        &mut self,
        name: &str,
        capacity: usize,
    ) -> impl Future<Output = Result<Queue, ProcessError>> + Send;

    /// Delivers a datum to the event that has waited longest in the queue, by posting it, or stores the datum
    /// (Enq_DualQ). A hand-over to another node travels like a post; if it cannot be delivered there, it returns to
    /// the head of the queue.
    ///
    /// # Errors
    /// When the queue is full or has been deleted, or when the waiting event no longer exists. Such an event is
    /// then removed from the queue, and the datum is not stored.
    fn enqueue(
        &mut self,
        queue: Queue,
        datum: u64,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Takes the oldest datum, or makes an event of its own wait in the queue until a datum is delivered to it
    /// (Deq_DualQ).
    ///
    /// # Errors
    /// When the queue has been deleted, or when the event is posted, waits in a queue, belongs to another process,
    /// or has been deleted.
    fn dequeue(
        &mut self,
        queue: Queue,
        event: Event,
    ) -> impl Future<Output = Result<Option<u64>, ProcessError>> + Send;

    /// Takes the oldest datum, and waits for one if necessary: [`dequeue`](Self::dequeue), then
    /// [`mwait`](Self::mwait).
    ///
    /// # Errors
    /// As for these two.
    fn take(
        &mut self,
        queue: Queue,
        event: Event,
    ) -> impl Future<Output = Result<u64, ProcessError>> + Send {
        async move {
            match self.dequeue(queue, event).await? {
                Some(datum) => Ok(datum),
                None => Ok(self.mwait(&[event]).await?.datum),
            }
        }
    }

    /// Deletes an event of its own, a queue in which no event waits, or a template. Data that was posted or stored is
    /// lost.
    ///
    /// # Errors
    /// When the object has been deleted already, is another process's event, a process, or a queue with waiting
    /// events.
    fn delete(
        &mut self,
        object: impl Into<Handle> + Send,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Wakes a process that is blocked; otherwise sets its wakeup-waiting switch, which is one bit however often it
    /// is set.
    ///
    /// # Errors
    /// When the process has exited, or the handle is not a process.
    fn wakeup(
        &mut self,
        process: ProcessHandle,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Waits for a wakeup; returns at once if the wakeup-waiting switch is set, and clears it.
    fn block(&mut self) -> impl Future<Output = ()> + Send;

    /// Enters this process for an event for which it means to wait.
    ///
    /// # Errors
    /// When it is entered already, or there is no room.
    fn add_event(&mut self, id: EventId) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Removes the entry. Returns whether there was one.
    fn del_event(&mut self, id: EventId) -> impl Future<Output = bool> + Send;

    /// Removes all entries for an event, and wakes the processes that wait for it. Returns how many waited; zero is
    /// no error.
    fn notify(&mut self, id: EventId) -> impl Future<Output = u32> + Send;

    /// Waits until an event is notified; returns at once if this process is not, or no longer, entered for it.
    fn wait_event(&mut self, id: EventId) -> impl Future<Output = ()> + Send;
}
