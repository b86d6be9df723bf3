//! How decisions are carried out: a [`Carrier`] makes processors follow the hierarchy (decision 0020).
//!
//! What the kernel has seen, where time went and what is due is the machine's (`supervise`), and the same for all carriers. What a carrier
//! alone knows is how a thread is kept from running and let run: here by priorities of SCHED_FIFO ([`fifo`]).

pub(crate) mod audit;
pub(crate) mod fence;
pub(crate) mod fifo;
pub(crate) mod wakes;

use crate::carrier::wakes::Wakes;
use crate::restore::log::Former;
use crate::supervise::clock::Clock;
use crate::threads::body::InProcess;
use std::io;
use std::sync::Arc;
use windfall_host::Thread;
use windfall_os::freezer::Brake;
use windfall_os::futex::Gate;
use windfall_time::Instant;

/// A way to carry decisions out. Threads go by the host's numbers, processors by the scenario's.
///
/// # A carrier promises
/// K1. A thread that has joined runs only where it was switched to, but for as long as it takes to notice its wake-up; what it has beyond
///     that is reported as leaked.
/// K2. Of the switches of a call, everybody steps down before anybody is raised; a thread that is raised on the processor of the caller comes last, after
///     all were woken who wait for a gate, since the caller may not run again for long.
/// K3. Nothing of a thread that is not ours is set before the restore log has it; [`give_back`](Self::give_back) needs no state, as the guardian
///     does the same when this process is gone.
///
/// # It may rely on
/// All calls come under the supervisor's lock. Each thread [joins](Self::join) before it is in a switch.
pub(crate) trait Carrier: Send {
    /// A thread that is not ours becomes one that is supervised on a processor, and may not run there yet.
    fn take(&mut self, tid: i32, cpu: usize) -> io::Result<()>;

    /// A thread has made another, which may have inherited more than it may have. It is held until it is taken or given back.
    fn hold(&mut self, tid: i32);

    /// A thread that is not ours is what it was.
    fn give_back(&mut self, tid: i32, former: &Former);

    /// A thread has this number from now on; whoever had it before has ended.
    fn join(&mut self, thread: u32, member: Member);

    /// A thread of ours exists, and calls.
    fn arrive(&mut self, thread: u32, tid: i32);

    /// Processors take up other threads.
    fn carry_out(&mut self, switches: &[Switch], caller: Caller, moment: Moment<'_>);

    /// A thread that is not ours is ready. It may run where it may not, until the next [`carry_out`](Self::carry_out).
    fn woken(&mut self, thread: u32);

    /// A thread of ours goes to its gate when its call ends, and waits there until it is switched to.
    fn park(&mut self, thread: u32);

    /// Whether it does.
    fn is_parked(&self, thread: u32) -> bool;

    /// Nothing is granted on a processor: threads that could run there are held off. Whether that is so; from then on its fence may sleep.
    fn rest(&mut self, cpu: usize, moment: Moment<'_>) -> bool;

    /// A thread is let run wherever it is, since it is about to be given back.
    fn release(&mut self, thread: u32, now: Instant);

    /// The processor that a thread is bound to.
    fn place(&self, thread: u32) -> Option<usize>;

    /// When a thread was last let run after it was frozen; `None` while it is. What the kernel says of it until then is our doing.
    fn thawed(&self, thread: u32) -> Option<Instant>;

    /// Looks whether a thread that is not ours is what it is believed to be, and puts it right.
    ///
    /// # Errors
    /// When it has ended.
    fn audit(&mut self, thread: u32) -> io::Result<Found>;

    /// A thread has the control group that it was asked for. It is held off if it still has to be.
    fn answered(&mut self, thread: u32, brake: Brake, moment: Moment<'_>);

    /// Where the thread of ours sleeps, while a processor rests, that gets it when the thread that is granted it cannot run.
    fn fence(&self, cpu: usize) -> Arc<Gate>;
}

/// Who joins.
pub(crate) enum Member {
    /// A thread of ours, which [arrives](Carrier::arrive) later.
    Own(Arc<InProcess>),
    /// A thread that was [taken](Carrier::take).
    External { tid: i32, cpu: usize },
    /// An entry that stands for the threads of a program, and never runs.
    Entry,
}

/// What a carrier may see of the run, as of one moment.
pub(crate) struct Moment<'a> {
    /// Gates that were opened, to be told of before the lock is given up.
    pub(crate) wakes: &'a mut Wakes,
    pub(crate) threads: &'a [Thread],
    pub(crate) clock: &'a Clock,
}

/// What a processor is to do for which something was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Switch {
    pub(crate) cpu: usize,
    /// Who loses it.
    pub(crate) leaves: Option<u32>,
    /// Who has it from now on, by what was decided.
    pub(crate) granted: Option<u32>,
    /// Whether that thread has to be let run: it is another one, or waits at its gate.
    pub(crate) rises: bool,
}

/// Who has the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Caller {
    /// The event loop, or a thread that has it do something.
    #[default]
    EventLoop,
    /// A thread of ours, in its own call.
    Own(u32),
    /// The fence of a processor.
    Fence(usize),
}

/// What an audit has found and put right: how that went.
#[derive(Default)]
pub(crate) struct Found {
    /// It had another class or priority.
    pub(crate) class: Option<io::Result<()>>,
    /// It was bound elsewhere.
    pub(crate) place: Option<io::Result<()>>,
}
