//! How a request says its deadline: the header `grpc-timeout` (gRPC over HTTP/2, "Requests"), 1 to 8 digits and a unit.

use core::fmt;
use http::HeaderMap;
use windfall_time::Span;

/// The header.
pub(super) const HEADER: &str = "grpc-timeout";

/// Units from the finest to the coarsest, in nanoseconds.
const UNITS: [(char, u64); 6] = [
    ('n', 1),
    ('u', 1_000),
    ('m', 1_000_000),
    ('S', 1_000_000_000),
    ('M', 60_000_000_000),
    ('H', 3_600_000_000_000),
];

/// The largest number of 8 digits.
const MOST: u64 = 99_999_999;

/// Why a `grpc-timeout` is not one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TimeoutError {
    /// There is more than one.
    Several,
    /// No digits, more than 8, or something else before the unit.
    Digits,
    /// No unit, or another.
    Unit,
}

impl fmt::Display for TimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeoutError::Several => "several headers grpc-timeout; send one",
            TimeoutError::Digits => "grpc-timeout needs 1 to 8 digits before its unit, as in 50m",
            TimeoutError::Unit => "grpc-timeout ends with none of H, M, S, m, u, n; 50m is 50 ms",
        })
    }
}

impl core::error::Error for TimeoutError {}

/// The timeout of a request, in nanoseconds: 8 digits of hours are more than a [`Span`] holds.
pub(super) fn of(headers: &HeaderMap) -> Result<Option<u128>, TimeoutError> {
    let mut values = headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(TimeoutError::Several);
    }
    let (unit, digits) = value.as_bytes().split_last().ok_or(TimeoutError::Digits)?;
    let unit = UNITS.iter().find(|(letter, _)| *letter == char::from(*unit));
    let (_, nanoseconds) = unit.ok_or(TimeoutError::Unit)?;
    if digits.is_empty() || digits.len() > 8 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(TimeoutError::Digits);
    }
    let number = digits.iter().fold(0, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    Ok(Some(number * u128::from(*nanoseconds)))
}

/// A span in this form, rounded down, in the finest unit that it fits in.
pub(super) fn at_most(span: Span) -> String {
    written(span, |ns, unit| ns / unit)
}

/// The same, rounded up.
pub(super) fn at_least(span: Span) -> String {
    written(span, u64::div_ceil)
}

fn written(span: Span, divide: fn(u64, u64) -> u64) -> String {
    let all = UNITS.iter().map(|(letter, unit)| (divide(span.as_nanos(), *unit), letter));
    // The longest span is 5,124,096 hours.
    let fits = all.into_iter().find(|(number, _)| *number <= MOST);
    fits.map(|(number, letter)| format!("{number}{letter}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Option<u128>, TimeoutError> {
        let headers = HeaderMap::from_iter([(
            http::HeaderName::from_static(HEADER),
            HeaderValue::from_bytes(text.as_bytes()).unwrap(),
        )]);
        of(&headers)
    }

    #[test]
    fn accepts_each_unit_and_the_extremes() {
        for (text, ns) in [
            ("0n", 0),
            ("7n", 7),
            ("7u", 7_000),
            ("50m", 50_000_000),
            ("1S", 1_000_000_000),
            ("2M", 120_000_000_000),
            ("00000001H", 3_600_000_000_000),
            ("99999999H", 359_999_996_400_000_000_000),
        ] {
            assert_eq!(read(text), Ok(Some(ns)), "{text}");
        }
        assert_eq!(of(&HeaderMap::new()), Ok(None));
    }

    #[test]
    fn refuses_what_is_malformed_by_name() {
        for text in ["", "m", "123456789m", "-1m", "+1m", "1 m", "1.5S", " 1m", "\u{661}m"] {
            assert_eq!(read(text), Err(TimeoutError::Digits), "{text:?}");
        }
        for text in ["1", "50ms", "1s", "1h", "1m ", "\u{b5}"] {
            assert_eq!(read(text), Err(TimeoutError::Unit), "{text:?}");
        }
        let mut headers = HeaderMap::new();
        headers.append(HEADER, HeaderValue::from_static("1m"));
        headers.append(HEADER, HeaderValue::from_static("1m"));
        assert_eq!(of(&headers), Err(TimeoutError::Several));
    }

    proptest! {
        #[test]
        fn law_what_is_written_is_read_and_rounded_to_the_side_that_was_asked_for(bits in 0..64_u32, ns: u64) {
            let ns = ns >> bits;
            let span = Span::from_nanos(ns);
            let below = read(&at_most(span)).unwrap().unwrap();
            let above = read(&at_least(span)).unwrap().unwrap();
            prop_assert!(below <= u128::from(ns) && u128::from(ns) <= above);
            // A unit is at most 1,000 times as coarse as the last, so five digits are kept.
            prop_assert!(above - below <= u128::from(ns / 100_000));
        }
    }
}
