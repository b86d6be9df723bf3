//! The interface of a machine, as a host uses it.

use crate::thread::Thread;
use windfall_hierarchy::{JournalEntry, NodeId, ThreadId};
use windfall_programs::{Device, Station};
use windfall_scenario::outcome::Use;
use windfall_scenario::{PlannedThread, Tracer};
use windfall_time::{Instant, Span};
use windfall_trace as trace;
use windfall_trace::{Sink, Stop};

/// A machine that carries out what a hierarchy decides. It is polled, and never calls its host. The crate's [front page](crate) has a whole one, which runs.
///
/// Where no time passes but for threads, and nothing costs or records anything, the provided methods are all that is needed.
///
/// # A host promises
/// M1. It [accounts](Self::account) for a processor before it reports to the hierarchy that time was taken there.
/// M2. It has changes [carried out](Self::carry_out) after all that is due was applied; all changes of an instant in one call.
/// M3. It [makes](Self::make) a thread before the thread is in a change. A thread that has ended is in no change.
/// M4. After each settling it sets the [alarm](Self::alarm) to the first thing that it has to do; on a [live](Self::LIVE) machine,
///     before changes are carried out.
///
/// # A machine promises
/// C1. [`now`](Self::now) never decreases, and no event is later.
/// C2. Events come in the order of their times.
/// C3. The stretches that it [accounts](Self::account) for on a processor add up to the time since the beginning.
/// C4. A thread receives time only on a processor that a change gave it; anything beyond that is [leaked](Column::Leaked).
pub trait Machine {
    /// The sink of its trace.
    type Sink: Sink;

    /// Longest time from one action of a program to the next that counts as one instant; zero if acting takes no time.
    const MOMENT: Span = Span::ZERO;

    /// Whether time passes by itself, even while the host decides. Then events are handled some time after they were due, threads
    /// act in calls of their own, and the host may lose its processor in [`carry_out`](Self::carry_out).
    const LIVE: bool = false;

    /// Tolerance for promises: a shortfall below this counts as kept, because the machine handles events that late.
    const PRECISION: Span = Span::ZERO;

    /// Begins the run; no thread has a processor.
    fn begin(&mut self) {}

    /// The time since the run began; while an event is applied, the time of the event.
    fn now(&self) -> Instant;

    /// Takes the next event that has happened by now, if there is one.
    fn next_event(&mut self, threads: &[Thread]) -> Option<Event>;

    /// Accounts for a processor's time up to an instant in the past. Only a [live](Self::LIVE) machine has such.
    fn account_until(&mut self, cpu: usize, _at: Instant) {
        self.account(cpu);
    }

    /// Accounts for a processor's time up to now.
    fn account(&mut self, cpu: usize);

    /// Takes the next stretch of a processor's time that was accounted for.
    fn next_passed(&mut self, cpu: usize) -> Option<Passed>;

    /// Accounts for all time that was taken by others than threads, before a scheduler is called (decision 0006).
    fn account_taken(&mut self) {}

    /// Whether others than threads take time here, which schedulers are to know before anything else.
    fn takes_time(&self) -> bool {
        false
    }

    /// Whether a processor is taken from its thread just now, or was and that is not accounted for.
    fn is_taken(&self, _cpu: usize) -> bool {
        false
    }

    /// Sets the time at which the host has something to do; `None`: never.
    fn alarm(&mut self, at: Option<Instant>);

    /// Notes that something which was due at `at` is handled only now.
    fn is_late(&mut self, _at: Instant) {}

    /// Makes the thread of that number, without work. Returns whether it is ready to begin; if not, the machine's driver calls
    /// [`Host::begin_made`](crate::Host::begin_made) later.
    fn make(&mut self, number: u32, thread: &PlannedThread) -> bool;

    /// Begins an external program. Its threads come later.
    fn begin_program(&mut self, _number: u32) {}

    /// Gives a thread work, in time of a processor of speed 1 ([`Span::MAX`]: without end). `None`: it has no work, because it waits,
    /// has ended, or is to act.
    fn compute(&mut self, thread: u32, work: Option<Span>);

    /// Whether a thread has work.
    fn has_work(&self, thread: u32) -> bool;

    /// Begins a visit of a station by a running thread, during which its processor stands still. Returns whether there is such a station; by default there
    /// is none.
    fn visit(&mut self, _thread: u32, _station: Station) -> bool {
        false
    }

    /// Cancels a thread's work; the thread is to act.
    fn give_up(&mut self, _thread: u32) {}

    /// Notes that a thread has ended.
    fn ended(&mut self, _thread: u32) {}

    /// Notes a change that was decided at `at` and will be carried out soon.
    fn decided(&mut self, _change: &Change, _at: Instant) {}

    /// Switches processors to the threads that the hierarchy has chosen.
    fn carry_out(&mut self, changes: &[Change], threads: &mut [Thread]);

    /// Whether calls of the hierarchy cost time here.
    fn charges(&self) -> bool {
        false
    }

    /// Charges a cost to a processor. Returns whether it was more than zero.
    fn charge(&mut self, _cpu: usize, _what: Charge) -> bool {
        false
    }

    /// If an interrupt's routine holds up a timer that is due on a processor: until when.
    fn held_up(&mut self, _cpu: usize) -> Option<Instant> {
        None
    }

    /// The recorder of the trace.
    fn tracer(&mut self) -> &mut Tracer<Self::Sink>;

    /// The trace's number of a thread, if the thread has been declared.
    fn traced(&self, _thread: u32) -> Option<trace::ThreadId> {
        None
    }

    /// Declares a thread in the trace: it is new, or has another name, scheduler or promise.
    fn declare(&mut self, _number: u32, _thread: &Thread, _parent: Option<NodeId>) {}

    /// Records a scheduler's entry of the journal; `number` maps its threads to numbers.
    fn note(&mut self, _entry: &JournalEntry, _number: impl Fn(ThreadId) -> Option<u32>) {}
}

/// An event on a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Time on a processor is taken from now on, or is not taken any more.
    Taken {
        /// The processor.
        cpu: usize,
    },
    /// The thread on a processor has done its work.
    Done {
        /// The processor.
        cpu: usize,
    },
    /// A thread has got a processor, by itself or because it was granted it.
    Enters {
        /// The thread.
        thread: u32,
        /// The processor.
        cpu: usize,
        /// Whether it can do its work there.
        runs: bool,
    },
    /// A thread has left a processor.
    Leaves {
        /// The thread.
        thread: u32,
        /// The processor.
        cpu: usize,
        /// Why it has stopped.
        stop: Stop,
    },
    /// Something has arrived at a device.
    Arrives {
        /// The device.
        device: Device,
    },
    /// An external thread is runnable.
    Wakes {
        /// The thread.
        thread: u32,
        /// The trace's number of the thread that has woken it.
        by: Option<trace::ThreadId>,
    },
    /// An external thread waits.
    Waits {
        /// The thread.
        thread: u32,
    },
    /// An external thread has ended.
    Ended {
        /// The thread.
        thread: u32,
    },
}

/// The use of a stretch of a processor's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// Start of the stretch.
    pub from: Instant,
    /// Length of the stretch.
    pub span: Span,
    /// The thread that ran, if one did.
    pub thread: Option<u32>,
    /// The thread that was granted the processor.
    pub owner: Option<u32>,
    /// The use of the stretch from the owner's point of view.
    pub by: Use,
    /// The account that it is booked to.
    pub column: Column,
}

impl Passed {
    /// Whether `next` begins where this stretch ends and is equal in all else.
    #[must_use]
    pub fn is_followed_by(&self, next: &Passed) -> bool {
        let Passed { from, span, thread, owner, by, column } = *self;
        let this = (from + span, thread, owner, by, column);
        this == (next.from, next.thread, next.owner, next.by, next.column)
    }
}

/// An account of a processor ([`CpuOutcome`](windfall_scenario::outcome::CpuOutcome)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Column {
    /// A thread ran that was granted the processor.
    Received,
    /// A thread ran that was not granted the processor.
    Leaked,
    /// No thread ran.
    Idle,
    /// Switching between threads.
    Switching,
    /// Scheduling decisions.
    Scheduling,
    /// Interrupts or a hypervisor.
    Stolen,
    /// It stood still while a visit waited at a station; the stretch's thread is whose visit it was, if a thread's.
    StationWait,
    /// It stood still while a station served such a visit.
    StationService,
}

/// A decision for one processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The processor.
    pub cpu: usize,
    /// The thread that loses it, and why that stops.
    pub leaves: Option<(u32, Stop)>,
    /// The thread that has it from now on; if none leaves, the one that has it already.
    pub takes: Option<u32>,
}

/// A cost that is charged to a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charge {
    /// A timer of a scheduler expires.
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
