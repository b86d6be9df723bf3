//! A reliability model of the voter: how likely an iteration comes to the right vote, to a wrong one, or to none, when values and numbers of iterations may be wrong (CMU 1982, 1.4: "A reliability model of the voter, though, must take into account the probability of the iteration number being faulty").
//!
//! Assumptions. A1: messages are independent, of replicas and of iterations. A2: a replica sends in the order of its iterations, the voter keeps the first value of a replica for a row (a second is refused), and a row is kept as long as a wrong number can lie in it. A3: the values of different iterations differ. A4: more than half of all replicas must agree.
//!
//! The content of a replica's place in a row is independent of the other places, and each replica has one place; so at
//! most one value has a majority, and each probability is a tail of a binomial distribution. It is exact.

use crate::redundancy::at_least;
use core::fmt;

/// The errors that a replica's message may have. All fields but `rows` are probabilities.
///
/// ```
/// use windfall_reliability::Voting;
///
/// // One value of a thousand is wrong, one message of a hundred has a wrong iteration, and half of these lie in the row after.
/// let model = Voting::new(3).value(0.001).iteration(0.01).ahead(0.5);
/// let vote = model.vote()?;
/// assert!(vote.wrong < 1e-4 && vote.none < 1e-3 && vote.right > 0.999);
/// # Ok::<(), windfall_reliability::VotingError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Voting {
    /// How many replicas vote: 2 to 64.
    pub replicas: u8,
    /// Probability that the value is wrong.
    pub value: f64,
    /// Probability that a wrong value is shared by other replicas with wrong values; else it agrees with none.
    pub collude: f64,
    /// Probability that no message comes.
    pub absent: f64,
    /// Probability that a message has a wrong iteration: its own row goes without it.
    pub iteration: f64,
    /// Probability that a wrong iteration is one of the next `rows`: the value takes a place there before the
    /// right one comes.
    pub ahead: f64,
    /// Probability that a wrong iteration is one of the `rows` before: the value takes a place there if that is empty.
    /// Otherwise, neither ahead nor behind, the voter keeps no row for it.
    pub behind: f64,
    /// Over how many rows wrong iterations are spread evenly, on each side; 1 to 64.
    pub rows: u8,
}

impl Voting {
    /// Replicas of which nothing goes wrong; wrong iterations would lie outside the rows.
    #[must_use]
    pub const fn new(replicas: u8) -> Voting {
        Voting {
            replicas,
            value: 0.0,
            collude: 0.0,
            absent: 0.0,
            iteration: 0.0,
            ahead: 0.0,
            behind: 0.0,
            rows: 1,
        }
    }

    /// The same, with this probability of a wrong value.
    #[must_use]
    pub const fn value(self, value: f64) -> Voting {
        Voting { value, ..self }
    }

    /// The same, with this probability that a wrong value is the common one.
    #[must_use]
    pub const fn collude(self, collude: f64) -> Voting {
        Voting { collude, ..self }
    }

    /// The same, with this probability of no message.
    #[must_use]
    pub const fn absent(self, absent: f64) -> Voting {
        Voting { absent, ..self }
    }

    /// The same, with this probability of a wrong iteration.
    #[must_use]
    pub const fn iteration(self, iteration: f64) -> Voting {
        Voting { iteration, ..self }
    }

    /// The same, with this share of wrong iterations among the next rows.
    #[must_use]
    pub const fn ahead(self, ahead: f64) -> Voting {
        Voting { ahead, ..self }
    }

    /// The same, with this share of wrong iterations among the rows before.
    #[must_use]
    pub const fn behind(self, behind: f64) -> Voting {
        Voting { behind, ..self }
    }

    /// The same, with wrong iterations spread over so many rows on each side.
    #[must_use]
    pub const fn rows(self, rows: u8) -> Voting {
        Voting { rows, ..self }
    }

    /// The probable results of an iteration after the first `rows`, before which no iteration can be counted
    /// ahead.
    ///
    /// # Errors
    /// When a number is outside its range.
    pub fn vote(&self) -> Result<Vote, VotingError> {
        self.check()?;
        let needed = self.replicas / 2 + 1;
        let wins = |place: f64| at_least(needed, self.replicas, place);
        let own = (1.0 - self.absent) * (1.0 - self.iteration);
        let numbered = (1.0 - self.absent) * self.iteration / f64::from(self.rows);
        let (ahead, behind) = (numbered * self.ahead, numbered * self.behind);
        // A row's place is open to the own value if none that was counted too far came before.
        let is_open = (1.0 - ahead).powi(self.rows.into());
        let (right, common) = (1.0 - self.value, self.value * self.collude);
        let mut wrong = wins(is_open * own * common);
        let (mut before, mut after) = (1.0, is_open * (1.0 - own));
        for _ in 0..self.rows {
            // Values of one other iteration agree with each other, be they right or commonly wrong there.
            for stray in [before * ahead, after * behind] {
                wrong += wins(stray * right) + wins(stray * common);
            }
            before *= 1.0 - ahead;
            after *= 1.0 - behind;
        }
        // The complement is added up by itself: a difference from 1 would lose what is small.
        let taken = -(f64::from(self.rows) * (-ahead).ln_1p()).exp_m1();
        let is_not_own = self.absent + (1.0 - self.absent) * self.iteration;
        let is_not_right = taken + is_open * (is_not_own + own * self.value);
        let fails = at_least(self.replicas - needed + 1, self.replicas, is_not_right);
        Ok(Vote { right: wins(is_open * own * right), wrong, none: (fails - wrong).max(0.0) })
    }

    fn check(&self) -> Result<(), VotingError> {
        if !(2..=64).contains(&self.replicas) {
            return Err(VotingError::Replicas { replicas: self.replicas });
        }
        if !(1..=64).contains(&self.rows) {
            return Err(VotingError::Rows { rows: self.rows });
        }
        let all = [
            ("value", self.value),
            ("collude", self.collude),
            ("absent", self.absent),
            ("iteration", self.iteration),
            ("ahead", self.ahead),
            ("behind", self.behind),
        ];
        if let Some((name, value)) = all.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value))
        {
            return Err(VotingError::Probability { name, value });
        }
        if self.ahead + self.behind > 1.0 + 1e-12 {
            return Err(VotingError::Shares { ahead: self.ahead, behind: self.behind });
        }
        Ok(())
    }
}

/// Probabilities of what an iteration comes to; they add up to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Vote {
    /// The right value is voted.
    pub right: f64,
    /// A wrong value is voted.
    pub wrong: f64,
    /// No value has a majority.
    pub none: f64,
}

impl Vote {
    /// The result of a mission of this many iterations, each of which must come to the right vote.
    #[must_use]
    pub fn mission(&self, iterations: u64) -> Mission {
        #[expect(
            clippy::cast_precision_loss,
            reason = "beyond 2^53 iterations the bound is 0 or the votes are all right"
        )]
        let count = iterations as f64;
        Mission {
            independent: (count * (-(self.wrong + self.none)).ln_1p()).exp(),
            at_least: (1.0 - count * (self.wrong + self.none)).max(0.0),
        }
    }
}

/// The probability that all iterations of a mission come to the right vote.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Mission {
    /// If iterations were independent. They are when no wrong number lies in another row; else one message is missing in one row and too many in another, so that wrong votes come together.
    pub independent: f64,
    /// In any case (Boole's inequality).
    pub at_least: f64,
}

/// Why there is no such model.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum VotingError {
    /// Nothing to vote on, or more than a voter takes.
    Replicas {
        /// How many were asked.
        replicas: u8,
    },
    /// Too few or too many rows.
    Rows {
        /// How many were asked.
        rows: u8,
    },
    /// No probability.
    Probability {
        /// Which.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// Both shares of wrong iterations are more than all.
    Shares {
        /// Among the next rows.
        ahead: f64,
        /// Among the rows before.
        behind: f64,
    },
}

impl fmt::Display for VotingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VotingError::Replicas { replicas } => {
                write!(f, "{replicas} replicas cannot vote; allowed: 2 to 64")
            }
            VotingError::Rows { rows } => {
                write!(f, "wrong iterations over {rows} rows; allowed: 1 to 64")
            }
            VotingError::Probability { name, value } => {
                write!(f, "{name} {value} is no probability; allowed: 0 to 1")
            }
            VotingError::Shares { ahead, behind } => write!(
                f,
                "shares of wrong iterations of {ahead} ahead and {behind} behind; allowed: at most 1 together"
            ),
        }
    }
}

impl core::error::Error for VotingError {}
