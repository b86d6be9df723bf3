//! Counts of imported and rejected lines.

use crate::Cpu;
use crate::timeline::LostCount;
use std::collections::BTreeMap;
use windfall_time::Span;

/// A line worth looking at.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Example {
    /// Its number, from 1.
    pub line: u64,
    /// Its text, at most 200 characters of it.
    pub text: String,
}

/// How many, and the first few of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Examples {
    /// How many.
    pub count: u64,
    /// The first five.
    pub first: Vec<Example>,
}

/// The contents of an imported text, counted. The first six fields count lines, each line once.
// Fields: a list of counts, each independent of the others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Headers, comments and empty lines.
    pub other_lines: u64,
    /// Lines that only report lost events.
    pub loss_lines: u64,
    /// Events that were imported, by name.
    pub events: BTreeMap<String, u64>,
    /// Events that the model does not need, by name. At most 1000 names are counted apart; further
    /// ones count as `(other names)`.
    pub not_imported: BTreeMap<String, u64>,
    /// Events of a known name whose text was not understood.
    pub malformed: Examples,
    /// Lines that are none of these.
    pub unknown: Examples,
    /// All lines.
    pub lines: u64,
    /// Losses that the source reports, by processor; `None` where it names none.
    pub lost: BTreeMap<Option<Cpu>, LostCount>,
    /// Lines of another thread than the one that their processor ran: a switch is missing before
    /// them that the source did not report as lost. Each is also a loss among the records.
    pub mismatches: Examples,
    /// Interrupts that end without a beginning, or are open when their processor switches.
    pub unpaired_overheads: u64,
    /// Different threads.
    pub threads: u64,
    /// Times a thread was seen under another name than before.
    pub renamed: u64,
    /// Threads that had been declared when their name was learnt.
    pub named_later: u64,
    /// Times a thread number passed to another thread.
    pub reused_tids: u64,
    /// Lines that came before an earlier one and were sorted in.
    pub reordered: u64,
    /// Lines that came too late to be sorted in and were moved to the last record's time.
    pub clamped: u64,
    /// The longest way that a line was moved.
    pub longest_clamp: Span,
    /// Wakes of threads that could already run; not among the records.
    pub redundant_wakes: u64,
    /// Wakes whose waker is the thread of the line, although the source does not say whether an
    /// interrupt did it. perf text never says.
    pub unsure_wakers: u64,
}

impl Examples {
    pub(super) fn add(&mut self, line: u64, text: &str) {
        self.count += 1;
        if self.first.len() < 5 {
            self.first.push(Example { line, text: text.chars().take(200).collect() });
        }
    }
}

impl Report {
    /// Whether every line is in exactly one counter; a defect of the importer if not.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        let counted = self.other_lines
            + self.loss_lines
            + self.events.values().sum::<u64>()
            + self.not_imported.values().sum::<u64>()
            + self.malformed.count
            + self.unknown.count;
        counted == self.lines
    }

    /// How many events were imported.
    #[must_use]
    pub fn imported(&self) -> u64 {
        self.events.values().sum()
    }

    /// All losses that the source reported.
    #[must_use]
    pub fn lost_in_all(&self) -> LostCount {
        let mut all = LostCount::default();
        for lost in self.lost.values() {
            all.gaps += lost.gaps;
            all.events = all.events.saturating_add(lost.events);
            all.uncounted += lost.uncounted;
        }
        all
    }

    pub(super) fn lose(&mut self, cpu: Option<Cpu>, count: Option<u64>) {
        let lost = self.lost.entry(cpu).or_default();
        lost.gaps += 1;
        match count {
            Some(count) => lost.events = lost.events.saturating_add(count),
            None => lost.uncounted += 1,
        }
    }
}

/// Counts a name, without letting a hostile source fill the memory with names.
pub(super) fn count(names: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = names.get_mut(name) {
        *count += 1;
    } else {
        let name = if names.len() < 1000 { name } else { "(other names)" };
        *names.entry(name.to_owned()).or_default() += 1;
    }
}
