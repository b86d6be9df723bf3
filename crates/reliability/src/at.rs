//! How a time is written: seconds since 1970 (`1700000000.25`), or a date of RFC 3339 (`2026-01-31T08:00:00Z`).
//!
//! Invariant: a time is read exactly, to the nanosecond, or not at all.

use windfall_time::Instant;

/// The allowed forms, for errors.
pub(crate) const ALLOWED: &str =
    "seconds since 1970 as `1700000000.25`, or RFC 3339 as `2026-01-31T08:00:00Z`";

/// Nanoseconds since 1970, without leap seconds; `None` if it is neither form, or outside 1970 to 2554.
pub(crate) fn read(text: &str) -> Option<Instant> {
    seconds(text).or_else(|| {
        let date: jiff::Timestamp = text.parse().ok()?;
        u64::try_from(date.as_nanosecond()).ok().map(Instant::from_nanos)
    })
}

/// Seconds with at most nine decimals.
pub(crate) fn seconds(text: &str) -> Option<Instant> {
    let (whole, decimals) = match text.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (text, ""),
    };
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 9 || !are_digits(whole) || !are_digits(decimals) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let nanoseconds: u64 = format!("{decimals:0<9}").parse().ok()?;
    whole.checked_mul(1_000_000_000)?.checked_add(nanoseconds).map(Instant::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_seconds_and_dates_of_the_same_instant() {
        let at = Some(Instant::from_nanos(1_700_000_000_250_000_000));
        for text in ["1700000000.25", "2023-11-14T22:13:20.25Z", "2023-11-14T23:13:20.250+01:00"] {
            assert_eq!(read(text), at, "{text}");
        }
        assert_eq!(read("0"), Some(Instant::ZERO));
    }

    #[test]
    fn refuses_other_times() {
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "+1",
            "1e9",
            "1.0000000001",
            "99999999999999",
            "yesterday",
            "2023-11-14",
            "2023-11-14T22:13:20",
            "2023-13-14T22:13:20Z",
            "1969-12-31T23:59:59Z",
            "9000-01-01T00:00:00Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
