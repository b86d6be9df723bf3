//! Machines, and what memory costs on them: the paper's two, and today's.

use windfall_time::Span;

/// A machine with processors over an interconnect.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    /// A cycle, in picoseconds.
    cycle: u64,
    /// A line of memory that another processor has.
    pub(crate) line: Span,
    /// The analysis of a task, its slot put and collected.
    pub(crate) analysis: Span,
}

/// A line takes 150 cycles of a KSR-1 (section 2.3), and a list of 100 slots 500 us a task (table 2); a KSR-2 has processors twice as fast over the same interconnect. Today's
/// figures are those of the machine on which `docs/benchmarks/admission.md` was measured, at 4 GHz: a line from another processor of the same cache, and a task of the tree.
pub(crate) const MACHINES: [Machine; 3] = [
    Machine { name: "KSR-1", cycle: 50_000, line: ns(7_500), analysis: ns(500_000) },
    Machine { name: "KSR-2", cycle: 25_000, line: ns(7_500), analysis: ns(250_000) },
    Machine { name: "today", cycle: 250, line: ns(60), analysis: ns(120) },
];

const fn ns(count: u64) -> Span {
    Span::from_nanos(count)
}

/// How processors avoid to wait for lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ways {
    /// The sender has asked for the lines of the incoming list so early that it does not wait.
    pub(crate) prefetch: bool,
    /// The receiver waits until its answer is where the sender reads it.
    pub(crate) poststore: bool,
}

impl Ways {
    pub(crate) const ALL: [Ways; 4] = [
        Ways { prefetch: false, poststore: false },
        Ways { prefetch: true, poststore: false },
        Ways { prefetch: false, poststore: true },
        Ways { prefetch: true, poststore: true },
    ];

    pub(crate) fn name(self) -> &'static str {
        match (self.prefetch, self.poststore) {
            (false, false) => "neither",
            (true, false) => "prefetch",
            (false, true) => "poststore",
            (true, true) => "both",
        }
    }
}

impl Machine {
    /// So many cycles, rounded up to nanoseconds.
    pub(crate) fn cycles(&self, count: u64) -> Span {
        Span::from_nanos((count * self.cycle).div_ceil(1_000))
    }

    /// How many cycles that is.
    pub(crate) fn in_cycles(&self, time: Span) -> u64 {
        time.as_nanos() * 1_000 / self.cycle
    }

    fn lines(&self, count: u64) -> Span {
        self.line.saturating_mul(count)
    }

    /// The steps that a sender waits for: the lock and the head of the incoming list.
    pub(crate) fn to_submit(&self, ways: Ways) -> Span {
        self.lines(if ways.prefetch { 0 } else { 2 })
    }

    /// The steps that a receiver waits for: the head of its incoming list, and the task.
    pub(crate) fn to_take_in(&self) -> Span {
        self.lines(2)
    }

    /// The steps that a receiver waits for when it answers.
    pub(crate) fn to_answer(&self, ways: Ways) -> Span {
        self.lines(u64::from(ways.poststore))
    }

    /// The steps that a sender waits for when it reads the answer.
    pub(crate) fn to_read(&self, ways: Ways) -> Span {
        self.lines(u64::from(!ways.poststore))
    }
}
