//! Lengths of time, unsigned and signed.

use crate::Ratio;
use core::ops::{Add, AddAssign, Sub, SubAssign};

/// A length of time in nanoseconds, 0 to 2^64 - 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// The longest span.
    pub const MAX: Span = Span(u64::MAX);

    /// `ns` nanoseconds.
    #[must_use]
    pub const fn from_nanos(ns: u64) -> Span {
        Span(ns)
    }

    /// `us` microseconds; `None` past 2^64 ns.
    #[must_use]
    pub const fn from_micros(us: u64) -> Option<Span> {
        match us.checked_mul(1_000) {
            Some(ns) => Some(Span(ns)),
            None => None,
        }
    }

    /// `ms` milliseconds. For constants in code: stops the compiler, or the program, past 2^64 ns.
    #[must_use]
    pub const fn from_millis(ms: u32) -> Span {
        Span(ms as u64 * 1_000_000)
    }

    /// `s` seconds. For constants in code.
    #[must_use]
    pub const fn from_secs(s: u32) -> Span {
        Span(s as u64 * 1_000_000_000)
    }

    /// The period of a frequency in hertz, rounded down to a nanosecond; `None` for 0 Hz or when
    /// the frequency exceeds 1 GHz.
    #[must_use]
    pub fn of_frequency(hertz: u64) -> Option<Span> {
        1_000_000_000_u64.checked_div(hertz).filter(|ns| *ns > 0).map(Span)
    }

    /// Nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds, for showing only.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whether this is no time at all.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self + other`, or `None` past the range.
    #[must_use]
    pub fn checked_add(self, other: Span) -> Option<Span> {
        self.0.checked_add(other.0).map(Span)
    }

    /// `self - other`, or `None` when `other` is longer.
    #[must_use]
    pub fn checked_sub(self, other: Span) -> Option<Span> {
        self.0.checked_sub(other.0).map(Span)
    }

    /// `self + other`, or the longest span.
    #[must_use]
    pub fn saturating_add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }

    /// `self - other`, or zero when `other` is longer.
    #[must_use]
    pub fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }

    /// `self` times `n`, or the longest span.
    #[must_use]
    pub fn saturating_mul(self, n: u64) -> Span {
        Span(self.0.saturating_mul(n))
    }

    /// This many nanoseconds, or the longest span for more than 584 years, since no two instants are further apart.
    #[must_use]
    pub fn saturating_from_nanos(ns: u128) -> Span {
        u64::try_from(ns).map_or(Span::MAX, Span)
    }

    /// `self` times `n`, or `None` past the range.
    #[must_use]
    pub fn checked_mul(self, n: u64) -> Option<Span> {
        self.0.checked_mul(n).map(Span)
    }

    /// How many whole times `unit` fits; `None` when `unit` is zero.
    #[must_use]
    pub fn checked_div(self, unit: Span) -> Option<u64> {
        self.0.checked_div(unit.0)
    }

    /// `self / whole` as an exact rational; `None` when `whole` is zero.
    #[must_use]
    pub fn over(self, whole: Span) -> Option<Ratio> {
        Ratio::new(i128::from(self.0), i128::from(whole.0))
    }
}

impl Add for Span {
    type Output = Span;
    /// # Panics
    /// When the sum exceeds 2^64 ns.
    fn add(self, other: Span) -> Span {
        self.checked_add(other)
            .unwrap_or_else(|| panic!("span {self} + span {other} exceeds 2^64 ns"))
    }
}

impl Sub for Span {
    type Output = Span;
    /// # Panics
    /// When `other` is longer.
    fn sub(self, other: Span) -> Span {
        self.checked_sub(other)
            .unwrap_or_else(|| panic!("span {self} is shorter than span {other}"))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl SubAssign for Span {
    fn sub_assign(&mut self, other: Span) {
        *self = *self - other;
    }
}

/// A signed length of time in nanoseconds: laxity, lateness, lag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Slack(i64);

impl Slack {
    /// Neither early nor late.
    pub const ZERO: Slack = Slack(0);

    /// `ns` nanoseconds; negative means late.
    #[must_use]
    pub const fn from_nanos(ns: i64) -> Slack {
        Slack(ns)
    }

    /// Nanoseconds; negative means late.
    #[must_use]
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// `self - span`, or `None` past the range.
    #[must_use]
    pub fn checked_sub(self, span: Span) -> Option<Slack> {
        self.0.checked_sub_unsigned(span.as_nanos()).map(Slack)
    }

    /// The span, when not negative.
    #[must_use]
    pub fn to_span(self) -> Option<Span> {
        u64::try_from(self.0).ok().map(Span)
    }
}
