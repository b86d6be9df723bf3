//! Numbers for eyes: three digits and a unit.
//!
//! Absent on purpose: reading them back. Exact values are printed by the `Span` itself.

use windfall_time::Span;

/// `12.3 ms`, `250 us`, `1.50 s`, `0`: at least three digits, at most one unit.
#[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
pub(crate) fn short(span: Span) -> String {
    let ns = span.as_nanos();
    let (size, unit) = match ns {
        0 => return "0".to_owned(),
        1..=999 => return format!("{ns} ns"),
        1_000..=999_499 => (1e3, "us"),
        999_500..=999_499_999 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let value = ns as f64 / size;
    let places = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$} {unit}")
}

/// `part` of `whole` as `12.3 %`; nothing when `whole` is nothing.
#[expect(clippy::cast_precision_loss, reason = "shown, never compared")]
pub(crate) fn percent(part: Span, whole: Span) -> String {
    if whole.is_zero() {
        return "–".to_owned();
    }
    format!("{:.1} %", part.as_nanos() as f64 * 100.0 / whole.as_nanos() as f64)
}

/// `1,234,567` as `1 234 567`, with narrow spaces that do not break.
pub(crate) fn grouped(number: u64) -> String {
    grouped_by(number, '\u{202f}')
}

/// A number with this before each three digits but the first.
#[must_use]
pub fn grouped_by(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_keeps_three_digits_and_changes_units_when_they_round_up() {
        for (ns, text) in [
            (0, "0"),
            (999, "999 ns"),
            (1_000, "1.00 us"),
            (12_345, "12.3 us"),
            (999_499, "999 us"),
            (999_500, "1.00 ms"),
            (9_996_000, "10.0 ms"),
            (1_500_000_000, "1.50 s"),
            (100_000_000_000, "100 s"),
        ] {
            assert_eq!(short(Span::from_nanos(ns)), text);
        }
    }

    #[test]
    fn grouped_sets_a_space_before_each_three_digits() {
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(999), "999");
    }

    #[test]
    fn percent_of_nothing_is_a_dash() {
        assert_eq!(percent(Span::ZERO, Span::ZERO), "–");
        assert_eq!(percent(Span::from_nanos(1), Span::from_nanos(8)), "12.5 %");
    }
}
