//! Temporal queries: what could still be done by when (PORTS 2.2, 2.4). They change nothing.

use crate::answer::AnswerError;
use windfall_time::{Instant, Span};

/// A question to a scheduler that admits tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TemporalQuery<'a> {
    /// The idle time before a deadline: the most work that would be admitted with it.
    IdleBefore(Instant),
    /// The earliest deadline with which so much work would be admitted.
    EarliestDeadline(Span),
    /// Whether all of these tasks, each a work and a deadline, would be admitted one after the other.
    WhatIf(&'a [(Span, Instant)]),
    /// Whether there are tasks that can no longer be done, and that were not named yet: [`Message::Account`](crate::Message::Account) names them.
    Unnamed,
}

/// The answer to a [`TemporalQuery`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TemporalAnswer {
    /// The idle time.
    Idle(Span),
    /// The earliest deadline; `None` if there is none.
    Earliest(Option<Instant>),
    /// `None` if all would be admitted, else the place of the first that would not, from 0, and what its submission would be answered after those before it.
    FirstRefused(Option<(usize, AnswerError)>),
    /// Whether such tasks are to be named.
    Unnamed(bool),
}
