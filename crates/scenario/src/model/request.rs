//! Requests of users while a scenario runs (HLSCtl, HLS 4.3.9).

use super::machine::Timer;
use super::requirements::Requirements;
use super::scheduler::{Parent, Scheduler};
use windfall_guarantees::Guarantee;
use windfall_schedulers::parameters::{Parameter, ParameterValue, RESERVE};
use windfall_time::{Instant, Span};

/// A request at a time. Those of equal times are made in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Request {
    /// When.
    pub time: Instant,
    /// The change requested.
    pub change: Change,
}

impl Request {
    /// The change.
    #[must_use]
    pub const fn new(time: Instant, change: Change) -> Request {
        Request { time, change }
    }
}

/// The thread or virtual processor that a request is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Whom {
    /// A thread, or all that a `count`ed name stands for.
    Thread(String),
    /// A scheduler's own virtual processor, numbered from 0.
    Scheduler(String, u16),
}

/// A change that a request makes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Creates an instance.
    Create(Scheduler),
    /// Destroys an instance; its children move to the default.
    Destroy(String),
    /// Makes an instance the default and moves the former's threads there.
    Default(String),
    /// Moves a thread, with its parameters there.
    Move {
        /// The thread.
        thread: String,
        /// To which scheduler.
        to: String,
        /// The parameters there.
        requires: Requirements,
    },
    /// Moves a scheduler's own virtual processor, numbered from 0, with all that is below the scheduler.
    MoveScheduler {
        /// Which scheduler, and which of its virtual processors.
        own: (String, u16),
        /// To which parent.
        to: Parent,
        /// The parameters there.
        requires: Requirements,
    },
    /// Gives a scheduler one more parent.
    AddParent {
        /// Which scheduler.
        scheduler: String,
        /// Which parent.
        to: Parent,
        /// The parameters there.
        requires: Requirements,
    },
    /// Takes a scheduler's own virtual processor, numbered from 0, away from its parent.
    RemoveParent(String, u16),
    /// Several changes, all or none.
    Transaction(Vec<Change>),
    /// Sets a parameter: begins or changes a reservation, sets a share.
    Set(Whom, &'static Parameter, ParameterValue),
    /// Requests a guarantee, in the form that the scheduler above gives it.
    Guarantee(Whom, Guarantee),
    /// Ends a reservation.
    Unreserve(Whom),
    /// Sets a scheduler's quantum; above zero.
    Quantum(String, Span),
    /// Moves laxity from a scheduler that admits tasks to another below it (PORTS 2.5); above zero.
    Transfer {
        /// From which scheduler.
        from: String,
        /// To which.
        to: String,
        /// How much.
        work: Span,
    },
    /// Puts a datum into the queue that processes know by this name.
    Enqueue {
        /// The name.
        queue: String,
        /// The datum.
        datum: u64,
    },
    /// Sets the resolution of the machine's timer.
    Timer(Timer),
}

impl Change {
    /// The single changes that it consists of.
    pub(crate) fn parts(&self) -> &[Change] {
        match self {
            Change::Transaction(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// The same, to be changed.
    pub(crate) fn parts_mut(&mut self) -> &mut [Change] {
        match self {
            Change::Transaction(parts) => parts,
            one => std::slice::from_mut(one),
        }
    }

    /// The owner whose requirements at a parent change, if any.
    pub(crate) const fn whom(&self) -> Option<&Whom> {
        match self {
            Change::Set(whom, ..) | Change::Guarantee(whom, _) | Change::Unreserve(whom) => {
                Some(whom)
            }
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) const fn whom_mut(&mut self) -> Option<&mut Whom> {
        match self {
            Change::Set(whom, ..) | Change::Guarantee(whom, _) | Change::Unreserve(whom) => {
                Some(whom)
            }
            _ => None,
        }
    }

    /// The requirements afterwards. A reservation replaces a guarantee, and a guarantee replaces a reservation.
    pub(crate) fn apply(&self, requires: &mut Requirements) {
        match self {
            Change::Set(_, parameter, value) => {
                requires.set(parameter, Some(*value));
                if **parameter == RESERVE {
                    requires.guarantee = None;
                }
            }
            Change::Guarantee(_, guarantee) => {
                requires.set(&RESERVE, None);
                requires.guarantee = Some(*guarantee);
            }
            Change::Unreserve(_) => {
                requires.set(&RESERVE, None);
                requires.guarantee = None;
            }
            _ => {}
        }
    }
}
