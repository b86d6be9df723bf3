//! What users ask for while a scenario runs (HLSCtl, HLS 4.3.9).

use super::machine::Timer;
use super::scheduler::{Requirements, Reserve, Scheduler};
use windfall_guarantees::Guarantee;
use windfall_time::{Instant, Span};

/// A request at a time. Those of equal times are made in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Request {
    /// When.
    pub time: Instant,
    /// What.
    pub change: Change,
}

impl Request {
    /// What is asked for at that time.
    #[must_use]
    pub const fn new(time: Instant, change: Change) -> Request {
        Request { time, change }
    }
}

/// On whose behalf something is asked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Whom {
    /// A thread, or all that a `count`ed name stands for.
    Thread(String),
    /// A scheduler's own virtual processor, numbered from 0.
    Scheduler(String, u16),
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Creates an instance.
    Create(Scheduler),
    /// Destroys an instance; its children move to the default.
    Destroy(String),
    /// Makes an instance the default and moves the former's threads there.
    Default(String),
    /// Moves a thread, with what is asked for it there.
    Move {
        /// Whom.
        thread: String,
        /// To which scheduler.
        to: String,
        /// What is asked there.
        requires: Requirements,
    },
    /// Begins or changes a reservation.
    Reserve(Whom, Reserve),
    /// Asks for a guarantee, in whatever way the scheduler above gives it.
    Guarantee(Whom, Guarantee),
    /// Ends a reservation.
    Unreserve(Whom),
    /// Sets a share.
    Share(Whom, u32),
    /// Sets a warp.
    Warp(Whom, Span),
    /// Sets a priority.
    Priority(Whom, i32),
    /// Sets a scheduler's quantum; above zero.
    Quantum(String, Span),
    /// Sets the resolution of the machine's timer.
    Timer(Timer),
}
