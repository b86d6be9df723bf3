//! A thread while it is learned: its items so far, and how it was first seen.

use crate::learn::replay::LearnedThread;
use windfall_time::{Instant, Span};

/// A thread under observation.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) thread: LearnedThread,
    /// How many of its jobs have ended; the next one is what it works on.
    pub(super) jobs_done: usize,
    pub(super) items: Vec<Item>,
    pub(super) state: State,
    pub(super) since: Instant,
    /// The last wake that came while it ran: a waker can be faster than the switch by which the thread begins to
    /// wait.
    pub(super) early: Option<usize>,
    pub(super) begins: Begins,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Run(Span),
    /// An index into `wakes`.
    Wake(usize),
    Woken,
    Until(Instant),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Unseen,
    Running(usize),
    Ready,
    Blocked,
    Ended,
    Unknown,
}

/// How a thread was first seen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Begins {
    /// Ready: since the trace began, if the trace has wake-ups at all.
    Able(Instant),
    /// Woken by a thread.
    Woken(Instant),
    /// Active from this instant on.
    At(Instant),
}

#[derive(Debug)]
pub(super) struct Wake {
    pub(super) target: usize,
    pub(super) at: Instant,
    /// The learned thread that ran then, if one did.
    pub(super) by: Option<usize>,
    pub(super) taken: bool,
}
