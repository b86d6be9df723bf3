//! A point on the host's monotonic time line.

use crate::{Slack, Span};
use core::ops::{Add, Sub};

/// Nanoseconds since the host's origin, which is unspecified but fixed for a run.
///
/// Range: 0 to 2^64 - 1 ns, which is 584 years.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Instant(u64);

impl Instant {
    /// The origin.
    pub const ZERO: Instant = Instant(0);
    /// The last representable instant; hosts never reach it.
    pub const MAX: Instant = Instant(u64::MAX);

    /// The instant `ns` nanoseconds after the origin.
    #[must_use]
    pub const fn from_nanos(ns: u64) -> Instant {
        Instant(ns)
    }

    /// The instant this many nanoseconds after the origin, or the last representable one, 584 years after it.
    #[must_use]
    pub fn saturating_from_nanos(ns: u128) -> Instant {
        u64::try_from(ns).map_or(Instant::MAX, Instant)
    }

    /// Nanoseconds since the origin.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// `self + span`, or `None` past the end of the range.
    #[must_use]
    pub fn checked_add(self, span: Span) -> Option<Instant> {
        self.0.checked_add(span.as_nanos()).map(Instant)
    }

    /// `self - span`, or `None` before the origin.
    #[must_use]
    pub fn checked_sub(self, span: Span) -> Option<Instant> {
        self.0.checked_sub(span.as_nanos()).map(Instant)
    }

    /// `self + span`, or [`Instant::MAX`] past the end: for timers that may lie beyond any run.
    #[must_use]
    pub fn saturating_add(self, span: Span) -> Instant {
        Instant(self.0.saturating_add(span.as_nanos()))
    }

    /// The span from `earlier` to `self`, or `None` when `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Instant) -> Option<Span> {
        self.0.checked_sub(earlier.0).map(Span::from_nanos)
    }

    /// The span from `earlier` to `self`, or zero when `earlier` is later.
    #[must_use]
    pub fn saturating_since(self, earlier: Instant) -> Span {
        Span::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The signed distance from `self` to `later`; negative when `later` has passed.
    ///
    /// `None` when the distance exceeds 2^63 - 1 ns (292 years).
    #[must_use]
    pub fn slack_until(self, later: Instant) -> Option<Slack> {
        let distance = i128::from(later.0) - i128::from(self.0);
        i64::try_from(distance).ok().map(Slack::from_nanos)
    }

    /// The first instant from `self` on, before `end`, for which `holds`, which holds for all after it; else `end`, or `self` if that is not before.
    ///
    /// ```
    /// use windfall_time::Instant;
    ///
    /// let [two, nine] = [2, 9].map(Instant::from_nanos);
    /// assert_eq!(two.first_to(nine, |at| at.as_nanos() * at.as_nanos() >= 30), Instant::from_nanos(6));
    /// assert_eq!(two.first_to(nine, |_| false), nine);
    /// ```
    #[must_use]
    pub fn first_to(self, end: Instant, holds: impl Fn(Instant) -> bool) -> Instant {
        let (mut low, mut high) = (self.0, end.0);
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(Instant(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Instant(low)
    }
}

impl Add<Span> for Instant {
    type Output = Instant;
    /// # Panics
    /// When the sum lies past the end of the range.
    fn add(self, span: Span) -> Instant {
        self.checked_add(span)
            .unwrap_or_else(|| panic!("instant {self} + span {span} exceeds 2^64 ns"))
    }
}

impl Sub for Instant {
    type Output = Span;
    /// # Panics
    /// When `earlier` is later than `self`.
    fn sub(self, earlier: Instant) -> Span {
        self.since(earlier)
            .unwrap_or_else(|| panic!("instant {self} lies before instant {earlier}"))
    }
}

impl Sub<Span> for Instant {
    type Output = Instant;
    /// # Panics
    /// When the difference lies before the origin.
    fn sub(self, span: Span) -> Instant {
        self.checked_sub(span)
            .unwrap_or_else(|| panic!("instant {self} - span {span} lies before the origin"))
    }
}
