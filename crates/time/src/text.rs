//! Reading and printing: `10ms`, `1.5 ms`, `250us`, `1s`, `2min`, `60Hz` (a period); `3/10`, `0.3`, `30%`.
//!
//! Invariant: what is printed is read back as the same value. A number without a unit is refused
//! with a hint, since its unit would be a guess.

use crate::{Instant, Ratio, Slack, Span};
use core::fmt;
use core::str::FromStr;

/// Why a text is not a time or a ratio. The message describes valid texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParseError {
    /// Nothing but white space.
    Empty,
    /// The text does not start with an unsigned decimal number.
    NotANumber,
    /// The text is not an unsigned ratio.
    NotARatio,
    /// A number without a unit.
    NoUnit,
    /// A unit that is not known.
    UnknownUnit,
    /// Finer than a nanosecond.
    TooFine,
    /// Longer than 2^64 ns, or more digits than fit.
    TooLarge,
    /// A rational with a zero below the line, or 0 Hz.
    ZeroDivisor,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseError::Empty => "empty; write a number with a unit, such as `10ms`",
            ParseError::NotANumber => "not a number; write digits first, such as `1.5 ms`",
            ParseError::NotARatio => {
                "not a ratio of zero or more; write one such as `3/10`, `0.3` or `30%`"
            }
            ParseError::NoUnit => "no unit; add one of ns, us, ms, s, min, h (or Hz for a period)",
            ParseError::UnknownUnit => "unknown unit; allowed: ns, us, ms, s, min, h, Hz, kHz",
            ParseError::TooFine => "finer than one nanosecond, which is the smallest unit",
            ParseError::TooLarge => "too large; the longest time is 584 years (2^64 ns)",
            ParseError::ZeroDivisor => "division by zero",
        })
    }
}

impl core::error::Error for ParseError {}

/// A decimal number as `digits / 10^places`, and what follows it.
fn decimal(text: &str) -> Result<(u64, u32, &str), ParseError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ParseError::Empty);
    }
    let (mut digits, mut places, mut seen, mut point) = (0_u64, 0_u32, false, false);
    let mut rest = text;
    while let Some(byte) = rest.bytes().next() {
        match byte {
            b'0'..=b'9' => {
                digits = digits
                    .checked_mul(10)
                    .and_then(|d| d.checked_add(u64::from(byte - b'0')))
                    .ok_or(ParseError::TooLarge)?;
                seen = true;
                places += u32::from(point);
            }
            b'.' if !point => point = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    if seen { Ok((digits, places, rest.trim())) } else { Err(ParseError::NotANumber) }
}

/// `digits * unit / 10^places`, exactly.
fn scaled(digits: u64, places: u32, unit: u64) -> Result<u64, ParseError> {
    let product = u128::from(digits) * u128::from(unit);
    let divisor = 10_u128.checked_pow(places).ok_or(ParseError::TooFine)?;
    if product % divisor != 0 {
        return Err(ParseError::TooFine);
    }
    u64::try_from(product / divisor).map_err(|_| ParseError::TooLarge)
}

impl FromStr for Span {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Span, ParseError> {
        let (digits, places, unit) = decimal(text)?;
        let unit = match unit {
            "" => return Err(ParseError::NoUnit),
            "ns" => 1,
            "us" | "µs" | "μs" | "usec" => 1_000,
            "ms" | "msec" => 1_000_000,
            "s" | "sec" => 1_000_000_000,
            "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "Hz" => return period(digits, places, 1),
            "kHz" => return period(digits, places, 1_000),
            _ => return Err(ParseError::UnknownUnit),
        };
        scaled(digits, places, unit).map(Span::from_nanos)
    }
}

/// The period of `digits / 10^places` times `unit` hertz, to the nearest nanosecond.
fn period(digits: u64, places: u32, unit: u64) -> Result<Span, ParseError> {
    let hertz = u128::from(digits) * u128::from(unit);
    let second = 10_u128
        .checked_pow(places)
        .and_then(|p| p.checked_mul(1_000_000_000))
        .ok_or(ParseError::TooFine)?;
    if hertz == 0 {
        return Err(ParseError::ZeroDivisor);
    }
    let nanos = (second + hertz / 2) / hertz;
    match u64::try_from(nanos).map_err(|_| ParseError::TooLarge)? {
        0 => Err(ParseError::TooFine),
        nanos => Ok(Span::from_nanos(nanos)),
    }
}

/// Prints nanoseconds in the largest unit that needs no more than the digits it has.
fn print(f: &mut fmt::Formatter<'_>, ns: u64) -> fmt::Result {
    const UNITS: [(u64, usize, &str); 3] =
        [(1_000_000_000, 9, "s"), (1_000_000, 6, "ms"), (1_000, 3, "us")];
    for (size, width, unit) in UNITS {
        if ns >= size {
            let (whole, mut part, mut width) = (ns / size, ns % size, width);
            if part == 0 {
                return write!(f, "{whole}{unit}");
            }
            while part % 10 == 0 {
                part /= 10;
                width -= 1;
            }
            return write!(f, "{whole}.{part:0width$}{unit}");
        }
    }
    if ns == 0 { f.write_str("0s") } else { write!(f, "{ns}ns") }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(f, self.as_nanos())
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(f, self.as_nanos())
    }
}

impl fmt::Display for Slack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.as_nanos() < 0 {
            f.write_str("-")?;
        }
        print(f, self.as_nanos().unsigned_abs())
    }
}

impl FromStr for Instant {
    type Err = ParseError;

    /// The span since the origin, written as a span.
    fn from_str(text: &str) -> Result<Instant, ParseError> {
        Span::from_str(text).map(|span| Instant::from_nanos(span.as_nanos()))
    }
}

impl FromStr for Ratio {
    type Err = ParseError;

    /// `3/10`, `0.3`, `30%` or a whole number; unsigned.
    fn from_str(text: &str) -> Result<Ratio, ParseError> {
        let number = |text| match decimal(text) {
            Err(ParseError::Empty | ParseError::NotANumber) => Err(ParseError::NotARatio),
            other => other,
        };
        let (digits, places, rest) = number(text)?;
        let below = 10_i128.checked_pow(places).ok_or(ParseError::TooFine)?;
        let first = Ratio::new(i128::from(digits), below).ok_or(ParseError::TooLarge)?;
        if rest.is_empty() {
            return Ok(first);
        }
        if rest == "%" {
            return first.checked_div(Ratio::whole(100)).ok_or(ParseError::TooLarge);
        }
        let Some(divisor) = rest.strip_prefix('/') else {
            return Err(ParseError::NotARatio);
        };
        let (digits, places, rest) = number(divisor)?;
        if !rest.is_empty() {
            return Err(ParseError::NotARatio);
        }
        let below = 10_i128.checked_pow(places).ok_or(ParseError::TooFine)?;
        let second = Ratio::new(i128::from(digits), below).ok_or(ParseError::TooLarge)?;
        if second.is_zero() {
            return Err(ParseError::ZeroDivisor);
        }
        first.checked_div(second).ok_or(ParseError::TooLarge)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator() {
            1 => write!(f, "{}", self.numerator()),
            below => write!(f, "{}/{below}", self.numerator()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn accepts_the_units_of_the_conventions() {
        let cases = [
            ("10ms", 10_000_000),
            ("1.5 ms", 1_500_000),
            ("250us", 250_000),
            ("1s", 1_000_000_000),
            ("60Hz", 16_666_667),
            ("0.001 us", 1),
            ("2min", 120_000_000_000),
        ];
        for (text, ns) in cases {
            assert_eq!(text.parse(), Ok(Span::from_nanos(ns)), "{text}");
        }
    }

    #[test]
    fn refuses_with_the_reason() {
        let cases = [
            ("", ParseError::Empty),
            ("10", ParseError::NoUnit),
            ("ms", ParseError::NotANumber),
            ("-1ms", ParseError::NotANumber),
            ("1.5ns", ParseError::TooFine),
            ("1 fortnight", ParseError::UnknownUnit),
            ("99999999999h", ParseError::TooLarge),
            ("0Hz", ParseError::ZeroDivisor),
            ("2GHz", ParseError::UnknownUnit),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Span>(), Err(error), "{text}");
        }
        assert_eq!("1/0".parse::<Ratio>(), Err(ParseError::ZeroDivisor));
        for text in ["", "x", "-1/20", "-1%", "1/", "1/x", "1/2 ms", "1 ms"] {
            assert_eq!(text.parse::<Ratio>(), Err(ParseError::NotARatio), "{text}");
        }
    }

    #[test]
    fn accepts_ratios_in_three_forms() {
        let third_of_ten = Ratio::new(3, 10).unwrap();
        for text in ["3/10", "0.3", "30%", "1.5/5"] {
            assert_eq!(text.parse(), Ok(third_of_ten), "{text}");
        }
    }

    proptest! {
        #[test]
        fn law_printed_spans_are_read_back(ns: u64) {
            let span = Span::from_nanos(ns);
            prop_assert_eq!(span.to_string().parse(), Ok(span));
        }

        #[test]
        fn law_printed_ratios_are_read_back(above in 0_u64..1 << 40, below in 1_u64..1 << 40) {
            let ratio = Ratio::new(i128::from(above), i128::from(below)).unwrap();
            prop_assert_eq!(ratio.to_string().parse(), Ok(ratio));
        }

        #[test]
        fn law_no_text_panics(text: std::string::String) {
            let _ = text.parse::<Span>();
            let _ = text.parse::<Ratio>();
        }

        #[test]
        fn law_ratio_addition_is_undone_by_subtraction(
            a in 0_i128..1 << 50, b in 1_i128..1 << 50, c in 0_i128..1 << 50, d in 1_i128..1 << 50
        ) {
            let (x, y) = (Ratio::new(a, b).unwrap(), Ratio::new(c, d).unwrap());
            if let Some(sum) = x.checked_add(y) {
                prop_assert_eq!(sum.checked_sub(y), Some(x));
            }
        }
    }
}
