//! Exact rationals for shares, speeds and utilisations.

use num_rational::Ratio as Inner;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};

/// A rational number in lowest terms, numerator and denominator in 128 bits.
///
/// Every operation is checked: `None` means that the exact result does not fit, never that it
/// was rounded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ratio(Inner<i128>);

impl Ratio {
    /// 0.
    pub const ZERO: Ratio = Ratio(Inner::new_raw(0, 1));
    /// 1.
    pub const ONE: Ratio = Ratio(Inner::new_raw(1, 1));

    /// `numerator / denominator`; `None` when the denominator is zero or `i128::MIN` is involved.
    #[must_use]
    pub fn new(numerator: i128, denominator: i128) -> Option<Ratio> {
        let representable = denominator != 0 && numerator != i128::MIN && denominator != i128::MIN;
        representable.then(|| Ratio(Inner::new(numerator, denominator)))
    }

    /// A whole number.
    #[must_use]
    pub fn whole(n: u64) -> Ratio {
        Ratio(Inner::from_integer(i128::from(n)))
    }

    /// Numerator, in lowest terms; carries the sign.
    #[must_use]
    pub fn numerator(self) -> i128 {
        *self.0.numer()
    }

    /// Denominator, in lowest terms; positive.
    #[must_use]
    pub fn denominator(self) -> i128 {
        *self.0.denom()
    }

    /// Whether this is 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Exact sum.
    #[must_use]
    pub fn checked_add(self, other: Ratio) -> Option<Ratio> {
        self.narrow(other, |a, b| a.checked_add(b))
            .or_else(|| self.0.checked_add(&other.0).map(Ratio))
    }

    /// Exact difference.
    #[must_use]
    pub fn checked_sub(self, other: Ratio) -> Option<Ratio> {
        self.narrow(other, |a, b| a.checked_sub(b))
            .or_else(|| self.0.checked_sub(&other.0).map(Ratio))
    }

    /// Exact product.
    #[must_use]
    pub fn checked_mul(self, other: Ratio) -> Option<Ratio> {
        self.narrow(other, |a, b| a.checked_mul(b))
            .or_else(|| self.0.checked_mul(&other.0).map(Ratio))
    }

    /// Exact quotient; `None` also when `other` is zero.
    #[must_use]
    pub fn checked_div(self, other: Ratio) -> Option<Ratio> {
        if other.is_zero() {
            return None;
        }
        // The sign of a negative divisor has to leave the denominator, which -2^63 cannot.
        let narrow =
            |a: &Inner<i64>, b: &Inner<i64>| (*b.numer() > 0).then(|| a.checked_div(b)).flatten();
        self.narrow(other, narrow).or_else(|| self.0.checked_div(&other.0).map(Ratio))
    }

    /// Does the same in 64 bits, which takes a third of the time, if they hold both operands and the result.
    #[inline]
    fn narrow(
        self,
        other: Ratio,
        calculate: impl FnOnce(&Inner<i64>, &Inner<i64>) -> Option<Inner<i64>>,
    ) -> Option<Ratio> {
        let half = |ratio: Ratio| {
            let parts = (ratio.numerator().try_into().ok()?, ratio.denominator().try_into().ok()?);
            Some(Inner::new_raw(parts.0, parts.1))
        };
        let (numerator, denominator) = calculate(&half(self)?, &half(other)?)?.into();
        Some(Ratio(Inner::new_raw(i128::from(numerator), i128::from(denominator))))
    }

    /// The nearest float, for showing only.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
    pub fn to_f64(self) -> f64 {
        self.numerator() as f64 / self.denominator() as f64
    }
}

#[cfg(test)]
mod tests;
