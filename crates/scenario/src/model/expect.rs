//! Expectations: conditions that must hold at the end of a scenario.

use core::fmt;
use windfall_time::{Ratio, Span};

/// A bound on a quantity, and why it is that bound.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Expectation {
    /// The thread, scheduler or machine that it is about.
    pub subject: Subject,
    /// The quantity measured.
    pub quantity: Quantity,
    /// The bound on it.
    pub bound: Bound,
    /// Why.
    pub because: String,
}

/// The subject of a quantity.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Subject {
    /// Threads: a name, the name of `count`ed ones, or a pattern in which `*` stands for any text.
    Threads(String),
    /// A scheduler.
    Scheduler(String),
    /// The machine.
    Machine,
}

/// A measured quantity. Times are lengths of time; `received`, `runnable` and the machine's times may be
/// bounded as shares, too. Each variant describes how the simulator computes it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// Jobs and tasks submitted to a scheduler that admits or refuses each; the sum.
    Submitted,
    /// Jobs and tasks that a scheduler refused to admit; the sum. Such jobs are not released.
    NotAdmitted,
    /// Tasks that processes did not finish by their deadlines: later, or never; the sum. Those of jobs are among the missed ones instead.
    TasksLate,
    /// Jobs and tasks that a scheduler had admitted and could no longer promise; the sum. Some may be done all the same.
    TasksLost,
    /// How long after its deadline a task was finished; of several, and of several threads, the greatest. Zero if none was late.
    TaskLatenessMax,
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
    /// Visits of stations; the sum.
    Visits,
    /// Time that its processor stood still while it waited at stations; the sum. It is not received.
    StationWait,
    /// Time that its processor stood still while stations served it; the sum. It is not received.
    StationService,
    /// A figure that a process tells of itself, by its name: a number or a length of time, as the bound is; the sum of
    /// those who tell it.
    Figure(String),
    /// A quantity of the machine.
    Whole(Whole),
}

/// Which of many values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum Whole {
    /// Time in which no thread ran.
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

/// The bounds on a quantity. All parts that are given must hold; at least one is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Bound {
    /// Not more than this.
    pub at_most: Option<Level>,
    /// Not less than this.
    pub at_least: Option<Level>,
    /// This value, with a tolerance.
    pub equals: Option<(Level, Option<Level>)>,
}

/// A value to compare with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// in another. A figure's name comes after that.
    pub const ALL: [(&'static str, Quantity); 33] = [
        ("received", Quantity::Received),
        ("runnable", Quantity::Runnable),
        ("wakeups", Quantity::Wakeups),
        ("dispatches", Quantity::Dispatches),
        ("preemptions", Quantity::Preemptions),
        ("migrations", Quantity::Migrations),
        ("released", Quantity::Released),
        ("jobs", Quantity::Jobs),
        ("missed", Quantity::Missed),
        ("submitted", Quantity::Submitted),
        ("not-admitted", Quantity::NotAdmitted),
        ("tasks-late", Quantity::TasksLate),
        ("tasks-lost", Quantity::TasksLost),
        ("task-lateness.max", Quantity::TaskLatenessMax),
        ("aborted", Quantity::Aborted),
        ("response.min", Quantity::Response(Statistic::Min)),
        ("response.mean", Quantity::Response(Statistic::Mean)),
        ("response.p50", Quantity::Response(Statistic::P50)),
        ("response.p99", Quantity::Response(Statistic::P99)),
        ("response.max", Quantity::Response(Statistic::Max)),
        ("gap.max", Quantity::GapMax),
        ("interval.max", Quantity::IntervalMax),
        ("intervals", Quantity::IntervalsAbove(Span::ZERO)),
        ("visits", Quantity::Visits),
        ("station-wait", Quantity::StationWait),
        ("station-service", Quantity::StationService),
        ("figure", Quantity::Figure(String::new())),
        ("idle", Quantity::Whole(Whole::Idle)),
        ("switching", Quantity::Whole(Whole::Switching)),
        ("scheduling", Quantity::Whole(Whole::Scheduling)),
        ("stolen", Quantity::Whole(Whole::Stolen)),
        ("refused", Quantity::Whole(Whole::Refused)),
        ("quarantined", Quantity::Whole(Whole::Quarantined)),
    ];

    /// The quantity as it is written, without the name of a figure.
    #[must_use]
    pub fn text(&self) -> &'static str {
        let alike = |other: &Quantity| match (self, other) {
            (Quantity::IntervalsAbove(_), Quantity::IntervalsAbove(_))
            | (Quantity::Figure(_), Quantity::Figure(_)) => true,
            _ => self == other,
        };
        let found = Quantity::ALL.into_iter().find(|(_, quantity)| alike(quantity));
        found.map_or("", |(text, _)| text)
    }

    /// The quantity of a subject as both are written: `planner-1.figure.promises-lost`.
    #[must_use]
    pub fn of(&self, subject: &Subject) -> String {
        let name = match self {
            Quantity::Figure(name) => format!(".{name}"),
            _ => String::new(),
        };
        format!("{}.{}{name}", subject.text(), self.text())
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

impl Bound {
    /// One of its values, in whose unit it is.
    pub(crate) fn unit(&self) -> Option<Level> {
        self.at_most.or(self.at_least).or(self.equals.map(|(level, _)| level))
    }

    /// Not more than this.
    #[must_use]
    pub const fn at_most(level: Level) -> Bound {
        Bound { at_most: Some(level), at_least: None, equals: None }
    }

    /// Not less than this.
    #[must_use]
    pub const fn at_least(level: Level) -> Bound {
        Bound { at_most: None, at_least: Some(level), equals: None }
    }

    /// Exactly this.
    #[must_use]
    pub const fn equals(level: Level) -> Bound {
        Bound { at_most: None, at_least: None, equals: Some((level, None)) }
    }
}

impl Expectation {
    /// A bound on the quantity of a subject.
    #[must_use]
    pub const fn new(subject: Subject, quantity: Quantity, bound: Bound) -> Expectation {
        Expectation { subject, quantity, bound, because: String::new() }
    }

    /// The same, for this reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Expectation {
        self.because = reason.into();
        self
    }

    /// Subject and quantity as text: `a.response.max`, `app.intervals above 33ms`.
    #[must_use]
    pub fn what(&self) -> String {
        let above = match &self.quantity {
            Quantity::IntervalsAbove(limit) => format!(" above {limit}"),
            _ => String::new(),
        };
        format!("{}{above}", self.quantity.of(&self.subject))
    }
}

impl fmt::Display for Bound {
    /// The bound as text: `at most 17ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.at_least.map(|level| format!("at least {level}")));
        words.extend(self.at_most.map(|level| format!("at most {level}")));
        if let Some((level, within)) = self.equals {
            let within = within.map_or(String::new(), |within| format!(" within {within}"));
            words.push(format!("equal to {level}{within}"));
        }
        f.write_str(&words.join(" and "))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Span(span) => write!(f, "{span}"),
            Level::OfCpu(share) => write!(f, "{}%cpu", percent(*share)),
            Level::OfMachine(share) => write!(f, "{}%machine", percent(*share)),
            Level::Count(count) => write!(f, "{count}"),
        }
    }
}

/// 163/500 as `32.6`; a value that decimals cannot express as a fraction of a hundred.
fn percent(share: Ratio) -> String {
    let Some(hundredfold) = share.checked_mul(Ratio::whole(100)) else {
        return "0".to_owned();
    };
    for places in 0..=12_u32 {
        let scale = 10_u64.pow(places);
        if let Some(scaled) = hundredfold.checked_mul(Ratio::whole(scale))
            && scaled.denominator() == 1
        {
            let scale = i128::from(scale);
            let (whole, part) = (scaled.numerator() / scale, scaled.numerator() % scale);
            let width = usize::try_from(places).unwrap_or(0);
            return match places {
                0 => whole.to_string(),
                _ => format!("{whole}.{part:0width$}"),
            };
        }
    }
    hundredfold.to_string()
}
