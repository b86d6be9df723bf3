//! Text for a terminal: tables (`terminal/table.rs`), paragraphs, times in four digits.

mod table;

pub use crate::figures::grouped_by;
pub use table::{table, table_with};

use windfall_guarantees::Length;
use windfall_time::{Ratio, Span};

/// `head`, and then `text` from column `indent` on, broken between words at `width`.
#[must_use]
pub fn paragraph(head: &str, indent: usize, text: &str, width: usize) -> String {
    filled(format!("{head:<indent$}"), indent, text, width)
}

/// Appends `text` to the first line in `lines`, broken at `width`; further lines begin at column
/// `indent`.
fn filled(mut lines: String, indent: usize, text: &str, width: usize) -> String {
    let mut column = lines.chars().count();
    for (number, word) in text.split_whitespace().enumerate() {
        let length = word.chars().count();
        if number > 0 && column + 1 + length > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else if number > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines.push('\n');
    lines
}

/// Text whose lines fit a terminal: what is too long goes on below, between words, in the second column where there is one.
#[must_use]
pub fn fitted(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let line = |line: &str| {
        if line.chars().count() <= width || line.starts_with("next: ") {
            return format!("{line}\n"); // a command stays in one piece
        }
        let own = line.chars().take_while(|letter| *letter == ' ').count();
        let second = second_column(line).filter(|column| *column <= width / 3);
        let indent = second.unwrap_or((own + 2).min(width / 3));
        let begin = second.unwrap_or(own);
        let (head, rest): (String, String) =
            (line.chars().take(begin).collect(), line.chars().skip(begin).collect());
        filled(head, indent, &rest, width)
    };
    text.lines().map(line).collect()
}

/// Where the second column of a line begins: behind two spaces or more, which are not the line's own indent.
fn second_column(line: &str) -> Option<usize> {
    let letters: Vec<char> = line.chars().collect();
    let first = letters.iter().position(|letter| *letter != ' ')?;
    let gap = letters[first..].windows(2).position(|two| two == [' ', ' '])? + first;
    letters[gap..].iter().position(|letter| *letter != ' ').map(|spaces| gap + spaces)
}

/// A scheduler's counters, for people: keys that end in `_ns` are times.
#[must_use]
pub fn figures(counted: &[(String, u64)]) -> String {
    let figure = |(key, number): &(String, u64)| match key.strip_suffix("_ns") {
        Some(key) => format!("{} {}", key.replace('_', " "), short(Span::from_nanos(*number))),
        None => format!("{} {number}", key.replace('_', " ")),
    };
    counted.iter().map(figure).collect::<Vec<_>>().join(", ")
}

/// Four digits are enough for people.
#[must_use]
pub fn short(span: Span) -> String {
    let ns = span.as_nanos();
    let (unit, name): (u64, _) = match ns {
        0 => return "0".to_owned(),
        1_000_000_000.. => (1_000_000_000, "s"),
        1_000_000.. => (1_000_000, "ms"),
        1_000.. => (1_000, "us"),
        _ => (1, "ns"),
    };
    let thousandths = u128::from(ns) * 1_000 / u128::from(unit);
    let places = match thousandths {
        100_000.. => 1,
        10_000.. => 2,
        _ => 3,
    };
    let divisor = 10_u128.pow(3 - places);
    let rounded = (thousandths + divisor / 2) / divisor;
    let scale = 10_u128.pow(places);
    let width = usize::try_from(places).unwrap_or(0);
    format!("{}.{:0width$}{name}", rounded / scale, rounded % scale)
}

/// Quantiles of one thing in a cell: `129.0us/158.0us/193.0us`.
#[must_use]
pub fn quantiles(spans: &[Span]) -> String {
    spans.iter().map(|span| short(*span)).collect::<Vec<_>>().join("/")
}

/// Threads of one name in a cell: `cc1 (116 threads)`, or only the name of one.
#[must_use]
pub fn threads(name: &str, count: usize) -> String {
    if count == 1 { name.to_owned() } else { format!("{name} ({count} threads)") }
}

/// A length of time: exact if that takes at most five digits, else in four.
#[must_use]
pub fn length(length: Length) -> String {
    let Some(span) = length.floor() else { return length.to_string() };
    let exact = span.to_string();
    let digits = exact.chars().filter(char::is_ascii_digit).count();
    if digits <= 5 { exact } else { short(span) }
}

/// A share in per cent with two places, rounded to the nearest.
#[must_use]
pub fn percent(part: Span, whole: Span) -> String {
    let whole = u128::from(whole.as_nanos()).max(1);
    let hundredths = (u128::from(part.as_nanos()) * 10_000 + whole / 2) / whole;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A ratio with two places, cut off: what is shown as 1.00 is 1.
#[must_use]
pub fn hundredths(ratio: Ratio) -> String {
    let all = ratio.numerator().saturating_mul(100) / ratio.denominator();
    format!("{}.{:02}", all / 100, all % 100)
}

/// A number of processors with two places, cut off; one that would seem none is said to be less than a hundredth.
#[must_use]
pub fn processors(ratio: Ratio) -> String {
    match hundredths(ratio).as_str() {
        "0.00" if !ratio.is_zero() => "less than 0.01".to_owned(),
        all => all.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_a_length_of_five_digits_is_exact_and_one_of_six_has_four() {
        let shown = |ns| length(Span::from_nanos(ns).into());
        let expected = ["0s", "29.6ms", "12.345ms", "123.5ms", "9.382s"];
        assert_eq!([0, 29_600_000, 12_345_000, 123_456_000, 9_382_435_170].map(shown), expected);
    }

    #[test]
    fn limit_a_little_of_a_processor_is_not_none() {
        let said = |n, d| processors(Ratio::new(n, d).unwrap());
        assert_eq!([said(0, 1), said(1, 101), said(1, 100)], ["0.00", "less than 0.01", "0.01"]);
    }

    #[test]
    fn law_lines_are_broken_between_words_and_go_on_in_their_second_column() {
        let text = "held   a.received equal to 5%cpu: found 5%cpu\n  node counted: epochs 3, windfall 65.00ms\nshort\n";
        let expected = "held   a.received equal to\n       5%cpu: found 5%cpu\n  node counted: epochs 3,\n    \
                        windfall 65.00ms\nshort\n";
        assert_eq!(fitted(text, Some(28)), expected);
        assert_eq!(fitted(text, None), text);
    }

    #[test]
    fn accepts_a_word_and_an_indent_that_are_wider_than_the_terminal() {
        let long = "x".repeat(50);
        assert_eq!(fitted(&format!("{long} y\n"), Some(20)), format!("{long}\n  y\n"));
        let deep = format!("{}a b c d e f g h\n", " ".repeat(30));
        assert!(fitted(&deep, Some(40)).lines().all(|line| line.len() <= 40));
        assert_eq!(fitted("next: windfall explain recording.wft\n", Some(10)).lines().count(), 1);
    }
}
