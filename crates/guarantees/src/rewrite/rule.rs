//! The rules by which a guarantee follows from another, and why one does not.

use crate::guarantee::{Guarantee, Type};
use core::fmt;

/// Why a step is allowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// The same guarantee.
    Same,
    /// A processor to itself is any share of it, at any time.
    Dedicated,
    /// A reservation of its whole period is a processor to itself (theorem 5.3).
    Whole,
    /// A hard reservation is a soft one.
    Soft,
    /// Every interval of the length of a period holds the amount, so that the scheduler's do.
    Continuous,
    /// A block at a fixed offset leaves the same amount in every interval of a period's length.
    Block,
    /// A synchronized block is a non-preemptive one.
    Unsynchronized,
    /// A reservation, without any part of an overrun partition.
    NoOverrun,
    /// Several periods in one.
    Periods,
    /// Theorem 5.2: RESBS x y is RESCS x (2y - x + c).
    Theorem52,
    /// The least supply in an interval of that length (Shin and Lee 2003; lemma 5.2 and 5.3).
    Supply,
    /// Theorem 5.4: RESCS x y is PSBE x/y (x/y)(y - x).
    Theorem54,
    /// Theorem 5.5: RESBS x y is PSBE x/y (x/y)2(y - x).
    Theorem55,
    /// Theorem 5.6: a reservation of x in y is PS x/y.
    Theorem56,
    /// Theorem 5.7: PSBE s d is RESCS (ys - d) y and RESBS (ys - d) y.
    Theorem57,
    /// A bound on the error is one in the long run: the share stays.
    LongRun,
    /// Less of the same.
    Less,
    /// Nothing is promised.
    Nothing,
}

impl Rule {
    /// Whether the resulting guarantee has the periods of the first, or several of them in one.
    pub(crate) const fn keeps_periods(self) -> bool {
        matches!(self, Rule::Same | Rule::Soft | Rule::Periods | Rule::Less)
    }

    /// The name, as explanations print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Same => "the same",
            Rule::Dedicated => "a whole processor",
            Rule::Whole => "all of the time (after theorem 5.3)",
            Rule::Soft => "hard is soft",
            Rule::Continuous => "continuous is basic",
            Rule::Block => "a block is continuous",
            Rule::Unsynchronized => "synchronized is non-preemptive",
            Rule::NoOverrun => "no overrun partition",
            Rule::Periods => "several periods in one",
            Rule::Theorem52 => "theorem 5.2",
            Rule::Supply => "least supply, after lemma 5.1",
            Rule::Theorem54 => "theorem 5.4",
            Rule::Theorem55 => "theorem 5.5",
            Rule::Theorem56 => "theorem 5.6",
            Rule::Theorem57 => "theorem 5.7",
            Rule::LongRun => "a bounded error vanishes in the long run",
            Rule::Less => "less of the same",
            Rule::Nothing => "anything is NULL",
        }
    }
}

/// One step of a rewriting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Step {
    /// Why it is allowed.
    pub rule: Rule,
    /// The guarantee that it gives.
    pub gives: Guarantee,
}

/// Why one guarantee does not follow from another.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RewriteError {
    /// No guarantee of that type follows from one of this type (`f` in table 5.2).
    Never {
        /// The type there is.
        from: Type,
        /// The type asked for.
        to: Type,
        /// Why not.
        because: &'static str,
    },
    /// The type fits, the numbers do not: this is the most that follows, of the parameters that
    /// were left as asked.
    TooMuch {
        /// The most of the asked type, where that is more than nothing.
        most: Option<Guarantee>,
    },
    /// The numbers are too fine to be computed exactly.
    TooFine,
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RewriteError::Never { from, to, because } => {
                write!(f, "{from} never becomes {to}: {because} (table 5.2)")
            }
            RewriteError::TooMuch { most: Some(most) } => write!(f, "it gives at most {most}"),
            RewriteError::TooMuch { most: None } => f.write_str("it gives nothing in that time"),
            RewriteError::TooFine => {
                f.write_str("its numbers are too fine to be computed exactly; use rounder ones")
            }
        }
    }
}
