//! What a host asks its machine for.

use crate::thread::Thread;
use windfall_hierarchy::{JournalEntry, NodeId, ThreadId};
use windfall_scenario::outcome::Use;
use windfall_scenario::{PlannedThread, Tracer};
use windfall_time::{Instant, Span};
use windfall_trace as trace;
use windfall_trace::{Sink, Stop};

/// A machine that carries out what a hierarchy decides. It is polled, and never calls its host. The crate's [front page](crate) has a whole one, which runs.
///
/// # A host promises
/// M1. It [accounts](Self::account) a processor before it says to the hierarchy that time was taken there.
/// M2. It lets changes be [carried out](Self::carry_out) when all that is due was applied, all of a moment at once.
/// M3. It [makes](Self::make) a thread before that is in a change, and has none in a change that has ended.
/// M4. It sets the [alarm](Self::alarm) to the first thing that it has to do, after each settling; before changes are carried out,
///     if the machine is [live](Self::LIVE).
///
/// # A machine promises
/// C1. [`now`](Self::now) never decreases, and no event is later.
/// C2. Events come in the order of their times.
/// C3. What it [accounts](Self::account) of a processor adds up to the time since the beginning.
/// C4. A thread receives nothing outside a change that gave it a processor; what it has beyond that is [leaked](Column::Leaked).
pub trait Machine {
    /// Where its trace goes.
    type Sink: Sink;

    /// How long acting may take, from one action of a program to the next, to count as one instant; zero where
    /// acting takes no time.
    const MOMENT: Span;

    /// Whether time passes by itself, even while the host decides; things are then seen to some time after they were due, threads
    /// act in calls of their own, and the host may lose its processor by [`carry_out`](Self::carry_out).
    const LIVE: bool;

    /// A promise that is missed by less is kept: the machine sees to things so much later than they were due.
    const PRECISION: Span;

    /// The run begins, with processors that no thread has.
    fn begin(&mut self);

    /// The time since the run began; while an event is applied, that of the event.
    fn now(&self) -> Instant;

    /// The next thing that has happened by now, if anything has.
    fn next_event(&mut self, threads: &[Thread]) -> Option<Event>;

    /// A processor's time until an instant, which has passed, is to be accounted for.
    fn account_until(&mut self, cpu: usize, at: Instant);

    /// A processor's time until now is to be accounted for.
    fn account(&mut self, cpu: usize);

    /// The next stretch of a processor's time that was accounted for.
    fn next_passed(&mut self, cpu: usize) -> Option<Passed>;

    /// What was taken by now, by others than threads, is to be accounted for, before a scheduler is asked (decision 0006).
    fn account_taken(&mut self);

    /// Whether others than threads take time here that schedulers are to hear of before anything else.
    fn takes_time(&self) -> bool;

    /// Whether others than its thread have a processor just now, or have had it and were not accounted.
    fn is_taken(&self, cpu: usize) -> bool;

    /// The host has something to do then; nothing if `None`.
    fn alarm(&mut self, at: Option<Instant>);

    /// What was due at `at` is seen to now.
    fn is_late(&mut self, at: Instant);

    /// There is a thread of that number; it has no work. Whether it is ready to begin: otherwise the machine's driver says when
    /// ([`Host::begin_made`](crate::Host::begin_made)).
    fn make(&mut self, number: u32, thread: &PlannedThread) -> bool;

    /// The program begins of which threads were planned; they come later.
    fn begin_program(&mut self, number: u32);

    /// A thread has so much work from now on, in the time of a processor of speed 1 ([`Span::MAX`]: it has no end); `None`:
    /// none, since it waits, has ended, or is to act.
    fn compute(&mut self, thread: u32, work: Option<Span>);

    /// Whether a thread has work.
    fn has_work(&self, thread: u32) -> bool;

    /// A thread's work is of no use any more, and it is to act.
    fn give_up(&mut self, thread: u32);

    /// A thread has ended.
    fn ended(&mut self, thread: u32);

    /// A processor is to do something else, since a decision at that time; it is carried out soon.
    fn decided(&mut self, change: &Change, at: Instant);

    /// Processors take up the threads that the hierarchy has chosen.
    fn carry_out(&mut self, changes: &[Change], threads: &mut [Thread]);

    /// Whether calls of the hierarchy cost anything here.
    fn charges(&self) -> bool;

    /// Charges a processor; whether that was anything.
    fn charge(&mut self, cpu: usize, what: Charge) -> bool;

    /// Something that was set for now is due on a processor: until when it has to wait for an interrupt's routine.
    fn held_up(&mut self, cpu: usize) -> Option<Instant>;

    /// What records what happens.
    fn tracer(&mut self) -> &mut Tracer<Self::Sink>;

    /// What the trace calls a thread, if that has been declared.
    fn traced(&self, thread: u32) -> Option<trace::ThreadId>;

    /// Records that a thread is there, or has another name, scheduler or promise.
    fn declare(&mut self, number: u32, thread: &Thread, parent: Option<NodeId>);

    /// Records what a scheduler has noted; `number` says which thread is meant.
    fn note(&mut self, entry: &JournalEntry, number: impl Fn(ThreadId) -> Option<u32>);
}

/// What has happened on a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Time on a processor was taken from now on, or is not taken any more.
    Taken {
        /// The processor.
        cpu: usize,
    },
    /// The thread on a processor has done its work.
    Done {
        /// The processor.
        cpu: usize,
    },
    /// A thread has got a processor, by itself or because it was granted that.
    Enters {
        /// The thread.
        thread: u32,
        /// The processor.
        cpu: usize,
        /// Whether it can do there what it wants.
        runs: bool,
    },
    /// A thread has left a processor.
    Leaves {
        /// The thread.
        thread: u32,
        /// The processor.
        cpu: usize,
        /// How it has stopped.
        stop: Stop,
    },
    /// A thread whose program is not ours can run.
    Wakes {
        /// The thread.
        thread: u32,
        /// Who has woken it, by the name that the trace has for that.
        by: Option<trace::ThreadId>,
    },
    /// A thread whose program is not ours waits.
    Waits {
        /// The thread.
        thread: u32,
    },
    /// A thread whose program is not ours has ended.
    Ended {
        /// The thread.
        thread: u32,
    },
}

/// What became of a stretch of a processor's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// When it began.
    pub from: Instant,
    /// How long it was.
    pub span: Span,
    /// The thread that had it, if one had.
    pub thread: Option<u32>,
    /// The thread that was granted the processor.
    pub owner: Option<u32>,
    /// Who had it, as the owner sees it.
    pub by: Use,
    /// To which account it goes.
    pub column: Column,
}

impl Passed {
    /// Whether a stretch goes on where this one ends, in every respect.
    #[must_use]
    pub fn is_followed_by(&self, next: &Passed) -> bool {
        let Passed { from, span, thread, owner, by, column } = *self;
        let this = (from + span, thread, owner, by, column);
        this == (next.from, next.thread, next.owner, next.by, next.column)
    }
}

/// A processor's accounts ([`CpuOutcome`](windfall_scenario::outcome::CpuOutcome)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Column {
    /// A thread received it.
    Received,
    /// A thread received it that was not granted the processor.
    Leaked,
    /// No thread had it.
    Idle,
    /// Switching from one thread to another.
    Switching,
    /// Deciding.
    Scheduling,
    /// Interrupts, or a hypervisor.
    Stolen,
}

/// What one processor is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Change {
    /// Which.
    pub cpu: usize,
    /// The thread that it lets go of, and how that stops.
    pub leaves: Option<(u32, Stop)>,
    /// The thread that it has from now on; the one that it has already if none leaves.
    pub takes: Option<u32>,
}

/// What a processor is charged with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charge {
    /// A timer of a scheduler goes off.
    Timer,
    /// A call of the hierarchy.
    Call {
        /// Notifications delivered to schedulers.
        notifications: u64,
        /// Whether the processor is granted to another thread than before.
        switches: bool,
        /// Whether a timer was the cause.
        by_timer: bool,
    },
}
