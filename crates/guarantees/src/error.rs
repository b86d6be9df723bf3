//! Why a text is no guarantee and no length of time.
//!
//! Invariant: each message says what is wrong with the text and what would be right.

use crate::guarantee::Type;
use crate::length::Length;
use alloc::string::String;
use core::fmt;
use windfall_time::{ParseError, Ratio};

/// Why a text is no [`Length`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LengthError {
    /// The number in this text, or its unit, cannot be read.
    Unreadable(String, ParseError),
    /// A fraction without a unit behind it.
    Fraction(String),
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LengthError::Unreadable(text, why) => write!(f, "`{text}`: {why}"),
            LengthError::Fraction(text) => {
                write!(f, "`{text}`: a fraction of a time is written as `100/3ms`")
            }
        }
    }
}

impl core::error::Error for LengthError {}

/// Why a text is no [`Guarantee`](crate::Guarantee).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GuaranteeError {
    /// It begins with a word that names no guarantee.
    UnknownName(String),
    /// Too many or too few parameters for this type.
    Parameters(Type),
    /// A parameter is no length of time.
    Length(LengthError),
    /// A parameter is no share.
    Share(String),
    /// A share that is not above 0.
    NoShare(Ratio),
    /// A share above 1, where the guarantee is for one virtual processor.
    ShareAboveOne(Ratio),
    /// An amount of nothing, or of more than its period.
    Amount {
        /// The amount.
        amount: Length,
        /// The period.
        period: Length,
    },
    /// An overrun partition longer than its period.
    Overrun {
        /// The overrun partition.
        overrun: Length,
        /// The period.
        period: Length,
    },
}

impl fmt::Display for GuaranteeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuaranteeError::UnknownName(name) => {
                write!(f, "unknown guarantee `{name}`; allowed: {FORMS}")
            }
            GuaranteeError::Parameters(kind) => match form(*kind) {
                (0, _) => write!(f, "`{kind}` takes nothing after it"),
                (_, form) => write!(f, "`{kind}` takes {form}"),
            },
            GuaranteeError::Length(why) => why.fmt(f),
            GuaranteeError::Share(text) => {
                write!(f, "`{text}` is not a share; write `3/10` or `0.3`")
            }
            GuaranteeError::NoShare(share) => {
                write!(f, "share {share} is out of range; allowed: above 0, at most 1")
            }
            GuaranteeError::ShareAboveOne(share) => write!(
                f,
                "share {share} is out of range; allowed: above 0, at most 1, for one virtual processor \
                 never runs on two processors at once"
            ),
            GuaranteeError::Amount { amount, period } => write!(
                f,
                "amount {amount} is out of range; allowed: above 0, at most the period {period}"
            ),
            GuaranteeError::Overrun { overrun, period } => write!(
                f,
                "overrun partition {overrun} is out of range; allowed: at most the period {period}"
            ),
        }
    }
}

impl core::error::Error for GuaranteeError {}

impl From<LengthError> for GuaranteeError {
    fn from(why: LengthError) -> GuaranteeError {
        GuaranteeError::Length(why)
    }
}

const FORMS: &str = "ALL, RESU r, RESBH x y, RESBS x y, RESCH x y, RESCS x y, RESPS x y z, RESNH x y, \
                     RESSH x y z, PSBE s d, PS s, NULL";

/// How many parameters a type has, and what they are.
pub(crate) const fn form(kind: Type) -> (usize, &'static str) {
    match kind {
        Type::All | Type::Null => (0, ""),
        Type::Resu => (1, "a share, as `RESU 1/2`"),
        Type::Ps => (1, "a share, as `PS 3/10`"),
        Type::Psbe => (2, "a share and a time, as `PSBE 3/10 35ms`"),
        Type::Resps => (3, "three times, as `RESPS 5ms 33ms 10ms`"),
        Type::Ressh => (3, "three times, as `RESSH 2ms 16ms 1ms`"),
        _ => (2, "two times, as `RESBH 3ms 10ms`"),
    }
}
