//! Processor affinity (HLS 4.3.7.2, 7.1): a setting of the schedulers that share several processors.
//!
//! A child goes back to the own VP on which it last ran (its home) if no other child is ahead of it by more than a head
//! start. A scheduler of shares gives a head start in service, so that a child at home may run that much beyond its fair
//! share; a queue gives it in places, and a child that had its turn early comes later next time (`line.rs`). So in the
//! long run no child gets less. On one own VP nothing changes.
//!
//! Own VPs stand for processors, because the top always grants a VP the same processor, and schedulers with affinity
//! preserve this at every level. A child that wakes, or has never run, is at home everywhere: it waits for no child that it
//! would otherwise precede. Source: Chandra, Adler, Goyal and Shenoy 2000, section 3.2 (whose heuristic looks at the first
//! few of a queue; this code at the first of each home).

use windfall_time::Span;

words! {
    /// How strongly a child is kept on the own VP on which it last ran.
    pub enum Affinity {
        /// Not at all.
        None = "none",
        /// Also when others are ahead by less than the head start.
        Strong = "strong",
        /// Among children that are otherwise equal.
        Weak = "weak",
    }
}

/// Number of quanta that a child may be ahead of others and still go before them at home.
pub(crate) const HEAD_START: u64 = 2;

/// Places in a queue, for each processor, that a child may overtake at home.
const PLACES: u64 = 4;

impl Affinity {
    /// The head start of a scheduler of shares, in time that a child receives.
    pub(crate) fn head_start(self, quantum: Span) -> Span {
        match self {
            Affinity::None | Affinity::Weak => Span::ZERO,
            Affinity::Strong => quantum.saturating_mul(HEAD_START),
        }
    }

    /// Number of quanta that a child of one of several processors may run before others are considered.
    pub(crate) const fn quanta(self) -> u64 {
        match self {
            Affinity::None | Affinity::Weak => 1,
            Affinity::Strong => 1 + HEAD_START,
        }
    }

    /// The head start in a queue of children that take turns on so many processors; on one there is none.
    pub(crate) const fn places(self, owns: usize) -> u64 {
        match self {
            _ if owns < 2 => 0,
            Affinity::None => 0,
            Affinity::Weak => (owns as u64).saturating_sub(1),
            Affinity::Strong => (owns as u64).saturating_mul(PLACES),
        }
    }
}
