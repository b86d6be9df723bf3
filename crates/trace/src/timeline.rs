//! The activity of each thread and each processor over time: records turned into stretches.
//!
//! Invariants: the stretches of one thread neither overlap nor leave a gap between its declaration
//! and its end (exit, or end of the trace); neither do the slices of one processor, from the first
//! record to the last. None is empty, and two neighbours differ.
//!
//! Unknown time is [`State::Unknown`], never guessed: a processor before its first switch and from a
//! loss to its next switch; after a loss also every thread that is not seen running elsewhere, until
//! it is next seen, since its wake-up or its turn may be what was lost.
//!
//! A thread is `Running` while an interrupt borrows its processor; the processor's slices say what
//! was stolen. Read next: `timeline/follow.rs`, which decides all of this, then `timeline/build.rs`.

mod build;
pub(crate) mod follow;

pub use build::Builder;

use crate::{Cpu, NodeId, OverheadKind, Record, ThreadId};
use windfall_time::{Instant, Span};

/// Everything that is known about a stretch of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Timeline {
    /// When the first record happened.
    pub from: Instant,
    /// When the last record happened.
    pub to: Instant,
    /// The threads in order of declaration.
    pub threads: Vec<ThreadLine>,
    /// The processors that were seen, by number.
    pub cpus: Vec<CpuLine>,
    /// Events that are missing.
    pub lost: LostCount,
    /// Records that contradict each other: a thread leaves a processor that ran another, runs on
    /// two, is used before it is declared, or a time goes backwards. 0 for a sound trace.
    pub conflicts: u64,
}

/// How much of a trace is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LostCount {
    /// How many times events were lost.
    pub gaps: u64,
    /// How many events, where the source knew.
    pub events: u64,
    /// How many of the gaps have no known number of events.
    pub uncounted: u64,
}

/// One thread's life.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ThreadLine {
    /// Which thread.
    pub id: ThreadId,
    /// Its last name.
    pub name: String,
    /// Thread number of the source.
    pub tid: u32,
    /// Process number of the source.
    pub pid: u32,
    /// The scheduler that it is under, if known; its last one.
    pub node: Option<NodeId>,
    /// Its stretches, in order.
    pub stretches: Vec<Stretch>,
}

/// A thread in one state, from `from` up to `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// When it began.
    pub from: Instant,
    /// When it ended; later than `from`.
    pub to: Instant,
    /// The thread's state.
    pub state: State,
}

/// The state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It has a processor.
    Running(Cpu),
    /// It could run and has no processor.
    Ready,
    /// It waits for something.
    Blocked,
    /// It waits in the kernel, as a rule for a device.
    Uninterruptible,
    /// It was stopped by a signal or a debugger.
    Stopped,
    /// Unknown, since events were lost.
    Unknown,
}

/// One processor's time.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CpuLine {
    /// Which processor.
    pub cpu: Cpu,
    /// Its slices, in order.
    pub slices: Vec<Slice>,
}

impl CpuLine {
    /// The slices of this processor, in order.
    #[must_use]
    pub const fn new(cpu: Cpu, slices: Vec<Slice>) -> CpuLine {
        CpuLine { cpu, slices }
    }
}

/// A processor doing one thing, from `from` up to `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// When it began.
    pub from: Instant,
    /// When it ended; later than `from`.
    pub to: Instant,
    /// The processor's activity.
    pub what: What,
}

/// An activity of a processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum What {
    /// It runs a thread.
    Thread(ThreadId),
    /// Nothing.
    Idle,
    /// An interrupt, a hypervisor or the scheduler has it; the innermost, where they nest.
    Overhead(OverheadKind),
    /// Unknown, since events were lost.
    Unknown,
}

impl Stretch {
    /// How long it is.
    #[must_use]
    pub fn span(&self) -> Span {
        self.to.saturating_since(self.from)
    }
}

impl Slice {
    /// How long it is.
    #[must_use]
    pub fn span(&self) -> Span {
        self.to.saturating_since(self.from)
    }
}

impl Timeline {
    /// The timeline of `records`, which are in order of time.
    #[must_use]
    pub fn build(records: impl Iterator<Item = Record>) -> Timeline {
        let mut builder = Builder::new();
        for record in records {
            builder.take(record.at, &record.event);
        }
        builder.finish()
    }

    /// The line of one thread.
    #[must_use]
    pub fn thread(&self, id: ThreadId) -> Option<&ThreadLine> {
        self.threads.iter().find(|line| line.id == id)
    }

    /// From the first record to the last.
    #[must_use]
    pub fn span(&self) -> Span {
        self.to.saturating_since(self.from)
    }
}

#[cfg(test)]
mod tests;
