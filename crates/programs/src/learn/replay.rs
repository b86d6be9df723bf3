//! Recorded programs: what each thread of a trace computed, and what it waited for.
//!
//! Work is the time in which a thread had a processor that was not stolen. A wait ends by another thread
//! ([`RecordedStep::Woken`]) if the record names a waker that is seen running. That wake is then in the waker's own
//! program, after exactly the work that the waker had done by then. Any other wait ends at the recorded time.
//!
//! Invariants: R1. The runs of a thread add up to its time on processors less the time stolen from it there.
//!
//! R2. A thread has as many `Woken` steps as all programs together have `Wake` steps for it; the n-th `Woken` of a
//! thread is its n-th [`Activation`] that has a [`Cause::Thread`].
//!
//! R3. Replayed with wake-ups remembered, no thread waits for ever. Proof: give every step the number of its
//! record. A program's steps have rising numbers, and a `Woken` comes no earlier than its `Wake`, since that record
//! or a later one reports it. Suppose that some threads are stuck, and let T be one whose pending `Woken`, its
//! k-th, has the `Wake` of the smallest number. Of the first k wakes of T one has not been made, so its program is
//! stuck before it, at a `Woken` whose number, and so whose wake's, is smaller still: a contradiction.
//!
//! Unknown times (after a loss, or where records contradict each other) become waits and are counted; they are
//! never filled with work. The thread that ran on a processor before its first switch is known only if nothing was
//! lost: it is the thread that leaves, since the trace began.
//!
//! Read next: `gather.rs`, which processes the records.

use super::gather::Gather;
use super::stolen::Stolen;
use crate::program::{Recorded, RecordedStep};
use windfall_time::{Instant, Span};
use windfall_trace::timeline::LostCount;
use windfall_trace::{Cpu, Record, ThreadId};

/// The result of learning from a recording. Instants are relative to `start`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Learned {
    /// The active threads, in order of declaration; `Wake` steps name them by index.
    pub threads: Vec<LearnedThread>,
    /// By processor number: the time stolen from it, in order and without overlap.
    pub interrupts: Vec<Vec<Stolen>>,
    /// Number of processors: the highest number seen, plus one.
    pub processors: u16,
    /// The first record's time on the trace's own clock.
    pub start: Instant,
    /// The time from the first record to the last.
    pub length: Span,
    /// The losses that the trace reports.
    pub lost: LostCount,
    /// Wake-ups that became no step.
    pub dropped: Dropped,
    /// Number of records that contradict each other; 0 for a sound trace.
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
    /// The thread's number in the source.
    pub tid: u32,
    /// The process's number in the source; 0 if unknown.
    pub pid: u32,
    /// Whether it belongs to the recorded command; always false in a recording of a whole machine.
    pub of_command: bool,
    /// Its program.
    pub recorded: Recorded,
    /// Each time that it became ready after waiting, in order.
    pub activations: Vec<Activation>,
    /// Its jobs, where the trace has them: when each was released, and what it used. A thread does them in order.
    pub jobs: Vec<Activation>,
    /// The time for which its state is unknown.
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
            jobs: Vec::new(),
            unknown: Span::ZERO,
        }
    }
}

/// One time that a thread became ready, or the release of one of its jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Activation {
    /// The time.
    pub at: Instant,
    /// The cause.
    pub by: Cause,
    /// Processor time that it used until its next wait, or for the job.
    pub work: Span,
}

/// Why a thread became ready.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// It was ready when the trace began, or when it was first seen after a loss.
    Start,
    /// A thread woke it: an index into [`Learned::threads`].
    Thread(usize),
    /// An interrupt, a timer, or a thread that is unknown or not learned.
    Other,
}

/// Wake-ups that became no step of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Dropped {
    /// The thread was ready already, or did not wait after all.
    pub not_waiting: u64,
    /// The thread had exited.
    pub ended: u64,
    /// Waits that ended without a wake-up; they end at the recorded time.
    pub unexplained_waits: u64,
}

/// When a thread starts whose first record is a wake-up, which may have ended a wait or started it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StartsKnown {
    /// Not before the recorded time, and not before its waker has woken it.
    #[default]
    Timed,
    /// As soon as its waker has woken it: a faster machine starts it sooner.
    ByWaker,
}

impl LearnedThread {
    /// All processor time that it used.
    #[must_use]
    pub fn work(&self) -> Span {
        self.recorded.steps.iter().fold(Span::ZERO, |sum, step| match step {
            RecordedStep::Run(work) => sum.saturating_add(*work),
            _ => sum,
        })
    }
}

impl Learned {
    /// Time stolen from a processor by all kinds of interrupts.
    #[must_use]
    pub fn stolen(&self, cpu: Cpu) -> Span {
        let pieces = self.interrupts.get(usize::from(cpu.0)).map_or(&[][..], Vec::as_slice);
        pieces.iter().fold(Span::ZERO, |sum, piece| sum.saturating_add(piece.span))
    }
}

/// Learns from records in order of time. An importer yields `Result`s: stop at an error, or take the records before
/// it.
#[must_use]
pub fn learn(records: impl IntoIterator<Item = Record>) -> Learned {
    learn_as(records, StartsKnown::Timed)
}

/// Like [`learn`], with `starts` for the starts of threads.
#[must_use]
pub fn learn_as(records: impl IntoIterator<Item = Record>, starts: StartsKnown) -> Learned {
    let mut gather = Gather::default();
    for record in records {
        gather.take(&record);
    }
    gather.finish(starts)
}

#[cfg(test)]
mod tests;
