//! Event-driven processes: what a process may ask of its host, the same on every host.
//!
//! A body is an ordinary async function over [`Process`]. A host decides what awaiting means: a simulated
//! machine suspends the body and lets virtual time pass; on Linux each process is a thread, awaiting
//! blocks it, and every future here is ready when it is first polled. Each method takes `&mut self`, so that a
//! process does one thing at a time; what was polled once is carried out, whether or not its body still waits for it.
//!
//! Sources: Chrysalis 2.1 to 2.8 (events, dual queues, templates, timer service), the Multics memo
//! (wakeup, block, addevent, delevent, notify, wait). Decision 0011 says what differs, and why.
//! Read next: `handle.rs` (what names an object), `refusal.rs` (what stands in the way), `system.rs` (what calls mean where
//! a host carries them out one by one), `seat.rs` (how a body is polled there), `play/calls.rs`.

mod agenda;
mod call;
mod costs;
mod counts;
mod dual_queue;
mod error;
mod events;
mod handle;
mod hosted;
mod meter;
mod slots;
mod system;
mod traffic;

pub use call::{Answer, Call, NewProcess, Reply};
pub use costs::{Costs, NodeCosts};
pub use counts::{Counts, Loaded};
pub use error::ProcessError;
pub use handle::{Event, Handle, Keys, Kind, Node, Place, ProcessHandle, Queue, Template};
pub use hosted::Start;
pub use meter::Meter;
pub(crate) use system::{CallOutcome, System};

use windfall_time::{Instant, Span};

/// A kind of process (Chrysalis: what a template is made of): its code, and in its fields what one instance is told.
///
/// ```
/// use windfall_programs::{Code, Process, Queue, ProcessError};
///
/// #[derive(Clone)]
/// struct Sink {
///     queue: Queue,
/// }
///
/// impl Code for Sink {
///     const NAME: &'static str = "sink";
///
///     async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
///         let event = me.make_event().await?;
///         loop {
///             let _message = me.take(self.queue, event).await?;
///         }
///     }
/// }
/// ```
pub trait Code: Clone + Send + Sync + 'static {
    /// What its processes are called.
    const NAME: &'static str;
    /// Code and initialised data, in KiB: what loading it on a simulated machine moves.
    const KIB: u64 = 0;

    /// The life of one process. The process exits when this returns; an error is told of by the host as a failure of this process.
    fn run(self, me: impl Process) -> impl Future<Output = Result<(), ProcessError>> + Send;
}

/// On what terms a process shares its node's processors (Chrysalis 2.2 to 2.5). A node whose scheduler has no use for
/// one of them does without.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ProcessParams {
    /// 0 to 3, larger first: in no hurry, ordinary, must preempt ordinary ones, vital.
    pub priority: u8,
    /// Processor time in each epoch.
    pub need: Span,
    /// How long it runs before another of equal priority has a turn; zero: as its scheduler does it for all.
    pub slice: Span,
}

impl ProcessParams {
    /// A process of this priority, to which nothing is reserved.
    #[must_use]
    pub const fn new(priority: u8) -> ProcessParams {
        ProcessParams { priority, need: Span::ZERO, slice: Span::ZERO }
    }

    /// The same, with so much in each epoch.
    #[must_use]
    pub const fn need(mut self, need: Span) -> ProcessParams {
        self.need = need;
        self
    }

    /// The same, with so long before others of its priority have a turn.
    #[must_use]
    pub const fn slice(mut self, slice: Span) -> ProcessParams {
        self.slice = slice;
        self
    }

    /// The highest priority.
    pub const MOST_PRIORITY: u8 = 3;
}

/// An event that was posted, and what with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Posted {
    /// The event.
    pub event: Event,
    /// What it was posted with.
    pub datum: u64,
}

/// What processes wait for by name (traffic controller): any number; nobody makes or owns it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub u64);

/// A process, as its body sees its host.
///
/// # The host promises
/// E1. An event that was posted is taken by its owner once, by [`wait`](Self::wait), [`mwait`](Self::mwait) or
/// [`reset`](Self::reset), with the datum that it was posted with; the oldest first.
/// E2. What was put into a queue leaves it once, the oldest first, and goes to whoever has waited longest.
/// E3. After a [`wakeup`](Self::wakeup) the process returns from the [`block`](Self::block) it is in, or from its next one.
/// E4. After a [`notify`](Self::notify) nobody waits for that event who had added it before.
/// E5. A handle names one object for ever: when that is gone, every use of the handle is refused.
/// E6. Posts from one node to another arrive in the order in which they were sent.
///
/// # Errors
/// A [`ProcessError`] changes nothing, but that [`enqueue`](Self::enqueue) takes a dead waiter out of the queue.
///
/// # Not promised
/// That anybody posts what is waited for. Any order of what several processes do at the same time.
///
/// ```
/// use windfall_programs::{Process, ProcessError, Queue};
/// use windfall_time::Span;
///
/// /// Passes on what comes out of one queue into another, a millisecond of work each; the same on every host.
/// async fn relay(mut me: impl Process, from: Queue, to: Queue) -> Result<(), ProcessError> {
///     let event = me.make_event().await?;
///     loop {
///         let datum = me.take(from, event).await?;
///         me.compute(Span::from_millis(1)).await;
///         me.enqueue(to, datum).await?;
///     }
/// }
/// ```
pub trait Process: Send + Sized + 'static {
    /// This process.
    fn me(&self) -> ProcessHandle;

    /// Where it runs.
    fn node(&self) -> Node {
        self.me().handle().node()
    }

    /// The time.
    fn now(&mut self) -> impl Future<Output = Instant> + Send;

    /// Computes for so much processor time at speed 1.
    fn compute(&mut self, work: Span) -> impl Future<Output = ()> + Send;

    /// Waits until an instant; returns at once if that has passed.
    fn sleep_until(&mut self, at: Instant) -> impl Future<Output = ()> + Send;

    /// Lets others go first.
    fn yield_now(&mut self) -> impl Future<Output = ()> + Send;

    /// Loads code on a node (Make_Template). Takes time in proportion to [`Code::KIB`] where loading does.
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
    /// When the template is gone, there is no such node, the terms are no terms, or the node will not have it.
    fn make_process<C: Code>(
        &mut self,
        template: Template<C>,
        node: Node,
        terms: ProcessParams,
        code: C,
    ) -> impl Future<Output = Result<ProcessHandle, ProcessError>> + Send;

    /// Makes an event block, which this process owns, alone may wait for, and takes with it when it exits (Make_Event).
    ///
    /// # Errors
    /// When there is no room for another.
    fn make_event(&mut self) -> impl Future<Output = Result<Event, ProcessError>> + Send;

    /// Posts an event, whoever owns it (Post_Event). To another node this sends a message and does not wait: whether
    /// the handle is one at all is known at once; what else is wrong is found when it arrives, and counted there.
    ///
    /// # Errors
    /// When it is posted already, stands in a queue, is gone, or is no event.
    fn post(
        &mut self,
        event: Event,
        datum: u64,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Makes an event of its own as good as new: takes a post back that has not been waited for, and returns its datum;
    /// takes the event out of the queue where it stands. A timer goes on.
    ///
    /// # Errors
    /// When the event is another's, or gone.
    fn reset(
        &mut self,
        event: Event,
    ) -> impl Future<Output = Result<Option<u64>, ProcessError>> + Send;

    /// Whether an event of its own is posted, and with what; changes nothing.
    ///
    /// # Errors
    /// When the event is another's, or gone.
    fn test(
        &mut self,
        event: Event,
    ) -> impl Future<Output = Result<Option<u64>, ProcessError>> + Send;

    /// Waits for any event of its own (Wait): the one that was posted first, which is then as good as new.
    ///
    /// # Errors
    /// When it owns no event: nothing could ever come.
    fn wait(&mut self) -> impl Future<Output = Result<Posted, ProcessError>> + Send;

    /// Waits for one of a set of its own events (MWait): the one that was posted first, which is then as good as new.
    ///
    /// # Errors
    /// When the set is empty, or one of it is another's, or gone.
    fn mwait(&mut self, set: &[Event])
    -> impl Future<Output = Result<Posted, ProcessError>> + Send;

    /// Has an event of its own posted at an instant (timer service). If it cannot be posted then, that is counted.
    ///
    /// # Errors
    /// When it has a timer already, is another's, or gone.
    fn post_at(
        &mut self,
        event: Event,
        datum: u64,
        at: Instant,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Takes the timer of an event of its own back; whether it was still to come.
    ///
    /// # Errors
    /// When the event is another's, or gone.
    fn cancel(&mut self, event: Event) -> impl Future<Output = Result<bool, ProcessError>> + Send;

    /// Makes a dual queue on a node, for so many data. It outlives its maker.
    ///
    /// # Errors
    /// When there is no such node, no room for another, or the capacity is none.
    fn make_queue(
        &mut self,
        node: Node,
        capacity: usize,
    ) -> impl Future<Output = Result<Queue, ProcessError>> + Send;

    /// Hands a datum to whoever has waited longest, by posting its event, or stores it (Enq_DualQ). A hand-over to
    /// another node travels as posts do; what cannot be delivered there returns to the head of the queue.
    ///
    /// # Errors
    /// When the queue is full or gone, or the waiter is: it is then out of the queue, and the datum is not in it.
    fn enqueue(
        &mut self,
        queue: Queue,
        datum: u64,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Takes the oldest datum, or has an event of its own stand in the queue until one is handed to it (Deq_DualQ).
    ///
    /// # Errors
    /// When the queue is gone, or the event is posted, stands in a queue, is another's, or gone.
    fn dequeue(
        &mut self,
        queue: Queue,
        event: Event,
    ) -> impl Future<Output = Result<Option<u64>, ProcessError>> + Send;

    /// Takes the oldest datum, waiting for it if need be: [`dequeue`](Self::dequeue), then [`mwait`](Self::mwait).
    ///
    /// # Errors
    /// Those of the two.
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

    /// Does away with an event of its own, a queue in which nobody waits, or a template. What was posted or stored is lost.
    ///
    /// # Errors
    /// When it is gone already, is another's event, a process, or a queue with waiters.
    fn delete(
        &mut self,
        object: impl Into<Handle> + Send,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Wakes a process that is blocked; else sets its wakeup-waiting switch, once however often.
    ///
    /// # Errors
    /// When the process is gone, or it is no process.
    fn wakeup(
        &mut self,
        process: ProcessHandle,
    ) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Waits for a wake-up; returns at once if the wakeup-waiting switch is set, and clears it.
    fn block(&mut self) -> impl Future<Output = ()> + Send;

    /// Enters this process for an event, which it means to wait for.
    ///
    /// # Errors
    /// When it is entered already, or there is no room.
    fn add_event(&mut self, id: EventId) -> impl Future<Output = Result<(), ProcessError>> + Send;

    /// Takes the entry back; whether there was one.
    fn del_event(&mut self, id: EventId) -> impl Future<Output = bool> + Send;

    /// Takes out all entries for an event and wakes whoever waits for it; how many waited. None is fine.
    fn notify(&mut self, id: EventId) -> impl Future<Output = u32> + Send;

    /// Waits until an event is notified; returns at once when this process is not entered for it (any more).
    fn wait_event(&mut self, id: EventId) -> impl Future<Output = ()> + Send;
}
