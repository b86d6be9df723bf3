//! Why there is no free pool within the limits.

use core::fmt;
use windfall_time::Span;

/// Why the slots of the free pool are not known, or which limit cannot be met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PoolError {
    /// Too little was measured.
    Unmeasured,
    /// Slots can be collected faster than a collection collects them.
    Behind {
        /// The cost of collecting a slot.
        each: Span,
        /// The time in which another one can be.
        between: Span,
    },
    /// Each collection takes longer than it may, however few slots are taken between two.
    Longest {
        /// The longest that it may take.
        longest: Span,
        /// The least that it takes.
        least: Span,
    },
    /// The time between two collections is too short, however many slots the pool has.
    Apart {
        /// The least time between two.
        apart: Span,
        /// The most slots that the pool may have.
        slots: u32,
        /// The time between two with these.
        most: Span,
    },
    /// Each limit can be met, but not both: so long after the last one, a collection takes too long.
    Both {
        /// The longest that it may take.
        longest: Span,
        /// The least time between two.
        apart: Span,
        /// The cost of one after that time.
        needed: Span,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PoolError::Unmeasured => {
                f.write_str("costs are not known yet; admit more tasks before asking")
            }
            PoolError::Behind { each, between } => write!(
                f,
                "collection takes {each} for each slot, and another one can be collected each {between}; admit fewer tasks"
            ),
            PoolError::Longest { longest, least } => {
                write!(f, "a collection takes at least {least}; it may take {longest}")
            }
            PoolError::Apart { apart, slots, most } => write!(
                f,
                "{slots} slots last {most} at most, and collections must be {apart} apart; allow more slots"
            ),
            PoolError::Both { longest, apart, needed } => write!(
                f,
                "a collection takes {needed} when it is {apart} after the last one; it may take {longest}"
            ),
        }
    }
}

impl core::error::Error for PoolError {}
