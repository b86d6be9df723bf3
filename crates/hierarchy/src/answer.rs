//! What a scheduler answers to a message, and to a child that comes.

use core::fmt;
use windfall_time::{Ratio, Span};

/// What a scheduler answers: it is done; or why not, and then nothing has changed.
pub type Answer = Result<(), AnswerError>;

/// Why a scheduler does not do what a message asks, or does not take a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AnswerError {
    /// It has no use for this message.
    NotUnderstood {
        /// The message's name.
        message: &'static str,
        /// What the scheduler takes instead.
        takes: &'static str,
    },
    /// It cannot hold more children than this.
    Full {
        /// The limit and where it comes from.
        limit: &'static str,
    },
    /// Admission: the share asked for exceeds what is left.
    NoRoom {
        /// What was asked for, as a share of the instance's supply.
        asked: Ratio,
        /// What is left.
        left: Ratio,
    },
    /// Admission: there is time enough, but nowhere in the plan a block that never meets another's.
    NoPlace {
        /// How long the block is.
        amount: Span,
        /// How often it comes.
        period: Span,
    },
    /// A parameter lies outside its range.
    OutOfRange {
        /// Which.
        what: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
    /// Another child already has what only one may have.
    Taken {
        /// What.
        what: &'static str,
    },
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::NotUnderstood { message, takes } => {
                write!(f, "message `{message}` means nothing here; this scheduler takes {takes}")
            }
            AnswerError::Full { limit } => write!(f, "no room for another child: {limit}"),
            AnswerError::NoRoom { asked, left } => {
                write!(
                    f,
                    "asked for {asked} of the processor, {left} is left; ask for at most that"
                )
            }
            AnswerError::NoPlace { amount, period } => write!(
                f,
                "a block of {amount} in every {period} meets others' wherever it begins; ask for less, or for a period \
                 that divides theirs or is divided by them"
            ),
            AnswerError::OutOfRange { what, allowed } => {
                write!(f, "{what} is out of range; allowed: {allowed}")
            }
            AnswerError::Taken { what } => write!(f, "{what} is already taken by another child"),
        }
    }
}

impl core::error::Error for AnswerError {}
