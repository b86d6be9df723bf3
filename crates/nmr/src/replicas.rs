//! Which replica, which iteration, and sets of replicas.

use core::fmt;

/// A replica of a computation, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReplicaNumber(pub u8);

impl ReplicaNumber {
    /// As many replicas as there may be, spares included.
    pub const MOST: u8 = 64;

    /// As a place in a table.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ReplicaNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "replica {}", self.0)
    }
}

/// The number of a step of the computation, counted from 1; 0 is the state before the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Iteration(pub u64);

impl Iteration {
    /// The last one that a voter takes. Nothing that is reckoned with iterations overflows.
    pub const LAST: Iteration = Iteration(u64::MAX / 2);

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Iteration {
        Iteration(self.0.saturating_add(1))
    }
}

impl fmt::Display for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "iteration {}", self.0)
    }
}

/// A set of replicas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Replicas(u64);

impl Replicas {
    /// None of them.
    pub const NONE: Replicas = Replicas(0);

    /// The first so many; at most [`ReplicaNumber::MOST`].
    #[must_use]
    pub const fn first(count: u8) -> Replicas {
        if count >= 64 { Replicas(u64::MAX) } else { Replicas((1 << count) - 1) }
    }

    /// Whether it has this one.
    #[must_use]
    pub const fn has(self, replica: ReplicaNumber) -> bool {
        replica.0 < 64 && self.0 & (1 << replica.0) != 0
    }

    /// The same, with this one.
    #[must_use]
    pub const fn with(self, replica: ReplicaNumber) -> Replicas {
        if replica.0 < 64 { Replicas(self.0 | (1 << replica.0)) } else { self }
    }

    /// The same, without this one.
    #[must_use]
    pub const fn without(self, replica: ReplicaNumber) -> Replicas {
        if replica.0 < 64 { Replicas(self.0 & !(1 << replica.0)) } else { self }
    }

    /// Those in both.
    #[must_use]
    pub const fn and(self, other: Replicas) -> Replicas {
        Replicas(self.0 & other.0)
    }

    /// Those in one of them.
    #[must_use]
    pub const fn or(self, other: Replicas) -> Replicas {
        Replicas(self.0 | other.0)
    }

    /// Those that are not in the other.
    #[must_use]
    pub const fn but(self, other: Replicas) -> Replicas {
        Replicas(self.0 & !other.0)
    }

    /// How many.
    #[must_use]
    pub const fn count(self) -> u8 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
        let count = self.0.count_ones() as u8;
        count
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// From the lowest number on.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = ReplicaNumber> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            #[expect(clippy::cast_possible_truncation, reason = "below 64")]
            let first = left.trailing_zeros() as u8;
            left &= left - 1;
            Some(ReplicaNumber(first))
        })
    }
}

impl FromIterator<ReplicaNumber> for Replicas {
    fn from_iter<I: IntoIterator<Item = ReplicaNumber>>(all: I) -> Replicas {
        all.into_iter().fold(Replicas::NONE, Replicas::with)
    }
}

impl fmt::Debug for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|replica| replica.0)).finish()
    }
}

impl fmt::Display for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, replica) in self.iter().enumerate() {
            write!(f, "{}{}", if place == 0 { "" } else { ", " }, replica.0)?;
        }
        Ok(())
    }
}
