//! Supply: the least processor time in any window of a given length, and its inverse.
//!
//! Invariants: `least(0)` is 0; `least` never decreases, never grows faster than time, and is
//! superadditive; `window(w)` is the shortest window that surely holds `w`, so that
//! `least(t) >= w` exactly when `window(w) <= t`. All of it in integers; what is not whole
//! nanoseconds is rounded towards less supply, and only shares round at all.
//!
//! Assumptions: A1 the owner is runnable throughout the window. A2 one processor. A3 overheads are
//! inside the amount. Absent on purpose: the most that a window may hold.
//!
//! Sources: Shin and Lee 2003 (periodic resource); Easwaran, Anand and Lee 2007 (explicit
//! deadline); Jones et al. 1997 (continuous reservations); HLS 5.2.2. Read next: `local.rs`.

use crate::SupplyError;
use windfall_time::{Ratio, Span};

/// The least processor time in any window of a given length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Supply(Shape);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Shape {
    All,
    /// Nothing for `gap`, then `amount` at the start of every `period`; 0 < amount < period.
    Blocks {
        gap: u64,
        amount: u64,
        period: u64,
    },
    /// `share_above / share_below` of the window less `error`; 0 < share <= 1.
    Share {
        above: u64,
        below: u64,
        error: u64,
    },
    Nothing,
}

impl Supply {
    /// A processor to itself (`ALL`): the whole window.
    #[must_use]
    pub const fn all() -> Supply {
        Supply(Shape::All)
    }

    /// No promise at all (`NULL`; `PS`, whose window is not bounded): nothing.
    #[must_use]
    pub const fn nothing() -> Supply {
        Supply(Shape::Nothing)
    }

    /// `amount` somewhere in each period (`RESB`): the longest gap is `2 (period - amount)`.
    ///
    /// # Errors
    /// When the amount exceeds the period, the period is zero, or the gap exceeds 2^64 ns.
    pub fn basic(amount: Span, period: Span) -> Result<Supply, SupplyError> {
        Supply::explicit_deadline(amount, period, period)
    }

    /// `amount` in every window of length `period` (`RESC`): the longest gap is `period - amount`.
    ///
    /// A single block at the same offset in each period (`RESN`, `RESS`) supplies as much, so this
    /// stands for both.
    ///
    /// # Errors
    /// When the amount exceeds the period, or the period is zero.
    pub fn continuous(amount: Span, period: Span) -> Result<Supply, SupplyError> {
        let gap = period.checked_sub(amount).ok_or(SupplyError::AmountTooLarge)?;
        Supply::blocks(gap.as_nanos(), amount, period)
    }

    /// `amount` within `deadline` of the start of each period (Easwaran et al. 2007): the longest
    /// gap is `period + deadline - 2 amount`.
    ///
    /// # Errors
    /// Unless `amount <= deadline <= period`, the period is above zero, and the gap is within 2^64 ns.
    pub fn explicit_deadline(
        amount: Span,
        deadline: Span,
        period: Span,
    ) -> Result<Supply, SupplyError> {
        let (x, d, y) = (amount.as_nanos(), deadline.as_nanos(), period.as_nanos());
        if d > y {
            return Err(SupplyError::DeadlineAbovePeriod);
        }
        let before = d.checked_sub(x).ok_or(SupplyError::AmountTooLarge)?;
        let gap = before.checked_add(y - x).ok_or(SupplyError::TooLong)?;
        Supply::blocks(gap, amount, period)
    }

    const fn blocks(gap: u64, amount: Span, period: Span) -> Result<Supply, SupplyError> {
        let (amount, period) = (amount.as_nanos(), period.as_nanos());
        match amount {
            _ if period == 0 => Err(SupplyError::ZeroPeriod),
            0 => Ok(Supply::nothing()),
            _ if amount == period => Ok(Supply::all()),
            _ => Ok(Supply(Shape::Blocks { gap, amount, period })),
        }
    }

    /// `share` of every window less `error` (`PSBE`), rounded down to whole nanoseconds.
    ///
    /// With no error this is a uniformly slower processor (`RESU`) for an owner that looks at it at
    /// its own deadlines only.
    ///
    /// # Errors
    /// Unless `0 <= share <= 1` with both terms below 2^64.
    pub fn share(share: Ratio, error: Span) -> Result<Supply, SupplyError> {
        if share < Ratio::ZERO || share > Ratio::ONE {
            return Err(SupplyError::ShareOutOfRange);
        }
        let term = |term| u64::try_from(term).map_err(|_| SupplyError::ShareTooFine);
        let (above, below) = (term(share.numerator())?, term(share.denominator())?);
        Ok(match above {
            0 => Supply::nothing(),
            _ if above == below && error.is_zero() => Supply::all(),
            _ => Supply(Shape::Share { above, below, error: error.as_nanos() }),
        })
    }

    /// The least processor time in any window of this length.
    #[must_use]
    pub fn least(&self, window: Span) -> Span {
        let window = window.as_nanos();
        Span::from_nanos(match self.0 {
            Shape::All => window,
            Shape::Nothing => 0,
            Shape::Blocks { gap, amount, period } => match window.checked_sub(gap) {
                None => 0,
                Some(past) => past / period * amount + amount.min(past % period),
            },
            Shape::Share { above, below, error } => {
                // Both products of two 64-bit terms fit; the result is at most the window.
                let held = u128::from(window) * u128::from(above);
                let lost = u128::from(error) * u128::from(below);
                let whole = held.saturating_sub(lost) / u128::from(below);
                u64::try_from(whole).unwrap_or(window)
            }
        })
    }

    /// The shortest window that holds `work` wherever it lies; `None`, which is an answer and not an error, when
    /// no window up to 2^64 ns does.
    #[must_use]
    pub fn window(&self, work: Span) -> Option<Span> {
        self.window_ns(work.as_nanos()).map(Span::from_nanos)
    }

    pub(crate) fn window_ns(&self, work: u64) -> Option<u64> {
        let Some(before_last) = work.checked_sub(1) else { return Some(0) };
        match self.0 {
            Shape::All => Some(work),
            Shape::Nothing => None,
            Shape::Blocks { gap, amount, period } => {
                let full = before_last / amount;
                let rest = work - full * amount;
                gap.checked_add(full.checked_mul(period)?)?.checked_add(rest)
            }
            Shape::Share { above, below, error } => {
                let total = u128::from(work) + u128::from(error);
                let window = total.checked_mul(u128::from(below))?.div_ceil(u128::from(above));
                u64::try_from(window).ok()
            }
        }
    }

    /// The share of the processor in the long run.
    #[must_use]
    pub fn rate(&self) -> Ratio {
        let (above, below) = self.rate_terms();
        Ratio::new(i128::from(above), i128::from(below)).unwrap_or(Ratio::ZERO)
    }

    /// Numerator and denominator of the rate, both within 64 bits.
    pub(crate) const fn rate_terms(&self) -> (u64, u64) {
        match self.0 {
            Shape::All => (1, 1),
            Shape::Nothing => (0, 1),
            Shape::Blocks { amount, period, .. } => (amount, period),
            Shape::Share { above, below, .. } => (above, below),
        }
    }

    /// The start and the period of the supply's repetition: beyond `start`, a window that is
    /// `period` longer holds exactly `rate * period` more. `None` where that is more than 584 years away.
    pub(crate) fn repeats(&self) -> Option<(u64, u64)> {
        Some(match self.0 {
            Shape::All | Shape::Nothing => (0, 1),
            Shape::Blocks { gap, period, .. } => (gap, period),
            Shape::Share { above, below, error } => {
                // The error over the share, rounded up: from there on nothing is cut off at zero.
                let start = (u128::from(error) * u128::from(below)).div_ceil(u128::from(above));
                (u64::try_from(start).ok()?, below)
            }
        })
    }
}
