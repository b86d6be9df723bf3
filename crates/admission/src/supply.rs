//! The processor time that is sure below a scheduler: a rate and a latency, and times on it (decision 0029).
//!
//! A deadline d has the place a (d - g), rounded down. An owner that stays runnable surely receives, until d, its place less a *position*, rounded up: the least of a s + received(s, now)
//! for all s since it became runnable. So a list of slots whose deadlines are places, and whose time is the position, promises no more than is sure.

use crate::HORIZON;
use core::fmt;
use windfall_time::{Instant, Span};

/// At least (d - latency) x amount / period of processor time in any window of length d in which its holder is runnable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Supply {
    amount: u64,
    period: u64,
    latency: Span,
}

/// Why there is no such supply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SupplyError {
    /// It gives nothing.
    Nothing,
    /// It gives more than one processor has.
    AboveWhole {
        /// The processor time in each period.
        amount: Span,
        /// The length of a period.
        period: Span,
    },
    /// It may give nothing until beyond [`HORIZON`].
    TooLate {
        /// The longest time without a processor.
        latency: Span,
    },
}

impl fmt::Display for SupplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SupplyError::Nothing => {
                f.write_str("a supply of no processor time promises nothing; it must be above zero")
            }
            SupplyError::AboveWhole { amount, period } => {
                write!(f, "{amount} in every {period} is more than a processor; at most {period}")
            }
            SupplyError::TooLate { latency } => {
                let most = HORIZON.saturating_since(Instant::ZERO);
                write!(f, "a supply may be away for {latency}; at most {most} can be counted")
            }
        }
    }
}

impl core::error::Error for SupplyError {}

impl Supply {
    /// A whole processor: all the time that passes is received.
    pub const WHOLE: Supply = Supply { amount: 1, period: 1, latency: Span::ZERO };

    /// `amount` in every `period` in the long run, and nothing for `latency` at most.
    ///
    /// # Errors
    /// When it gives nothing or more than a processor, or when nothing is sure before [`HORIZON`].
    pub const fn new(amount: Span, period: Span, latency: Span) -> Result<Supply, SupplyError> {
        if amount.is_zero() {
            return Err(SupplyError::Nothing);
        }
        let (x, y) = (amount.as_nanos(), period.as_nanos());
        if x > y {
            return Err(SupplyError::AboveWhole { amount, period });
        }
        if latency.as_nanos() >= HORIZON.as_nanos() {
            return Err(SupplyError::TooLate { latency });
        }
        Ok(Supply { amount: x, period: y, latency })
    }

    /// The time that a reservation of `amount` in each period surely gives, wherever in its periods it comes (`RESBS amount period`, HLS 5.3.1.2): the longest time without is twice the rest of a period.
    ///
    /// # Errors
    /// As for [`Supply::new`].
    pub fn reservation(amount: Span, period: Span) -> Result<Supply, SupplyError> {
        let latency = period.saturating_sub(amount);
        let twice = latency.checked_mul(2).ok_or(SupplyError::TooLate { latency })?;
        Supply::new(amount, period, twice)
    }

    /// The processor time in each period.
    #[must_use]
    pub const fn amount(self) -> Span {
        Span::from_nanos(self.amount)
    }

    /// The length of a period.
    #[must_use]
    pub const fn period(self) -> Span {
        Span::from_nanos(self.period)
    }

    /// The longest time without a processor.
    #[must_use]
    pub const fn latency(self) -> Span {
        self.latency
    }

    /// The place of a deadline, rounded down.
    #[must_use]
    pub fn place(self, deadline: Instant) -> Instant {
        let after = deadline.checked_sub(self.latency).unwrap_or(Instant::ZERO);
        let product = u128::from(after.as_nanos()) * u128::from(self.amount);
        Instant::saturating_from_nanos(product / u128::from(self.period))
    }

    /// The earliest deadline with this place or a later one; `None` if no clock shows it.
    #[must_use]
    pub fn deadline(self, place: Instant) -> Option<Instant> {
        let product = u128::from(place.as_nanos()) * u128::from(self.period);
        let after = u64::try_from(product.div_ceil(u128::from(self.amount))).ok()?;
        Instant::from_nanos(after).checked_add(self.latency)
    }

    /// The most that the position can be: that of somebody who becomes runnable now.
    #[must_use]
    pub fn position(self, now: Instant) -> Instant {
        let product = u128::from(now.as_nanos()) * u128::from(self.amount);
        // At most `now`, since no supply is more than a processor.
        Instant::saturating_from_nanos(product.div_ceil(u128::from(self.period)))
    }

    /// The least that the position can be while the supply holds.
    #[must_use]
    pub fn least_position(self, now: Instant) -> Instant {
        self.position(now.checked_sub(self.latency).unwrap_or(Instant::ZERO))
    }

    /// The last time at which [`position`](Self::position) is at most this; `None` if no clock shows it.
    #[must_use]
    pub fn last_with_position(self, position: Instant) -> Option<Instant> {
        let product = u128::from(position.as_nanos()) * u128::from(self.period);
        let last = u64::try_from(product / u128::from(self.amount)).ok()?;
        Some(Instant::from_nanos(last))
    }
}
