//! What a host asks its machine for.

use crate::thread::Thread;
use windfall_scenario::{PlannedThread, Tracer};
use windfall_time::{Instant, Span};
use windfall_trace::{OverheadKind, Sink, Stop};

/// A machine that carries out what a hierarchy decides. It is polled, and never calls its host.
///
/// # A host promises
/// M1. It [accounts](Self::account) a processor before it says to the hierarchy that time was taken there.
/// M2. It lets changes be [carried out](Self::carry_out) when all that is due was applied, all of a moment at once.
/// M3. It [makes](Self::make) a thread before that is in a change, and has none in a change that has ended.
/// M4. It sets the [alarm](Self::alarm) to the first thing that it has to do, after each settling.
///
/// # A machine promises
/// C1. [`now`](Self::now) never decreases, and no event is later.
/// C2. Events come in the order of their times.
/// C3. What it [accounts](Self::account) of a processor adds up to the time since the beginning.
/// C4. A thread receives nothing outside a change that gave it a processor.
pub trait Machine {
    /// Where its trace goes.
    type Sink: Sink;

    /// How long acting may take, from one action of a program to the next, to count as one instant; zero where
    /// acting takes no time.
    const MOMENT: Span;

    /// The time since the run began.
    fn now(&self) -> Instant;

    /// The next thing that has happened by now, if anything has.
    fn next_event(&mut self) -> Option<Event>;

    /// What became of a processor's time since this was last asked, until now.
    fn account(&mut self, cpu: usize) -> Passed;

    /// Whether others than threads take time here that schedulers are to hear of before anything else.
    fn takes_time(&self) -> bool;

    /// Whether others than its thread have a processor just now.
    fn is_taken(&self, cpu: usize) -> bool;

    /// The host has something to do then; nothing if `None`.
    fn alarm(&mut self, at: Option<Instant>);

    /// There is another thread, numbered in order from 0; it has no work.
    fn make(&mut self, thread: &PlannedThread);

    /// A thread has so much work from now on, in the time of a processor of speed 1 ([`Span::MAX`]: it has no end); `None`:
    /// none, since it waits, has ended, or is to act.
    fn compute(&mut self, thread: u32, work: Option<Span>);

    /// Whether a thread has work.
    fn has_work(&self, thread: u32) -> bool;

    /// Processors take up the threads that the hierarchy has chosen.
    fn carry_out(&mut self, changes: &[Change], threads: &mut [Thread]);

    /// Whether calls of the hierarchy cost anything here.
    fn charges(&self) -> bool;

    /// Charges a processor; whether that was anything.
    fn charge(&mut self, cpu: usize, what: Charge) -> bool;

    /// Something that was set for now is due on a processor: until when it has to wait for an interrupt's routine.
    fn held_up(&mut self, cpu: usize) -> Option<Instant>;

    /// What records what happens.
    fn tracer(&mut self) -> &mut Tracer<Self::Sink>;
}

/// What has happened on a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Time on a processor was taken from now on, or is not taken any more.
    Taken {
        /// The processor.
        cpu: usize,
    },
    /// The thread on a processor has done its work.
    Done {
        /// The processor.
        cpu: usize,
    },
}

/// What became of a stretch of a processor's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// When it began.
    pub from: Instant,
    /// How long it was.
    pub span: Span,
    /// The thread that was on the processor.
    pub thread: Option<u32>,
    /// What took the time, if that thread did not have it.
    pub taken: Option<OverheadKind>,
}

/// What one processor is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// Which.
    pub cpu: usize,
    /// The thread that it lets go of, and how that stops.
    pub leaves: Option<(u32, Stop)>,
    /// The thread that it has from now on; the one that it has already if none leaves.
    pub takes: Option<u32>,
}

/// What a processor is charged with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charge {
    /// A timer of a scheduler goes off.
    Timer,
    /// A call of the hierarchy.
    Call {
        /// Notifications delivered to schedulers.
        notifications: u64,
        /// Whether the processor is granted to another thread than before.
        switches: bool,
        /// Whether a timer was the cause.
        by_timer: bool,
    },
}
