//! What must hold at the end of a scenario.

use windfall_time::{Ratio, Span};

/// A bound on a quantity, and why it is that bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// Whose.
    pub subject: Subject,
    /// What is measured.
    pub quantity: Quantity,
    /// What it must be.
    pub bound: Bound,
    /// Why.
    pub because: String,
}

/// Whose quantity is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Threads: a name, the name of `count`ed ones, or a pattern in which `*` stands for any text.
    Threads(String),
    /// A scheduler.
    Scheduler(String),
    /// The machine.
    Machine,
}

/// What is measured. Times are lengths of time; `received`, `runnable` and the machine's times may be
/// bounded as shares, too. What the simulator computes for each stands at the variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// Processor time received; of several threads, and of a scheduler's, the sum.
    Received,
    /// Time ready or running; the sum.
    Runnable,
    /// How often it became runnable; the sum.
    Wakeups,
    /// How often it was put on a processor; the sum.
    Dispatches,
    /// How often it lost a processor that it could have used; the sum.
    Preemptions,
    /// How often it was put on another processor than before; the sum.
    Migrations,
    /// Jobs released; the sum.
    Released,
    /// Jobs done; the sum.
    Jobs,
    /// Jobs not done by their deadline, unfinished ones whose deadline has passed included; the sum.
    Missed,
    /// Jobs given up at their deadline; the sum.
    Aborted,
    /// From a job's release to its completion. Of several threads: the least of minima, the
    /// greatest of maxima; the others are of one thread only.
    Response(Statistic),
    /// The longest stretch ready without running; of several, the greatest.
    GapMax,
    /// The longest interval between two completions; of several, the greatest.
    IntervalMax,
    /// How many intervals between completions exceed this; the sum.
    IntervalsAbove(Span),
    /// A quantity of the machine.
    Whole(Whole),
}

/// Which of many values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Statistic {
    /// The least.
    Min,
    /// The mean.
    Mean,
    /// The median.
    P50,
    /// The value below which 99 of 100 lie.
    P99,
    /// The greatest.
    Max,
}

/// A quantity of the whole machine, summed over processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whole {
    /// Time in which nobody ran.
    Idle,
    /// Time spent switching.
    Switching,
    /// Time spent deciding.
    Scheduling,
    /// Time that interrupts took.
    Stolen,
    /// Requests that were refused.
    Refused,
    /// Schedulers that were quarantined.
    Quarantined,
}

/// What a quantity must be. All parts that are given must hold; at least one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bound {
    /// Not more than this.
    pub at_most: Option<Level>,
    /// Not less than this.
    pub at_least: Option<Level>,
    /// This, and how far off it may be.
    pub equals: Option<(Level, Option<Level>)>,
}

/// A value to compare with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// A length of time.
    Span(Span),
    /// A share of one processor during the scenario's length (`32.6%cpu`); 2 means two of them.
    OfCpu(Ratio),
    /// A share of all processors during the scenario's length (`50%machine`).
    OfMachine(Ratio),
    /// How many.
    Count(u64),
}

impl Quantity {
    /// Every quantity as it is written after a subject and a dot; longer texts first where one ends
    /// in another.
    pub const ALL: [(&'static str, Quantity); 24] = [
        ("received", Quantity::Received),
        ("runnable", Quantity::Runnable),
        ("wakeups", Quantity::Wakeups),
        ("dispatches", Quantity::Dispatches),
        ("preemptions", Quantity::Preemptions),
        ("migrations", Quantity::Migrations),
        ("released", Quantity::Released),
        ("jobs", Quantity::Jobs),
        ("missed", Quantity::Missed),
        ("aborted", Quantity::Aborted),
        ("response.min", Quantity::Response(Statistic::Min)),
        ("response.mean", Quantity::Response(Statistic::Mean)),
        ("response.p50", Quantity::Response(Statistic::P50)),
        ("response.p99", Quantity::Response(Statistic::P99)),
        ("response.max", Quantity::Response(Statistic::Max)),
        ("gap.max", Quantity::GapMax),
        ("interval.max", Quantity::IntervalMax),
        ("intervals", Quantity::IntervalsAbove(Span::ZERO)),
        ("idle", Quantity::Whole(Whole::Idle)),
        ("switching", Quantity::Whole(Whole::Switching)),
        ("scheduling", Quantity::Whole(Whole::Scheduling)),
        ("stolen", Quantity::Whole(Whole::Stolen)),
        ("refused", Quantity::Whole(Whole::Refused)),
        ("quarantined", Quantity::Whole(Whole::Quarantined)),
    ];

    /// The quantity as it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        let alike = |other: Quantity| match (self, other) {
            (Quantity::IntervalsAbove(_), Quantity::IntervalsAbove(_)) => true,
            _ => self == other,
        };
        let found = Quantity::ALL.iter().find(|(_, quantity)| alike(*quantity));
        found.map_or("", |(text, _)| *text)
    }
}

impl Subject {
    /// The subject as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Subject::Threads(name) | Subject::Scheduler(name) => name,
            Subject::Machine => "machine",
        }
    }
}
