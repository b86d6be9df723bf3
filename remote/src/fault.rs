//! What a replica finds of others.

use core::fmt;
use windfall_nmr::{Iteration, ReplicaNumber, redundant};

/// A fault, as the voter here sees it. A replica that was outvoted sees its own as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose.
    pub replica: ReplicaNumber,
    /// What.
    pub kind: FaultKind,
    /// Where it was noticed.
    pub iteration: Iteration,
}

/// What a replica does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// A value of it was outvoted.
    Wrong,
    /// It sent values that belong to no iteration near the others'.
    WrongIteration,
    /// It is further behind than it may be, and nothing came from it for as long as a vote is waited for.
    Lagging,
    /// It served a state that does not have the hash which was voted.
    WrongState,
    /// Its values have another size.
    Size {
        /// Words of a value of it.
        words: usize,
        /// Words of a value here.
        own: usize,
    },
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            FaultKind::Wrong => redundant::FaultKind::Wrong,
            FaultKind::WrongIteration => redundant::FaultKind::WrongIteration,
            FaultKind::Lagging => redundant::FaultKind::Lagging,
            FaultKind::WrongState => redundant::FaultKind::WrongState,
            FaultKind::Size { words, own } => {
                return write!(f, "sends values of {words} words, allowed: {own}");
            }
        };
        fmt::Display::fmt(&kind, f)
    }
}
