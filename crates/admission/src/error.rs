//! Why something is refused, and what would be accepted.

use crate::Ticket;
use core::fmt;
use windfall_time::{Instant, Span};

/// Why work is not admitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AdmitError {
    /// It does not fit. This is the only variant that depends on what else was admitted, but for `Full`.
    NoRoom {
        /// The work that was asked for.
        work: Span,
        /// The deadline that was asked for.
        deadline: Instant,
        /// The most work that would be admitted with this deadline.
        idle: Span,
        /// The earliest deadline with which this work would be admitted; `None` if it lies beyond the horizon.
        earliest: Option<Instant>,
    },
    /// No work: nothing to admit, and no slot that could be named.
    NoWork,
    /// The deadline is not later than `now`.
    DeadlinePassed {
        /// The deadline that was asked for.
        deadline: Instant,
        /// The time of the list.
        now: Instant,
        /// The earliest deadline with which this work would be admitted; `None` if it lies beyond the horizon.
        earliest: Option<Instant>,
    },
    /// The deadline is not later than the task's own start.
    BeforeStart {
        /// The deadline that was asked for.
        deadline: Instant,
        /// The start that was asked for.
        start: Instant,
        /// The earliest deadline with which this work would be admitted at that start; `None` if it lies beyond the horizon.
        earliest: Option<Instant>,
    },
    /// The deadline is later than [`HORIZON`](crate::HORIZON).
    BeyondHorizon {
        /// The deadline that was asked for.
        deadline: Instant,
    },
    /// The work could not be done by [`HORIZON`](crate::HORIZON) if there was nothing else.
    TooMuchWork {
        /// The work that was asked for.
        work: Span,
        /// The time from `now` to the horizon.
        most: Span,
    },
    /// As many slots are there as the list may hold.
    Full {
        /// How many.
        slots: u32,
    },
}

impl fmt::Display for AdmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let earliest = |f: &mut fmt::Formatter<'_>, found: &Option<Instant>| match found {
            Some(earliest) => write!(f, "the earliest deadline for it is {earliest}"),
            None => f.write_str("no deadline up to the horizon fits"),
        };
        match self {
            AdmitError::NoRoom { work, deadline, idle, earliest: found } => {
                write!(f, "work {work} does not fit before {deadline}: {idle} is idle; ")?;
                earliest(f, found)
            }
            AdmitError::NoWork => f.write_str("no work; ask for at least 1ns"),
            AdmitError::DeadlinePassed { deadline, now, earliest: found } => {
                write!(f, "deadline {deadline} is not later than now, {now}; ")?;
                earliest(f, found)
            }
            AdmitError::BeforeStart { deadline, start, earliest: found } => {
                write!(f, "deadline {deadline} is not later than the start, {start}; ")?;
                earliest(f, found)
            }
            AdmitError::BeyondHorizon { deadline } => {
                let horizon = crate::HORIZON;
                write!(f, "deadline {deadline} is beyond the horizon; the last one is {horizon}")
            }
            AdmitError::TooMuchWork { work, most } => {
                write!(f, "work {work} does not end before the horizon; at most {most} would")
            }
            AdmitError::Full { slots } => {
                write!(f, "all {slots} slots are taken; withdraw one, or wait for the first to end")
            }
        }
    }
}

impl core::error::Error for AdmitError {}

/// Which task of several is not admitted, and why; those before it would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WhatIfError {
    /// The task's place in what was asked for, from 0.
    pub index: usize,
    /// Why, with all tasks before it admitted.
    pub error: AdmitError,
}

impl fmt::Display for WhatIfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}: {}", self.index, self.error)
    }
}

impl core::error::Error for WhatIfError {}

/// Why a ticket is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TicketError {
    /// Its slot was collected, done or withdrawn.
    Stale {
        /// The ticket.
        ticket: Ticket,
    },
    /// It is from another list.
    Foreign {
        /// The ticket.
        ticket: Ticket,
    },
    /// Only the first slot can be done.
    NotHead {
        /// The ticket.
        ticket: Ticket,
        /// The ticket of the first slot.
        head: Ticket,
    },
    /// More is said to be used than is left of its bound.
    AboveBound {
        /// The reported use.
        used: Span,
        /// The remaining work.
        left: Span,
    },
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TicketError::Stale { ticket } => {
                write!(f, "{ticket} is stale: its slot was collected, done or withdrawn")
            }
            TicketError::Foreign { ticket } => {
                write!(f, "{ticket} is from another list; give it to the list that admitted it")
            }
            TicketError::NotHead { ticket, head } => {
                write!(f, "{ticket} is not worked on: {head} is before it; withdraw it instead")
            }
            TicketError::AboveBound { used, left } => {
                write!(f, "{used} is above what is left of the bound; at most {left} can be used")
            }
        }
    }
}

impl core::error::Error for TicketError {}

/// Why time cannot move there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AdvanceError {
    /// Time does not move backwards.
    Backwards {
        /// Where it was to move.
        to: Instant,
        /// The time of the list.
        now: Instant,
    },
    /// Past [`HORIZON`](crate::HORIZON).
    BeyondHorizon {
        /// Where it was to move.
        to: Instant,
    },
    /// More work is said to be done than was left of the first slot.
    AboveBound {
        /// The reported work.
        work: Span,
        /// The work that was left: zero if there is no slot.
        left: Span,
    },
}

impl fmt::Display for AdvanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdvanceError::Backwards { to, now } => {
                write!(f, "time cannot move back from {now} to {to}; it may stay")
            }
            AdvanceError::BeyondHorizon { to } => {
                write!(f, "{to} is beyond the horizon, {}", crate::HORIZON)
            }
            AdvanceError::AboveBound { work, left } => {
                write!(f, "{work} of work is above what is left of the first slot, {left}")
            }
        }
    }
}

impl core::error::Error for AdvanceError {}
