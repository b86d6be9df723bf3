//! The outcome of a redundant run, and the remedies for faults meanwhile.

use crate::{Iteration, ReplicaNumber};
use core::fmt;

/// A fault of a replica.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// A value of it was outvoted.
    Wrong,
    /// It sent values that belong to no iteration near the others'.
    WrongIteration,
    /// It served a state that does not have the hash which it voted.
    WrongState,
    /// It is further behind than it may be, and nothing came from it for as long as a vote is waited for.
    Lagging,
    /// Its body panicked.
    Panicked,
    /// Its body gave up with an error.
    GaveUp,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Wrong => "was outvoted",
            FaultKind::WrongIteration => "sent a value for an iteration far ahead",
            FaultKind::WrongState => "served another state than it voted",
            FaultKind::Lagging => "is far behind and silent",
            FaultKind::Panicked => "panicked",
            FaultKind::GaveUp => "gave up",
        })
    }
}

/// A fault on which a majority of the replicas agrees, or that its thread showed itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The faulty replica.
    pub replica: ReplicaNumber,
    /// Its kind.
    pub kind: FaultKind,
    /// Where it was noticed; 0 where its body panicked.
    pub iteration: Iteration,
    /// How many faults of this replica there were, with this one. Of one kind, those within an eighth of the time that a vote is waited for count once.
    pub count: u64,
    /// In which iteration the first of them was noticed.
    pub since: Iteration,
    /// Whether it runs no longer.
    pub is_over: bool,
}

/// The remedy for a fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Remedy {
    /// It goes on as it is. If it runs no longer, it takes part no longer.
    Ignore,
    /// It begins anew, with the state that the others vote.
    Restart,
    /// It takes part no longer, and a spare does; without one that is left, as [`Retire`](Remedy::Retire).
    Replace,
    /// It takes part no longer: of five, four are left, of three, two. Of two, none may go, and it stays as it is.
    Retire,
    /// The run ends.
    End,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::Ignore => "nothing is done",
            Remedy::Restart => "it is restarted",
            Remedy::Replace => "a spare takes its place",
            Remedy::Retire => "it takes part no longer",
            Remedy::End => "the run ends",
        })
    }
}

/// How the body of a replica ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// It returned.
    Returned,
    /// It panicked.
    Panicked,
    /// It returned an error.
    GaveUp(VoteError),
    /// It was not waited for any longer.
    Abandoned,
}

/// The outcome of a replica or spare.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// Which.
    pub replica: ReplicaNumber,
    /// How often it began.
    pub lives: u32,
    /// How its last life ended; `None` if it had none.
    pub ending: Option<Ending>,
    /// Its faults, in order, and what was done about each.
    pub faults: Vec<(Fault, Remedy)>,
}

/// The outcome of a redundant run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// By replica, spares last.
    pub replicas: Vec<Summary>,
    /// Whether a majority of the replicas returned.
    pub is_whole: bool,
    /// How many processors they could use; `None` where that is not known.
    pub processors: Option<usize>,
}

impl Outcome {
    /// For a process that runs nothing else: 0 if no fault was noticed, 1 if all that were noticed were tolerated, 2 if no majority returned.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        let is_clean = self.replicas.iter().all(|summary| summary.faults.is_empty());
        match (self.is_whole, is_clean) {
            (false, _) => 2,
            (true, false) => 1,
            (true, true) => 0,
        }
    }

    /// Why the votes may be worth less than they seem: two replicas outvote nobody, and those that share processors may be wrong together.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let ran = self.replicas.iter().filter(|summary| summary.lives > 0).count();
        let two = (ran == 2).then(|| {
            "2 replicas notice that they differ, and not which of them is wrong: then neither has a vote, and a restart repairs nothing; take 3 or more".to_owned()
        });
        let common = self.processors.filter(|processors| *processors < ran).map(|processors| {
            let are = if processors == 1 { "processor" } else { "processors" };
            format!(
                "{ran} replicas ran on {processors} {are}, so one faulty processor may make several of them wrong or late (a common cause); give them {ran}"
            )
        });
        let all: Vec<String> = two.into_iter().chain(common).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Why a replica has no vote.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum VoteError {
    /// As long as it waits, no majority agreed.
    NoMajority {
        /// In which iteration.
        iteration: Iteration,
    },
    /// As long as it waits, nobody serves the state that was voted.
    NoState {
        /// In which iteration.
        iteration: Iteration,
    },
    /// Another life of this replica counts, or the run is over: its body must return.
    Replaced,
    /// Its body panicked.
    Panicked,
    /// There are no iterations left.
    LastIteration,
}

impl fmt::Display for VoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VoteError::NoMajority { iteration } => {
                write!(f, "no majority agreed in {iteration} before the time for it was over")
            }
            VoteError::NoState { iteration } => {
                write!(
                    f,
                    "nobody served the state voted in {iteration} before the time for it was over"
                )
            }
            VoteError::Replaced => f.write_str("this replica was replaced; its body is to return"),
            VoteError::Panicked => f.write_str("its body panicked"),
            VoteError::LastIteration => {
                write!(f, "{} is the last one there can be", Iteration::LAST)
            }
        }
    }
}

impl core::error::Error for VoteError {}
