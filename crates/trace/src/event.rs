//! One event model for everything that happened, simulated or recorded.
//!
//! Invariants: records are in order of time; a [`ThreadId`] or [`NodeId`] is declared before it is
//! used and never reused for another (a recycled tid gets a new id); after [`Event::Lost`] the
//! state of its processors is *unknown* until each one's next [`Event::Switch`].
//!
//! Absent on purpose: durations. A stretch is what lies between two records, so that nothing has
//! to be known before it ends and a trace can be written while it happens.

use crate::task::TaskEvent;
use std::collections::VecDeque;
use windfall_time::{Instant, Span};

/// A thread of this trace; an index into the threads in order of declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId(pub u32);

/// A scheduler instance of this trace; an index into the nodes in order of declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// A processor, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cpu(pub u16);

/// The origin of a trace, known before its first record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Header {
    /// Where it comes from: `windfall simulate`, `ftrace`, `perf`, ...
    pub source: String,
    /// The name of the clock (`mono`, `local`, `virtual`), as the source calls it.
    pub clock: String,
    /// How many processors there are; 0 when the source does not say.
    pub cpus: u16,
}

impl Header {
    /// A header with this source and clock, for `cpus` processors.
    #[must_use]
    pub fn new(source: impl Into<String>, clock: impl Into<String>, cpus: u16) -> Header {
        Header { source: source.into(), clock: clock.into(), cpus }
    }
}

/// One thing that happened, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// When; nanoseconds of the trace's clock.
    pub at: Instant,
    /// The event.
    pub event: Event,
}

/// Why a thread no longer runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stop {
    /// It could have gone on: another thread took the processor (`R`, `R+`).
    Preempted,
    /// It waits and can be woken (`S`, and what sources do not distinguish).
    Blocked,
    /// It waits in the kernel, as a rule for a device (`D`).
    Uninterruptible,
    /// Stopped by a signal or a debugger (`T`, `t`).
    Stopped,
    /// It has ended (`X`, `Z`).
    Exited,
}

/// A use of processor time by something other than a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OverheadKind {
    /// A hardware interrupt's handler.
    Interrupt,
    /// Deferred work of an interrupt (softirq, DPC).
    Softirq,
    /// The hypervisor ran something else.
    Steal,
    /// Deciding who runs.
    Scheduling,
    /// Switching from one thread to another.
    Switching,
    /// Waiting for its turn at a station of a simulated machine; the number is the station's.
    StationWait,
    /// Being served at a station of a simulated machine.
    StationService,
}

impl OverheadKind {
    /// Whether the processor stands still at a station.
    #[must_use]
    pub const fn is_station(self) -> bool {
        matches!(self, OverheadKind::StationWait | OverheadKind::StationService)
    }
}

/// The content of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A thread is declared, or has a new name or node. `tid` and `pid` (its process) as in the
    /// source, 0 when there is none. `node` is the scheduler instance that it belongs to.
    Thread {
        /// The thread.
        thread: ThreadId,
        /// Thread number of the source.
        tid: u32,
        /// Process number of the source.
        pid: u32,
        /// Its name (`comm`), unescaped.
        name: String,
        /// The scheduler that it is under, if known.
        node: Option<NodeId>,
    },
    /// A scheduler instance is declared, or has a new parent or promise. In a recording of a command: the command;
    /// its threads belong to this node, and no others.
    Node {
        /// Which.
        node: NodeId,
        /// Its first parent; `None` for a root.
        parent: Option<NodeId>,
        /// Its name, unique among living instances.
        name: String,
        /// The kind of scheduler (`rez`, `edf`, ...), or [`COMMAND`].
        kind: String,
    },
    /// The promise of a thread from here on, as text (`RESBH 3ms 10ms`).
    Promise {
        /// The thread.
        thread: ThreadId,
        /// The guarantee; `None` ends it.
        guarantee: Option<String>,
    },
    /// A thread that waited can run.
    Wake {
        /// The thread.
        thread: ThreadId,
        /// The thread that woke it, if a thread did.
        by: Option<ThreadId>,
    },
    /// A processor goes from one thread to another; `None` means idle.
    Switch {
        /// Which processor.
        cpu: Cpu,
        /// The thread that ran until here, and why it stopped.
        prev: Option<(ThreadId, Stop)>,
        /// The thread that runs from here on.
        next: Option<ThreadId>,
    },
    /// A thread has ended.
    Exit {
        /// The thread.
        thread: ThreadId,
    },
    /// An interrupt, a hypervisor or the scheduler takes the processor; nests.
    OverheadBegin {
        /// Which processor.
        cpu: Cpu,
        /// The kind of overhead.
        kind: OverheadKind,
        /// The number that the source gives it (irq, vector), 0 when none.
        number: u16,
    },
    /// The innermost overhead on this processor ends.
    OverheadEnd {
        /// Which processor.
        cpu: Cpu,
    },
    /// A job of a thread begins its life.
    Release {
        /// The thread.
        thread: ThreadId,
        /// When it should be done by.
        deadline: Option<Instant>,
    },
    /// A thread's oldest unfinished job is done.
    Complete {
        /// The thread.
        thread: ThreadId,
        /// From release to completion.
        response: Span,
        /// Whether it was too late.
        missed: bool,
    },
    /// A thread's oldest unfinished job was given up, at its deadline.
    Abort {
        /// The thread.
        thread: ThreadId,
    },
    /// A scheduler's note about a child: budget left, exhausted, boosted, ...
    Note {
        /// Which scheduler.
        node: NodeId,
        /// The thread, when it is about one.
        thread: Option<ThreadId>,
        /// The note.
        what: Note,
    },
    /// A control request was carried out or refused, as text.
    Control {
        /// The request and its result.
        text: String,
    },
    /// A scheduler broke the protocol and was taken out of the tree.
    Quarantine {
        /// Which.
        node: NodeId,
        /// The rule and how it was broken.
        reason: String,
    },
    /// Events are missing: `cpu` (all, when `None`) is unknown from here to its next switch.
    Lost {
        /// Where.
        cpu: Option<Cpu>,
        /// How many, when the source knows.
        count: Option<u64>,
    },
    /// A line that the program itself wrote into the trace.
    Mark {
        /// The thread that wrote it.
        thread: Option<ThreadId>,
        /// Its text.
        text: String,
    },
    /// A thread begins something that it names itself, within what it has begun before.
    ActivityBegins {
        /// The thread.
        thread: ThreadId,
        /// Its name.
        text: String,
    },
    /// The activity that a thread began last ends.
    ActivityEnds {
        /// The thread.
        thread: ThreadId,
    },
    /// A figure that a thread reports of itself has this value from here on.
    Figure {
        /// The thread.
        thread: ThreadId,
        /// Its name.
        name: String,
        /// Its value.
        value: Figure,
    },
    /// A task of a thread was refused, is lost, or has ended. [`Note`]s say how often tasks were admitted.
    Task {
        /// The thread.
        thread: ThreadId,
        /// The task's number among those of the thread.
        task: u32,
        /// When it must be done by.
        deadline: Instant,
        /// The answer to it, or its end.
        what: TaskEvent,
    },
}

/// The value of a figure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Figure {
    /// A number of times.
    Count(u64),
    /// A length of time.
    Time(Span),
}

/// A scheduler's note about a child.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Note {
    /// The rest of its budget.
    Budget(Span),
    /// Its budget is used up until its next period.
    Exhausted,
    /// A new period begins with a full budget.
    Replenished(Span),
    /// For the period that begins so much is reserved, which changes from period to period.
    Reserved(Span),
    /// A period is over in which it received so much, stolen time left out.
    Received(Span),
    /// It was raised above its own priority.
    Boosted,
    /// It was rescued from starvation.
    Rescued,
    /// Its deadline passed with work left; it goes on.
    Late,
    /// Its deadline passed with work left; the job is given up.
    Expired,
    /// A task was admitted that needs so much at most.
    Admitted(Span),
    /// A task was refused: so much would have been admitted with its deadline.
    Refused(Span),
    /// A task ended and left so much of its time to others.
    Absorbed(Span),
    /// A task that was admitted cannot be done in time any longer; so much of it was left.
    Lost(Span),
    /// Laxity of the scheduler that was moved to it.
    Moved(Span),
}

/// The kind of a node that is no scheduler but a recorded command: its threads, and all that they start.
pub const COMMAND: &str = "command";

/// Where records go, one after another, in order of time.
///
/// ```
/// use std::collections::BTreeMap;
/// use windfall_time::Instant;
/// use windfall_trace::{Event, Sink, ThreadId};
///
/// /// Counts wake-ups.
/// #[derive(Default)]
/// struct Wakeups(BTreeMap<ThreadId, u64>);
///
/// impl Sink for Wakeups {
///     fn record(&mut self, _: Instant, event: &Event) {
///         if let Event::Wake { thread, .. } = event {
///             *self.0.entry(*thread).or_default() += 1;
///         }
///     }
/// }
///
/// let mut wakeups = Wakeups::default();
/// wakeups.record(Instant::ZERO, &Event::Wake { thread: ThreadId(3), by: None });
/// assert_eq!(wakeups.0[&ThreadId(3)], 1);
/// ```
pub trait Sink {
    /// Takes one record. Errors of the sink are kept and returned when it is finished.
    fn record(&mut self, at: Instant, event: &Event);

    /// Whether nothing that it takes is kept any more, as on a full disk. A recording ends then.
    fn is_broken(&self) -> bool {
        false
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn record(&mut self, at: Instant, event: &Event) {
        (**self).record(at, event);
    }

    fn is_broken(&self) -> bool {
        (**self).is_broken()
    }
}

/// Keeps everything, to be taken from the front.
impl Sink for VecDeque<Record> {
    fn record(&mut self, at: Instant, event: &Event) {
        self.push_back(Record { at, event: event.clone() });
    }
}

/// A sink that keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl Sink for Discard {
    fn record(&mut self, _: Instant, _: &Event) {}
}

/// A sink that keeps everything, for tests and pictures.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Memory {
    /// The records in order.
    pub records: Vec<Record>,
}

impl Sink for Memory {
    fn record(&mut self, at: Instant, event: &Event) {
        self.records.push(Record { at, event: event.clone() });
    }
}
