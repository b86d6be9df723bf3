//! A computation that replicas vote on, as its caller describes it.

use crate::injected::Injected;
use crate::participant::Participant;
use crate::redundant::{Outcome, Remedy};
use crate::rule::Majority;
use crate::{Iteration, Settings, WORDS};
use std::sync::{Arc, Mutex};
use windfall_time::Span;

/// A fault that the last replica shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// Its kind.
    pub kind: Injected,
    /// From which iteration on.
    pub from: Iteration,
    /// In how many iterations.
    pub iterations: u64,
    /// In how many of its lives, from the first on.
    pub lives: u32,
}

impl Fault {
    /// In every iteration of its first life.
    #[must_use]
    pub const fn new(kind: Injected) -> Fault {
        Fault { kind, from: Iteration(1), iterations: u64::MAX, lives: 1 }
    }

    /// From this iteration on, in so many.
    #[must_use]
    pub const fn during(self, from: Iteration, iterations: u64) -> Fault {
        Fault { from, iterations, ..self }
    }

    /// In so many of its lives, from the first on.
    #[must_use]
    pub const fn lives(self, lives: u32) -> Fault {
        Fault { lives, ..self }
    }
}

/// The votes, by replica and spare; words of the state that are not used are zero.
pub type Votes = Vec<Vec<(Iteration, [u64; WORDS])>>;

/// A computation of several steps that replicas do and vote on after each.
///
/// ```
/// use windfall_nmr::process::{Fault, Voting};
/// use windfall_nmr::redundant::{Injected, Remedy};
/// use windfall_nmr::Iteration;
/// use windfall_time::Span;
///
/// let voting = Voting::new(3)
///     .steps(60, Span::from_nanos(200_000))
///     .fault(Fault::new(Injected::Hang).during(Iteration(20), 5))
///     .remedy(Remedy::Restart);
/// assert_eq!((voting.iterations, voting.settings.replicas), (60, 3));
/// ```
// Fields: what a scenario may choose of it, each by itself, and what its caller reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Voting {
    /// How the voters are.
    pub settings: Settings,
    /// How many steps.
    pub iterations: u64,
    /// How many words the state of the computation has, all of which are voted on after each step; at most [`WORDS`], which a message holds.
    pub words: u8,
    /// The work of each step.
    pub work: Span,
    /// How much longer it takes the last replica, in percent.
    pub slower: u64,
    /// How long a vote is waited for.
    pub patience: Span,
    /// The fault of the last replica.
    pub fault: Option<Fault>,
    /// The remedy for a fault that the others agree on, and for a replica that ends. With another than [`Remedy::Ignore`], a process of its own does that.
    pub remedy: Remedy,
    /// Replica 0 moves to the scheduler of this name with `-0` behind it, and so on; they stay where they begin when it is empty.
    pub on: Arc<str>,
    /// The votes, for those who started it.
    pub votes: Arc<Mutex<Votes>>,
    /// The outcome of the replicas, for those who started it; `None` where no process looks after them.
    pub outcome: Arc<Mutex<Option<Outcome>>>,
}

/// The whole state of the computation, which is the value that is voted on (CMU 1982, chapter 1, footnote 1).
pub(super) type State = [u64; WORDS];

/// The voter of one replica.
pub(super) type Part = Participant<State, Majority>;
