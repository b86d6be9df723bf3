//! Why a replica cannot take part, or has no vote.

use crate::states::MOST_BYTES;
use crate::turns::LEAST;
use crate::words::MOST;
use core::fmt;
use windfall_nmr::{Iteration, ReplicaNumber, Replicas, SettingsError};
use windfall_time::Span;

/// Why a replica cannot take part.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JoinError {
    /// Such a voter cannot be.
    Settings(SettingsError),
    /// Nobody tells processes when a spare is to take part.
    Spares {
        /// How many were asked.
        spares: u8,
    },
    /// Its number is none of theirs.
    NoSuchReplica {
        /// Which was asked.
        own: ReplicaNumber,
        /// How many there are.
        replicas: u8,
    },
    /// Its values have no words, or too many.
    Size {
        /// How many.
        words: usize,
    },
    /// A vote is not waited for, or so shortly that a lost message cannot be asked for.
    Patience {
        /// What was asked.
        patience: Span,
    },
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JoinError::Settings(error) => fmt::Display::fmt(error, f),
            JoinError::Spares { spares } => {
                write!(
                    f,
                    "{spares} spares; allowed: 0, since a replica that is restarted comes back by itself"
                )
            }
            JoinError::NoSuchReplica { own, replicas } => {
                write!(f, "{own} is none of the {replicas} replicas, counted from 0")
            }
            JoinError::Size { words } => {
                write!(
                    f,
                    "values of {words} words; allowed: 1 to {MOST}, and of larger ones their hash"
                )
            }
            JoinError::Patience { patience } => {
                write!(f, "a vote is waited for {patience}; allowed: {LEAST} or more")
            }
        }
    }
}

impl core::error::Error for JoinError {}

/// Why a replica has no vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VoteError {
    /// All differ, or no majority agreed as long as was waited for it.
    NoMajority {
        /// In which iteration.
        iteration: Iteration,
        /// Of whom nothing was heard meanwhile.
        silent: Replicas,
        /// Whose values have another size.
        other_size: Replicas,
    },
    /// Nobody served the state that was voted in time.
    NoState {
        /// In which iteration.
        iteration: Iteration,
    },
    /// A state is too large to be served.
    TooLarge {
        /// How many bytes it has.
        bytes: usize,
    },
    /// There are no iterations left.
    LastIteration,
}

impl fmt::Display for VoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VoteError::NoMajority { iteration, silent, other_size } => {
                write!(f, "no majority agreed in {iteration}")?;
                if !other_size.is_empty() {
                    write!(
                        f,
                        ", and the values of replicas {other_size} have another size; run the same program everywhere"
                    )?;
                }
                if silent.is_empty() {
                    return write!(f, ", and all others were heard of");
                }
                write!(
                    f,
                    ", and nothing was heard of replicas {silent}; are they started, and with the same addresses?"
                )
            }
            VoteError::NoState { iteration } => {
                write!(f, "nobody served the state that was voted in {iteration}")
            }
            VoteError::TooLarge { bytes } => {
                write!(f, "a state of {bytes} bytes; allowed: {MOST_BYTES}")
            }
            VoteError::LastIteration => {
                write!(f, "{} is the last one there can be", Iteration::LAST)
            }
        }
    }
}

impl core::error::Error for VoteError {}
