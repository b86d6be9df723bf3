//! A window of a run, what came of judging a guarantee in windows, and the exact arithmetic of both.

use crate::length::Length;
use windfall_time::Ratio;

/// A window of time, with the amounts promised and received in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Window {
    /// Its beginning, as time since the origin of time.
    pub from: Length,
    /// Its end; equal to the beginning when there is no worst window.
    pub to: Length,
    /// Processor time that the guarantee promises in a window of this length (where a limit was
    /// exceeded: the most that it allows).
    pub promised: Length,
    /// Processor time that was received.
    pub received: Length,
}

/// Whether a guarantee was kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// In all windows.
    Kept {
        /// Reservations, `RESU`: the least excess of the amount received over the amount promised.
        /// `PSBE s d`: how much smaller d could have been. Pieces, `ALL`: zero.
        margin: Length,
        /// Where the margin is least.
        worst: Window,
        /// The number of disjoint windows that were long enough to promise something.
        tested: u64,
    },
    /// A promise about the long run that no finite run can keep: it was not refuted.
    NotRefuted {
        /// The excess of the worst stretch over the promise less the allowance.
        margin: Length,
        /// The worst stretch; what is promised is without the allowance.
        worst: Window,
        /// The allowance of that stretch.
        allowance: Length,
        /// The number of stretches that were long enough.
        tested: u64,
    },
    /// Less than promised was received.
    Broken {
        /// By how much, in the worst window.
        short: Length,
        /// The worst window.
        worst: Window,
        /// As for `Kept`.
        tested: u64,
    },
    /// More than a hard reservation allows was received.
    Exceeded {
        /// By how much, in the worst window.
        by: Length,
        /// The worst window.
        worst: Window,
        /// As for `Kept`.
        tested: u64,
    },
    /// Nothing was promised in any window.
    NeverTested,
}

impl Verdict {
    /// Whether the guarantee was broken, from below or from above.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        matches!(self, Verdict::Broken { .. } | Verdict::Exceeded { .. })
    }

    /// How many disjoint windows put the guarantee to the test.
    #[must_use]
    pub const fn tested(&self) -> u64 {
        match self {
            Verdict::Kept { tested, .. }
            | Verdict::NotRefuted { tested, .. }
            | Verdict::Broken { tested, .. }
            | Verdict::Exceeded { tested, .. } => *tested,
            Verdict::NeverTested => 0,
        }
    }

    /// The worst window, where there is one.
    #[must_use]
    pub fn worst(&self) -> Option<Window> {
        match self {
            Verdict::Kept { worst, .. }
            | Verdict::NotRefuted { worst, .. }
            | Verdict::Broken { worst, .. }
            | Verdict::Exceeded { worst, .. } => Some(*worst).filter(|w| w.from < w.to),
            Verdict::NeverTested => None,
        }
    }
}

/// Denominators up to here: with times below 2^64 nothing leaves 128 bits.
pub(super) const FINEST: i128 = 1 << 28;

/// A number of windows that were tested. It says how well a promise was: more than 64 bits count are as good as that.
pub(super) fn counted(windows: i128) -> u64 {
    windows.clamp(0, i128::from(u64::MAX)).try_into().expect("it is between the two")
}

/// The least common denominator, if it is not too fine.
pub(super) fn common(lengths: &[Length]) -> Option<i128> {
    let mut common: i128 = 1;
    for length in lengths {
        let below = length.as_nanos().denominator();
        let (mut a, mut b) = (common, below);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        common = common.checked_div(a)?.checked_mul(below).filter(|all| *all <= FINEST)?;
    }
    Some(common)
}

/// A length in units of `1/scale` nanoseconds, where that is whole and less than 2^64 ns.
pub(super) fn scaled(length: Length, scale: i128) -> Option<i128> {
    let ratio = length.as_nanos();
    let limit = scale.checked_mul(1 << 64)?;
    let units = ratio.numerator().checked_mul(scale.checked_div(ratio.denominator())?)?;
    (units < limit).then_some(units)
}

/// The length of that many units of `1/scale` nanoseconds.
pub(super) fn unscaled(units: i128, scale: i128) -> Length {
    length(Ratio::new(units, scale).unwrap_or(Ratio::ZERO))
}

/// A length that is known not to be negative.
pub(super) fn length(nanos: Ratio) -> Length {
    Length::from_nanos(nanos).unwrap_or(Length::ZERO)
}
