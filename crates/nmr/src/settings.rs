//! The settings of a voter, and their errors.

use crate::{ReplicaNumber, Replicas};
use core::fmt;

/// The settings of a voter.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How many replicas take part at the beginning: 3 or more to outvote one that is wrong. 2 only notice that they differ, and then come to no vote.
    pub replicas: u8,
    /// How many may take part later, beside them.
    pub spares: u8,
    /// How many iterations are kept from the newest on. Length 1 is synchronous voting: a value for the next iteration closes the row.
    pub queue: u32,
    /// How many iterations a value may be ahead of what has come to a vote. So far a single replica may open rows, be it faulty or not; the rest of the queue waits for who is behind.
    pub ahead: u32,
    /// A replica that is more iterations behind a majority than this is faulty.
    pub lag: u64,
    /// The weight of each replica, spares included.
    pub weights: Vec<u32>,
}

impl Settings {
    /// For so many replicas: a queue of 64 rows, half of them ahead of the vote, and a lag of 32.
    #[must_use]
    pub fn new(replicas: u8) -> Settings {
        let weights = vec![1; usize::from(replicas)];
        Settings { replicas, spares: 0, queue: 64, ahead: 32, lag: 32, weights }
    }

    /// The same, with a queue of so many rows, half of them ahead, and as large a lag; what is said of these before does not count.
    #[must_use]
    pub fn queue(self, rows: u32) -> Settings {
        let ahead = rows.div_ceil(2);
        Settings { queue: rows, ahead, lag: (rows - rows / 2).into(), ..self }
    }

    /// The same, with values at most so many iterations ahead of the vote.
    #[must_use]
    pub fn ahead(self, iterations: u32) -> Settings {
        Settings { ahead: iterations, ..self }
    }

    /// The same, with this lag.
    #[must_use]
    pub fn lag(self, iterations: u64) -> Settings {
        Settings { lag: iterations, ..self }
    }

    /// The same, with so many spares, each with a weight of 1.
    #[must_use]
    pub fn spares(mut self, spares: u8) -> Settings {
        self.weights.resize(usize::from(self.replicas) + usize::from(spares), 1);
        Settings { spares, ..self }
    }

    /// The same, with these weights, one for each replica and each spare.
    #[must_use]
    pub fn weights(self, weights: impl Into<Vec<u32>>) -> Settings {
        Settings { weights: weights.into(), ..self }
    }

    /// How many values a ring between two replicas has room for: two queues.
    pub(crate) fn ring(&self) -> u32 {
        self.queue.saturating_mul(2).max(4)
    }

    /// The weight of these together.
    pub(crate) fn weight_of(&self, replicas: Replicas) -> u64 {
        replicas.iter().map(|replica| u64::from(self.weights[replica.index()])).sum()
    }

    /// All numbers that a replica may have.
    pub(crate) fn places(&self) -> usize {
        usize::from(self.replicas) + usize::from(self.spares)
    }

    /// Whether such a voter can be.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.replicas < 2 {
            return Err(SettingsError::Replicas { replicas: self.replicas });
        }
        if self.places() > usize::from(ReplicaNumber::MOST) {
            return Err(SettingsError::TooMany { places: self.places() });
        }
        if self.queue == 0 || self.queue > MOST_ROWS {
            return Err(SettingsError::Queue { rows: self.queue });
        }
        if self.queue as usize * self.places() > MOST_VALUES {
            return Err(SettingsError::Memory { rows: self.queue, places: self.places() });
        }
        if self.ahead == 0 || self.ahead > self.queue {
            return Err(SettingsError::Ahead { ahead: self.ahead, queue: self.queue });
        }
        if self.lag == 0 {
            return Err(SettingsError::Lag);
        }
        if self.weights.len() != self.places() {
            let (places, weights) = (self.places(), self.weights.len());
            return Err(SettingsError::Weights { places, weights });
        }
        match self.weights.iter().position(|weight| *weight == 0) {
            Some(place) => Err(SettingsError::NoWeight { place }),
            None => Ok(()),
        }
    }
}

/// The longest queue.
pub(crate) const MOST_ROWS: u32 = 1 << 20;

/// The most values that a voter keeps.
const MOST_VALUES: usize = 1 << 22;

/// Why a voter cannot be so.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SettingsError {
    /// None or one: there is nothing to vote on.
    Replicas {
        /// How many were asked.
        replicas: u8,
    },
    /// More replicas and spares than there may be.
    TooMany {
        /// How many were asked.
        places: usize,
    },
    /// A queue without rows, or with too many.
    Queue {
        /// How many were asked.
        rows: u32,
    },
    /// More values than a voter keeps.
    Memory {
        /// Rows.
        rows: u32,
        /// Replicas and spares.
        places: usize,
    },
    /// No row, or more than there are, may be ahead.
    Ahead {
        /// How many were asked.
        ahead: u32,
        /// How many rows there are.
        queue: u32,
    },
    /// A lag of 0: each replica but the first would be faulty.
    Lag,
    /// Not one weight for each replica and spare.
    Weights {
        /// Replicas and spares.
        places: usize,
        /// Weights.
        weights: usize,
    },
    /// A replica whose word weighs nothing.
    NoWeight {
        /// Its place.
        place: usize,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Replicas { replicas } => write!(
                f,
                "{replicas} replicas cannot vote; two notice an error, three outvote one, 2 f + 1 outvote f"
            ),
            SettingsError::TooMany { places } => {
                write!(
                    f,
                    "{places} replicas and spares; at most {} are possible",
                    ReplicaNumber::MOST
                )
            }
            SettingsError::Queue { rows } => {
                write!(f, "a queue of {rows} rows; allowed: 1 (synchronous voting) to {MOST_ROWS}")
            }
            SettingsError::Memory { rows, places } => write!(
                f,
                "{rows} rows for {places} replicas and spares; at most {MOST_VALUES} values are kept, so {} rows",
                MOST_VALUES / places
            ),
            SettingsError::Ahead { ahead, queue } => {
                write!(
                    f,
                    "{ahead} iterations ahead with a queue of {queue} rows; allowed: 1 to {queue}"
                )
            }
            SettingsError::Lag => {
                write!(
                    f,
                    "with a lag of 0 every replica but the fastest is faulty; allowed: 1 or more"
                )
            }
            SettingsError::Weights { places, weights } => {
                write!(f, "{weights} weights for {places} replicas and spares; each has one")
            }
            SettingsError::NoWeight { place } => {
                write!(f, "replica {place} has weight 0; allowed: 1 or more, or leave it out")
            }
        }
    }
}

impl core::error::Error for SettingsError {}
