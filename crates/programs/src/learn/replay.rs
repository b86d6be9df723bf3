//! Recorded programs: what each thread of a trace computed, and what it waited for.
//!
//! Work is the time that a thread had a processor and nobody stole it. A wait ends by another
//! thread ([`RecordedStep::Woken`]) where the record names a waker that is seen running; its wake
//! stands in the waker's own program after exactly the work that the waker had done by then. Any
//! other wait ends at the recorded instant.
//!
//! Invariants:
//! R1. The runs of a thread add up to its time on processors less what was stolen from it there.
//! R2. A thread has as many `Woken` steps as all programs together have `Wake` steps for it; the
//!     n-th `Woken` of a thread is its n-th [`Activation`] that has a [`Cause::Thread`].
//! R3. Replayed with wake-ups remembered, no thread waits for ever. For give every step the number
//!     of its record. A program's steps have rising numbers, and a `Woken` stands no earlier than
//!     its `Wake`, since it is told by that record or one after it. Let some threads be stuck, and T
//!     be one whose pending `Woken`, its k-th, has the `Wake` of the smallest number. Of the first k
//!     wakes of T one has not been made, so its program is stuck before it, at a `Woken` whose
//!     number, and so whose wake's, is smaller still: a contradiction.
//!
//! What is unknown (after a loss, or where records contradict each other) is waited through and
//! counted, never filled with work. Before a processor's first switch it is known who ran there
//! only if nothing was lost: the thread that leaves, since the trace began.
//!
//! Read next: `gather.rs`, which does it record by record.

use super::gather::Gather;
use crate::program::{Recorded, RecordedStep};
use windfall_time::{Instant, Span};
use windfall_trace::timeline::LostCount;
use windfall_trace::{Cpu, OverheadKind, Record, ThreadId};

/// What a recording taught. Instants are relative to `start`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Learned {
    /// The threads that did anything, in order of declaration; `Wake` steps name them by index.
    pub threads: Vec<LearnedThread>,
    /// What was stolen from each processor, by its number; pieces in order that do not overlap.
    pub interrupts: Vec<Vec<Stolen>>,
    /// How many processors were seen: the highest number and one.
    pub processors: u16,
    /// The first record's time on the trace's own clock.
    pub start: Instant,
    /// From the first record to the last.
    pub length: Span,
    /// What the trace says is missing.
    pub lost: LostCount,
    /// Wake-ups that became no step.
    pub dropped: Dropped,
    /// Records that contradict each other; 0 for a sound trace.
    pub conflicts: u64,
}

/// A thread of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LearnedThread {
    /// Its id in the trace.
    pub trace_thread: ThreadId,
    /// Its last name.
    pub name: String,
    /// Thread number of the source.
    pub tid: u32,
    /// Process number of the source; 0 when unknown.
    pub pid: u32,
    /// Whether it is one of the command that was recorded; never of a recording of a whole machine.
    pub of_command: bool,
    /// What it did.
    pub recorded: Recorded,
    /// Each time that it became able to run after a wait, in order.
    pub activations: Vec<Activation>,
    /// For how long nobody knows what it did.
    pub unknown: Span,
}

impl LearnedThread {
    /// A thread that has done nothing.
    #[must_use]
    pub fn new(trace_thread: ThreadId, name: impl Into<String>, tid: u32) -> LearnedThread {
        LearnedThread {
            trace_thread,
            name: name.into(),
            tid,
            pid: 0,
            of_command: false,
            recorded: Recorded::default(),
            activations: Vec::new(),
            unknown: Span::ZERO,
        }
    }
}

/// A thread became able to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Activation {
    /// When.
    pub at: Instant,
    /// Why.
    pub by: Cause,
    /// How much it computed until its next wait.
    pub work: Span,
}

/// Why a thread became able to run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// It was able to when the trace began, or when it was first seen after a loss.
    Start,
    /// A thread woke it: an index into [`Learned::threads`].
    Thread(usize),
    /// An interrupt, a timer, or nobody that is known or learned.
    Other,
}

/// Somebody other than a thread had a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stolen {
    /// From when.
    pub at: Instant,
    /// For how long, without what a nested one took.
    pub span: Span,
    /// Who.
    pub kind: OverheadKind,
    /// The number that the source gives it.
    pub number: u16,
}

/// Wake-ups that became no step of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Dropped {
    /// The thread could run already, or did not wait after all.
    pub not_waiting: u64,
    /// The thread had ended.
    pub ended: u64,
    /// Waits that ended without any wake-up; they end at the recorded time.
    pub unexplained_waits: u64,
}

/// When a thread begins whose first record is a wake-up: it waited, or was born.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StartsKnown {
    /// Not before the recorded instant, and not before its waker has woken it.
    #[default]
    Timed,
    /// As soon as its waker has woken it: a faster machine starts it sooner.
    ByWaker,
}

impl LearnedThread {
    /// All that it computed.
    #[must_use]
    pub fn work(&self) -> Span {
        self.recorded.steps.iter().fold(Span::ZERO, |sum, step| match step {
            RecordedStep::Run(work) => sum.saturating_add(*work),
            _ => sum,
        })
    }
}

impl Learned {
    /// Time stolen from a processor by interrupts of whatever kind.
    #[must_use]
    pub fn stolen(&self, cpu: Cpu) -> Span {
        let pieces = self.interrupts.get(usize::from(cpu.0)).map_or(&[][..], Vec::as_slice);
        pieces.iter().fold(Span::ZERO, |sum, piece| sum.saturating_add(piece.span))
    }
}

/// Learns from records in order of time. An importer gives `Result`s: stop at an error, or take
/// what came before it.
#[must_use]
pub fn learn(records: impl IntoIterator<Item = Record>) -> Learned {
    learn_as(records, StartsKnown::Timed)
}

/// Learns from records in order of time, births as `births` says.
#[must_use]
pub fn learn_as(records: impl IntoIterator<Item = Record>, births: StartsKnown) -> Learned {
    let mut gather = Gather::default();
    for record in records {
        gather.take(&record);
    }
    gather.finish(births)
}

#[cfg(test)]
mod tests;
