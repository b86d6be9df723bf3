//! The findings of a part of the suite: sentences for people, metrics for programs, and measurements that could not be made.

use crate::findings::{Figure, Raw, Table};
use windfall_time::Span;

/// How much a sentence matters, the most first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// The machine did something wrong, or does less than was needed.
    Fault,
    /// Work that it can be trusted with.
    Answer,
    /// It makes other results doubtful, or short periods a poor choice.
    Warning,
    /// A result.
    Fact,
}

impl Level {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Fault => "fault",
            Level::Answer => "answer",
            Level::Warning => "warning",
            Level::Fact => "fact",
        }
    }
}

/// A sentence of the opening.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Sentence {
    /// How much it matters.
    pub level: Level,
    /// With its numbers.
    pub text: String,
    /// The remedy, where one is known.
    pub remedies: Vec<String>,
}

impl Sentence {
    pub(crate) fn new(level: Level, text: impl Into<String>) -> Sentence {
        Sentence { level, text: text.into(), remedies: Vec::new() }
    }

    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Sentence {
        self.remedies.push(remedy.into());
        self
    }
}

/// The unit of a metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Picoseconds, for what takes less than a microsecond.
    Picoseconds,
    /// Seconds, for what may take years.
    Seconds,
    /// Parts in 10^9.
    PartsPerBillion,
    /// Parts in 10^6.
    PartsPerMillion,
    /// Bytes in a second.
    BytesPerSecond,
    /// So many.
    Count,
}

impl Unit {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Picoseconds => "ps",
            Unit::Seconds => "s",
            Unit::PartsPerBillion => "ppb",
            Unit::PartsPerMillion => "ppm",
            Unit::BytesPerSecond => "bytes/s",
            Unit::Count => "count",
        }
    }
}

/// Which direction is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Less.
    Lower,
    /// More.
    Higher,
}

/// A number that runs can be compared by.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Metric {
    /// Its name, with the part and, where it is of one, the processor: `speed.task.cpu1`.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// Its unit.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// By how many per cent two runs on a sound machine may differ.
    pub noise: u32,
    /// Differences up to this are none, however many per cent that is.
    pub least: u64,
}

impl Metric {
    pub(crate) fn new(name: impl Into<String>, value: u64, unit: Unit, better: Better) -> Metric {
        Metric { name: name.into(), value, unit, better, noise: 25, least: 0 }
    }

    /// A time of which less is better.
    pub(crate) fn time(name: impl Into<String>, value: Span) -> Metric {
        Metric::new(name, value.as_nanos(), Unit::Nanoseconds, Better::Lower)
    }

    /// With so many per cent, and so much in any case, that two runs on a sound machine may differ by.
    pub(crate) fn noise(self, percent: u32, least: u64) -> Metric {
        Metric { noise: percent, least, ..self }
    }
}

/// Something that was not measured.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Undone {
    /// The measurement.
    pub what: String,
    /// Why not, and what would help.
    pub why: String,
}

/// The findings of a part.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Found {
    /// The machine and the lengths of runs, in a line each.
    pub circumstances: Vec<String>,
    /// For the opening.
    pub sentences: Vec<Sentence>,
    /// For comparisons.
    pub metrics: Vec<Metric>,
    /// The numbers behind the sentences.
    pub tables: Vec<Table>,
    /// Pictures.
    pub figures: Vec<Figure>,
    /// Every number that went into the pictures.
    pub raw: Vec<Raw>,
    /// Measurements that were not made.
    pub undone: Vec<Undone>,
}

impl Found {
    /// Adds a sentence.
    pub(crate) fn says(&mut self, level: Level, text: impl Into<String>) {
        self.sentences.push(Sentence::new(level, text));
    }

    /// Adds something that was not measured.
    pub(crate) fn not_done(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.undone.push(Undone { what: what.into(), why: why.into() });
    }
}
