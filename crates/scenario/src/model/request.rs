//! What users ask for while a scenario runs (HLSCtl, HLS 4.3.9).

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
    /// Moves a scheduler's own virtual processor, numbered from 0, with all that is below the scheduler.
    MoveScheduler {
        /// Which scheduler, and which of its virtual processors.
        own: (String, u16),
        /// To which parent.
        to: Parent,
        /// What is asked there.
        requires: Requirements,
    },
    /// Gives a scheduler one more parent.
    AddParent {
        /// Which scheduler.
        scheduler: String,
        /// Which parent.
        to: Parent,
        /// What is asked there.
        requires: Requirements,
    },
    /// Takes a scheduler's own virtual processor, numbered from 0, away from its parent.
    RemoveParent(String, u16),
    /// Several changes, all or none.
    Transaction(Vec<Change>),
    /// Sets a parameter: begins or changes a reservation, sets a share.
    Set(Whom, &'static Parameter, ParameterValue),
    /// Asks for a guarantee, in whatever way the scheduler above gives it.
    Guarantee(Whom, Guarantee),
    /// Ends a reservation.
    Unreserve(Whom),
    /// Sets a scheduler's quantum; above zero.
    Quantum(String, Span),
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

    /// For whom something else is asked of a parent, if it is.
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

    /// What is asked for them afterwards. A reservation takes the place of a guarantee, and a guarantee that of a reservation.
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
