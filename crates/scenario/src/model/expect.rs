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
