//! Rules: when the values of an iteration come to a vote, and which value that is.
//!
//! A rule is one file. It sees a row, says whose value is voted, and later who disagrees with it.

mod majority;
mod median;
mod plurality;

pub use majority::Majority;
pub use median::Median;
pub use plurality::Plurality;

use crate::{ReplicaNumber, Replicas};

/// Whether two values are the same, as far as a vote goes.
///
/// ```
/// use windfall_nmr::{Agreement, Exact, Within};
///
/// assert!(!Exact.agree(&7, &8));
/// assert!(Within::words(2).agree(&7, &8));
///
/// /// Texts agree whatever their case is.
/// struct AnyCase;
///
/// impl Agreement<&str> for AnyCase {
///     const IS_EQUALITY: bool = true;
///     fn agree(&self, one: &&str, other: &&str) -> bool {
///         one.eq_ignore_ascii_case(other)
///     }
/// }
///
/// assert!(AnyCase.agree(&"Go", &"go"));
/// ```
pub trait Agreement<V> {
    /// Whether values that agree with a third agree with each other.
    const IS_EQUALITY: bool = false;

    /// Symmetric. A value that does not agree with itself supports nothing, as NaN.
    fn agree(&self, one: &V, other: &V) -> bool;
}

/// Values agree when they are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Exact;

impl<V: PartialEq> Agreement<V> for Exact {
    const IS_EQUALITY: bool = true;

    fn agree(&self, one: &V, other: &V) -> bool {
        one == other
    }
}

/// Values agree when they differ by at most so much, which must be as much as correct values differ. Three values may agree in pairs without agreeing all, so what is voted may be a faulty replica's value that is within the tolerance of a correct one's, and two voters may vote different
/// such values. No correct replica is called wrong for that.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Within<V>(V);

impl Within<f64> {
    /// With this tolerance, in the unit of the values.
    ///
    /// # Errors
    /// When it is negative, infinite or NaN: then it says nothing about values.
    pub fn new(tolerance: f64) -> Result<Within<f64>, RuleError> {
        if tolerance.is_finite() && tolerance >= 0.0 {
            Ok(Within(tolerance))
        } else {
            Err(RuleError::Tolerance { tolerance })
        }
    }
}

impl Agreement<f64> for Within<f64> {
    fn agree(&self, one: &f64, other: &f64) -> bool {
        (one - other).abs() <= self.0 || (one == other)
    }
}

impl Within<u64> {
    /// With this tolerance, in the unit of the values.
    #[must_use]
    pub const fn words(tolerance: u64) -> Within<u64> {
        Within(tolerance)
    }
}

impl Agreement<u64> for Within<u64> {
    fn agree(&self, one: &u64, other: &u64) -> bool {
        one.abs_diff(*other) <= self.0
    }
}

/// Why a rule cannot be.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum RuleError {
    /// A tolerance that is no distance.
    Tolerance {
        /// The request.
        tolerance: f64,
    },
}

impl core::fmt::Display for RuleError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            RuleError::Tolerance { tolerance } => {
                write!(f, "a tolerance of {tolerance} is no distance; allowed: 0 or more, finite")
            }
        }
    }
}

impl core::error::Error for RuleError {}

/// The values of one iteration, as far as they have come.
#[derive(Debug)]
pub struct Row<'a, V> {
    pub(crate) values: &'a [Option<V>],
    pub(crate) weights: &'a [u32],
    pub(crate) present: Replicas,
    pub(crate) active: Replicas,
    pub(crate) came: Option<ReplicaNumber>,
    pub(crate) weight: u64,
    pub(crate) total: u64,
}

impl<V> Row<'_, V> {
    /// The replicas whose values are there.
    #[must_use]
    pub const fn present(&self) -> Replicas {
        self.present
    }

    /// The replicas whose values may still come.
    #[must_use]
    pub const fn outstanding(&self) -> Replicas {
        self.active.but(self.present)
    }

    /// The replica whose value has just come; `None` when no more are waited for, or a replica has left: then all count anew.
    #[must_use]
    pub const fn came(&self) -> Option<ReplicaNumber> {
        self.came
    }

    /// The value of a replica, if it is there.
    #[must_use]
    #[inline(always)]
    pub fn value(&self, replica: ReplicaNumber) -> Option<&V> {
        self.values.get(replica.index())?.as_ref()
    }

    /// The weight of a replica.
    #[must_use]
    pub fn weight(&self, replica: ReplicaNumber) -> u64 {
        self.weights.get(replica.index()).map_or(0, |weight| u64::from(*weight))
    }

    /// The weight of these together.
    #[must_use]
    #[inline(always)]
    pub fn weight_of(&self, replicas: Replicas) -> u64 {
        replicas.iter().map(|replica| self.weight(replica)).sum()
    }

    /// The weight of those that are there.
    #[must_use]
    pub const fn weight_present(&self) -> u64 {
        self.weight
    }

    /// The weight of all, be they there or not.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Those that are there and agree with this one's value.
    #[inline(always)]
    pub fn supporters(&self, of: ReplicaNumber, agreement: &impl Agreement<V>) -> Replicas {
        let Some(value) = self.value(of) else { return Replicas::NONE };
        let mut supporters = Replicas::NONE;
        for replica in self.present.iter() {
            if self.value(replica).is_some_and(|other| agreement.agree(value, other)) {
                supporters = supporters.with(replica);
            }
        }
        supporters
    }
}

/// How a row comes to a vote.
///
/// ```
/// use windfall_nmr::{Iteration, ReplicaNumber, Replicas, Report, Row, Rule, Settings, Voter};
///
/// /// The first value that comes is voted, by itself.
/// #[derive(Clone)]
/// struct First;
///
/// impl Rule<u64> for First {
///     fn decide(&self, row: &Row<'_, u64>, _: bool) -> Option<(ReplicaNumber, Replicas)> {
///         let first = row.present().iter().next()?;
///         Some((first, Replicas::NONE.with(first)))
///     }
///     fn is_right(&self, value: &u64, voted: &u64) -> bool {
///         value == voted
///     }
/// }
///
/// let mut voter: Voter<u64, First> = Voter::new(&Settings::new(3), First)?;
/// let mut voted = None;
/// voter.receive(ReplicaNumber(1), Iteration(1), 42, |report| {
///     if let Report::Voted { value, .. } = report {
///         voted = Some(*value);
///     }
/// });
/// assert_eq!(voted, Some(42));
/// # Ok::<(), windfall_nmr::SettingsError>(())
/// ```
pub trait Rule<V> {
    /// Whether a value is voted as soon as those that are right by it weigh more than half, and not before, and all that are right by one value are right by each other. Then votes on values that are equal take a shorter way.
    const EQUALS_DECIDE: bool = false;

    /// The replica whose value is voted, and those present that agree with it; `None` while that is open. `last`: no more values are waited for, so it is now or never.
    fn decide(&self, row: &Row<'_, V>, last: bool) -> Option<(ReplicaNumber, Replicas)>;

    /// Whether a value agrees with another that was voted, or agreed with what was.
    fn is_right(&self, value: &V, voted: &V) -> bool;
}
