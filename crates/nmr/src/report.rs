//! The reports of a voter.

use crate::{Iteration, ReplicaNumber, Replicas};

/// Something that a voter has found. It is told at once, in the call that found it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Report<'a, V> {
    /// An iteration has come to a vote. Each does so once at most; later ones may come before.
    Voted {
        /// Which.
        iteration: Iteration,
        /// The voted value.
        value: &'a V,
        /// The replicas whose values that have come agree with it: a larger value may be fetched from them.
        agree: Replicas,
    },
    /// A row with errors is complete, or no longer kept. A row without errors says nothing.
    Errors {
        /// Of which iteration.
        iteration: Iteration,
        /// Whether it came to a vote.
        voted: bool,
        /// The replicas whose values differ from the vote; none without a vote: then it is not known who is wrong.
        wrong: Replicas,
        /// The replicas whose values did not come. They may be late, lost or not computed.
        absent: Replicas,
    },
    /// A value came for an iteration whose row is no longer kept, and is not stored.
    Late {
        /// Its sender.
        replica: ReplicaNumber,
        /// The iteration that it says.
        iteration: Iteration,
    },
    /// A value came for an iteration too far ahead of the vote, and is not stored: its replica is faster than the others, or the number of the iteration is wrong.
    Ahead {
        /// Its sender.
        replica: ReplicaNumber,
        /// The iteration that it says.
        iteration: Iteration,
        /// The last one that is taken.
        last: Iteration,
    },
    /// A second value came for an iteration, and is not stored.
    Twice {
        /// Its sender.
        replica: ReplicaNumber,
        /// The iteration that it says.
        iteration: Iteration,
    },
    /// A replica is more iterations behind a majority than it may be: it is faulty, until it comes nearer. It is reported once.
    Lagging {
        /// Which.
        replica: ReplicaNumber,
        /// How many iterations.
        behind: u64,
    },
}

/// The fate of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Received {
    /// It counts for its iteration.
    Stored,
    /// Its iteration had come to a vote before; it was compared with that.
    Compared,
    /// Its row is no longer kept.
    Late,
    /// It is ahead of the rows, or the voter joins others and does not know yet where they are; it may be offered again later.
    Ahead,
    /// There was one before.
    Twice,
    /// Its replica does not take part.
    NotActive,
}

/// The faults of a replica so far, as one voter knows them.
// Fields: counts, which are independent of each other, and since when it is so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct Record {
    /// Values that differed from what was voted.
    pub wrong: u64,
    /// Iterations whose row went without a value of it.
    pub absent: u64,
    /// Values for rows that were gone.
    pub late: u64,
    /// Values for iterations ahead of the rows.
    pub ahead: u64,
    /// Second values.
    pub twice: u64,
    /// How often it fell too far behind.
    pub lagged: u64,
    /// The first iteration that was wrong or absent.
    pub first: Option<Iteration>,
    /// The last one.
    pub last: Option<Iteration>,
    /// Since when no value of it was right; `None` if the last was.
    pub since: Option<Iteration>,
    /// The last iteration that a value of it was for.
    pub reached: Iteration,
    /// Whether it is too far behind.
    pub is_lagging: bool,
}
