//! One file a part of the suite.

pub(super) mod calls;
pub(super) mod communication;
pub(super) mod conditions;
pub(super) mod cores;
pub(super) mod instructions;
pub(super) mod reliability;
pub(super) mod skew;
pub(super) mod speed;
pub(super) mod time;
pub(super) mod timing;

use windfall_time::Span;

/// Two looks at a clock that are less apart are those of a loop which nothing interrupts.
const LEAST_GAP: Span = Span::from_nanos(1_000);

/// `processor 1`, `processors 1 and 3`, `processors 0, 1 and 3`.
pub(super) fn processors(numbers: &[u16]) -> String {
    let all: Vec<_> = numbers.iter().map(u16::to_string).collect();
    match all.split_last() {
        None => "no processor".to_owned(),
        Some((last, [])) => format!("processor {last}"),
        Some((last, others)) => format!("processors {} and {last}", others.join(", ")),
    }
}

/// A time as people read it: `12.8 us`.
fn shown(span: Span) -> String {
    let text = windfall_report::terminal::short(span);
    let unit = text.find(|letter: char| letter.is_ascii_alphabetic());
    let Some(unit) = unit else { return text };
    let (number, unit) = text.split_at(unit);
    let number = if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    };
    format!("{number} {unit}")
}

/// A count as people read it: `156,000`.
fn grouped(count: u64) -> String {
    windfall_report::terminal::grouped_by(count, ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_people_read_numbers() {
        assert_eq!(processors(&[1]), "processor 1");
        assert_eq!(processors(&[0, 1, 3]), "processors 0, 1 and 3");
        assert_eq!(shown(Span::from_nanos(12_800)), "12.8 us");
        assert_eq!(shown(Span::from_millis(1)), "1 ms");
        assert_eq!(shown(Span::from_nanos(290_000)), "290 us");
        assert_eq!(
            (grouped(156_000), grouped(12), grouped(1_234_567)),
            ("156,000".to_owned(), "12".to_owned(), "1,234,567".to_owned())
        );
    }
}
