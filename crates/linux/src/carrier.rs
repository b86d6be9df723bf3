//! Carries out decisions: a [`Carrier`] makes processors follow the hierarchy (decision 0020).
//!
//! Kernel events, accounts of time and timers belong to the machine (`supervise`) and are the same for all carriers. A carrier alone
//! knows how to keep a thread from running and how to let it run: here by priorities of SCHED_FIFO ([`fifo`]).

pub(crate) mod audit;
pub(crate) mod fence;
mod fifo;
pub(crate) mod wakes;

use crate::carrier::fifo::Fifo;
use crate::carrier::wakes::Wakes;
use crate::restore::log::Former;
use crate::supervise::clock::Clock;
use crate::supervise::work::WorkQueue;
use crate::threads::body::InProcess;
use std::io;
use std::sync::Arc;
use windfall_host::Thread;
use windfall_os::freezer::Brake;
use windfall_os::futex::Gate;
use windfall_time::Instant;

/// A way to carry out decisions. Threads have the host's numbers, processors the scenario's.
///
/// # A carrier promises
/// K1. A thread that has joined runs only where it was switched to, except until its wake-up is noticed. Time beyond that is reported
///     as leaked.
/// K2. Within a call, all threads that lose a processor step down before any thread is raised. A thread on the caller's own processor is
///     raised last, after all threads behind opened gates were woken, because the caller may not run again for long.
/// K3. The restore log has a setting of an external thread before the carrier changes it. [`give_back`](Self::give_back) needs no state,
///     because the guardian does the same when this process is gone.
///
/// # It may rely on
/// All calls come under the supervisor's lock. Each thread [joins](Self::join) before it is in a switch.
pub(crate) trait Carrier: Send {
    /// Supervises an external thread on a processor. It may not run there yet.
    fn take(&mut self, tid: i32, cpu: usize) -> io::Result<()>;

    /// Holds a thread that a supervised one has made, which may have inherited too much, until it is taken or given back.
    fn hold(&mut self, tid: i32);

    /// Restores the former settings of an external thread. Each that could not be restored is added to `trouble`.
    fn give_back(&mut self, tid: i32, former: &Former, trouble: &mut Vec<String>);

    /// Gives a thread this number. A thread that had it before has ended.
    fn join(&mut self, thread: u32, member: Member);

    /// Registers a thread of ours, which is the caller.
    fn arrive(&mut self, thread: u32, tid: i32);

    /// Switches processors to other threads.
    fn carry_out(&mut self, switches: &[Switch], caller: Caller, moment: Moment<'_>);

    /// An external thread is ready. Until the next [`carry_out`](Self::carry_out) it may run where it is not granted.
    fn woken(&mut self, thread: u32);

    /// Sends a thread of ours to its gate at the end of its call; it waits there until it is switched to.
    fn park(&mut self, thread: u32);

    /// Whether a thread waits, or is about to wait, at its gate.
    fn is_parked(&self, thread: u32) -> bool;

    /// Holds off all threads that could run on a processor if nothing is granted there. Returns whether it did; then the fence may sleep.
    fn rest(&mut self, cpu: usize, moment: Moment<'_>) -> bool;

    /// Lets a thread run wherever it is, before it is given back.
    fn release(&mut self, thread: u32, now: Instant);

    /// The processor that a thread is bound to.
    fn place(&self, thread: u32) -> Option<usize>;

    /// When a thread last left the freezer; `None` while it is frozen. Kernel events until then are caused by us.
    fn thawed(&self, thread: u32) -> Option<Instant>;

    /// Compares an external thread's class and affinity with what they should be, and corrects them.
    ///
    /// # Errors
    /// When the thread has ended.
    fn audit(&mut self, thread: u32) -> io::Result<Found>;

    /// Keeps the nice value that a thread has, or gives it back the one before.
    fn keep_nice(&mut self, thread: u32, keep: bool);

    /// Passes on the control group that was requested for a thread. The thread is held off if it still has to be.
    fn answered(&mut self, thread: u32, brake: Brake, moment: Moment<'_>);

    /// The gate of a processor's fence, where it sleeps while the processor rests. The fence runs when the granted thread cannot.
    fn fence(&self, cpu: usize) -> Arc<Gate>;
}

/// The carrier of a run on these processors of the machine, which are in the scenario's order. No other folder knows which one it is.
pub(crate) fn make(cpus: &[u16], work: WorkQueue) -> Box<dyn Carrier> {
    Box::new(Fifo::new(cpus, work))
}

/// A thread that joins a carrier.
pub(crate) enum Member {
    /// A thread of ours, which [arrives](Carrier::arrive) later.
    InProcess(Arc<InProcess>),
    /// A thread that was [taken](Carrier::take).
    External { tid: i32, cpu: usize },
    /// An entry that stands for the threads of a program, and never runs.
    Entry,
}

/// The part of the run that a carrier may see, at one moment.
pub(crate) struct Moment<'a> {
    /// Gates that were opened; their threads are woken before the lock is given up.
    pub(crate) wakes: &'a mut Wakes,
    pub(crate) threads: &'a [Thread],
    pub(crate) clock: &'a Clock,
}

/// The change of a processor for which something was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Switch {
    pub(crate) cpu: usize,
    /// The thread that loses it.
    pub(crate) leaves: Option<u32>,
    /// The thread that is granted it from now on.
    pub(crate) granted: Option<u32>,
    /// Whether that thread has to be let run: it is another than before, or waits at its gate.
    pub(crate) rises: bool,
}

/// The holder of the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Caller {
    /// The event loop, or a thread that has it do something.
    #[default]
    EventLoop,
    /// A thread of ours, in its own call.
    InProcess(u32),
    /// The fence of a processor.
    Fence(usize),
}

/// Settings that an audit found wrong, with the result of correcting them.
#[derive(Default)]
pub(crate) struct Found {
    /// The class or priority differed.
    pub(crate) class: Option<io::Result<()>>,
    /// The affinity differed.
    pub(crate) place: Option<io::Result<()>>,
    /// The settings by which the thread requests another priority: another class than was given, or another nice value.
    pub(crate) own_change: Option<OwnChange>,
}

/// A change of a thread's priority, made by the thread itself or by another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnChange {
    /// Its real-time priority, 1 to 99.
    RealTime(u32),
    /// Its nice value, -20 to 19.
    Nice(i32),
}
