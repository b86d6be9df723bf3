//! Exact lengths of time: whole nanoseconds multiplied by shares.
//!
//! Invariant: never negative; what is printed is read back as the same value.

use crate::error::LengthError;
use alloc::borrow::ToOwned;
use alloc::format;
use core::fmt;
use core::str::FromStr;
use windfall_time::{ParseError, Ratio, Span};

/// An exact length of time: a rational number of nanoseconds, not negative.
///
/// Every operation is checked: `None` means that the exact result is negative or does not fit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Length(Ratio);

impl Length {
    /// No time at all.
    pub const ZERO: Length = Length(Ratio::ZERO);

    /// A length of that many nanoseconds; `None` when negative.
    #[must_use]
    pub fn from_nanos(nanos: Ratio) -> Option<Length> {
        (nanos.numerator() >= 0).then_some(Length(nanos))
    }

    /// Nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> Ratio {
        self.0
    }

    /// Whether this is no time at all.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Whole nanoseconds, rounded down; `None` past the range of a span.
    #[must_use]
    pub fn floor(self) -> Option<Span> {
        let whole = self.0.numerator().checked_div(self.0.denominator())?;
        u64::try_from(whole).ok().map(Span::from_nanos)
    }

    /// Whole nanoseconds, rounded up; `None` past the range of a span.
    #[must_use]
    pub fn ceil(self) -> Option<Span> {
        let down = self.floor()?;
        if Length::from(down) == self { Some(down) } else { down.checked_add(Span::from_nanos(1)) }
    }

    /// The same as a span, when it is whole nanoseconds.
    #[must_use]
    pub fn to_span(self) -> Option<Span> {
        self.floor().filter(|span| Length::from(*span) == self)
    }

    /// `self + other`.
    #[must_use]
    pub fn checked_add(self, other: Length) -> Option<Length> {
        self.0.checked_add(other.0).map(Length)
    }

    /// `self - other`; `None` when `other` is longer.
    #[must_use]
    pub fn checked_sub(self, other: Length) -> Option<Length> {
        self.0.checked_sub(other.0).and_then(Length::from_nanos)
    }

    /// `self` times a factor; `None` when that is negative.
    #[must_use]
    pub fn checked_mul(self, factor: Ratio) -> Option<Length> {
        self.0.checked_mul(factor).and_then(Length::from_nanos)
    }

    /// `self` divided by a divisor; `None` when that is zero or negative.
    #[must_use]
    pub fn checked_div(self, divisor: Ratio) -> Option<Length> {
        self.0.checked_div(divisor).and_then(Length::from_nanos)
    }

    /// `self / whole`; `None` when `whole` is zero.
    #[must_use]
    pub fn over(self, whole: Length) -> Option<Ratio> {
        self.0.checked_div(whole.0)
    }
}

impl From<Span> for Length {
    fn from(span: Span) -> Length {
        Length(Ratio::whole(span.as_nanos()))
    }
}

/// Units by name and length in nanoseconds, the longest first.
const UNITS: [(&str, i128); 4] =
    [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(span) = self.to_span() {
            return write!(f, "{span}");
        }
        let in_unit = |(name, nanos): (&'static str, i128)| {
            let value = self.0.checked_div(Ratio::new(nanos, 1)?)?;
            (value >= Ratio::ONE || nanos == 1).then_some((value, name))
        };
        match UNITS.into_iter().find_map(in_unit) {
            Some((value, name)) => f.pad(&format!("{value}{name}")),
            None => f.pad(&format!("{}ns", self.0)),
        }
    }
}

impl FromStr for Length {
    type Err = LengthError;

    fn from_str(text: &str) -> Result<Length, LengthError> {
        let unreadable = |why| LengthError::Unreadable(text.to_owned(), why);
        let Some((above, rest)) = text.split_once('/') else {
            let span: Result<Span, _> = text.parse();
            return span.map(Length::from).map_err(unreadable);
        };
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (below, unit) = rest.split_at(digits);
        let unit = unit.trim();
        let known = UNITS.iter().find(|(name, _)| *name == unit);
        let Some((_, nanos)) = known else {
            return Err(LengthError::Fraction(text.to_owned()));
        };
        let ratio: Result<Ratio, _> = format!("{}/{below}", above.trim()).parse();
        let ratio = ratio.map_err(|why| match why {
            ParseError::NotARatio => unreadable(ParseError::NotANumber), // a length is asked for
            why => unreadable(why),
        })?;
        let nanos = Ratio::new(*nanos, 1).and_then(|unit| ratio.checked_mul(unit));
        nanos.and_then(Length::from_nanos).ok_or_else(|| unreadable(ParseError::TooLarge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// 2^126 seconds.
    const LONGEST: &str = "85070591730234615865843651857942052865/1s";

    #[test]
    fn accepts_what_it_prints() {
        for text in ["35ms", "1.1ms", "100/3ms", "1/3ns", "0s", "5s", "16/7s"] {
            assert_eq!(text.parse::<Length>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn refuses_what_is_no_length() {
        let unreadable = |text: &str, why| LengthError::Unreadable(text.to_owned(), why);
        for (text, why) in [
            ("", unreadable("", ParseError::Empty)),
            ("3", unreadable("3", ParseError::NoUnit)),
            ("3/0ms", unreadable("3/0ms", ParseError::ZeroDivisor)),
            ("-1ms", unreadable("-1ms", ParseError::NotANumber)),
            ("-1/3ms", unreadable("-1/3ms", ParseError::NotANumber)),
            ("1/3", LengthError::Fraction("1/3".to_owned())),
            ("1/3x", LengthError::Fraction("1/3x".to_owned())),
            (LONGEST, unreadable(LONGEST, ParseError::TooLarge)),
        ] {
            assert_eq!(text.parse::<Length>(), Err(why), "{text}");
        }
    }

    #[test]
    fn limit_rounding_brackets_the_value() {
        let third: Length = "100/3ns".parse().unwrap();
        assert_eq!(third.floor(), Some(Span::from_nanos(33)));
        assert_eq!(third.ceil(), Some(Span::from_nanos(34)));
        assert_eq!(third.to_span(), None);
        assert_eq!(Length::ZERO.checked_sub(third), None);
    }
}
