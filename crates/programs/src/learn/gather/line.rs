//! A thread as it is learned: what it did, and how it was first seen.

use crate::learn::replay::LearnedThread;
use windfall_time::{Instant, Span};

/// A thread under observation.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) thread: LearnedThread,
    pub(super) items: Vec<Item>,
    pub(super) state: State,
    pub(super) since: Instant,
    /// The last wake while it ran: a waker can be faster than the switch that it undoes.
    pub(super) early: Option<usize>,
    pub(super) begins: Begins,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Run(Span),
    /// By index into `wakes`.
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
    /// Able to run: since the trace began, if it tells of wake-ups at all.
    Able(Instant),
    /// Woken by a thread.
    Woken(Instant),
    /// At that instant.
    At(Instant),
}

#[derive(Debug)]
pub(super) struct Wake {
    pub(super) target: usize,
    pub(super) at: Instant,
    /// A learned thread that ran then.
    pub(super) by: Option<usize>,
    pub(super) taken: bool,
}
