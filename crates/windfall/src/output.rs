//! Printing: text that survives a closed pipe, tables, colour; where results go is `output/destination.rs`.

mod destination;
mod draft;

pub(crate) use destination::{Destination, Destinations, input_name, is_standard};
pub(crate) use draft::{Draft, remove_unfinished};

use crate::VerbError;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, IsTerminal, Write};
use windfall_guarantees::Length;
use windfall_time::Span;
use windfall_trace::escape::{escaped, escaped_but_colours, escaped_lines};

/// Prints to standard output, with what could steer a terminal written in words. A reader that has gone away is no trouble.
pub(crate) fn print(text: &str) -> Result<(), VerbError> {
    let mut out = io::stdout().lock();
    match out.write_all(escaped_lines(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| VerbError(format!("windfall: standard output: {error}"))),
    }
}

/// Prints to standard error; of control sequences in it, colours are left. Where nobody can read it, there is nobody to tell.
pub(crate) fn print_error(text: &str) {
    let _ = io::stderr().lock().write_all(escaped_but_colours(text).as_bytes());
}

/// The version of every JSON document that the command prints (`docs/STABILITY.md`).
pub(crate) const JSON_VERSION: u64 = 2;

/// A JSON document as it is printed: with its version, in lines.
pub(crate) fn document(mut value: serde_json::Value) -> String {
    if let Some(object) = value.as_object_mut() {
        object.insert("windfall".to_owned(), JSON_VERSION.into());
    }
    format!("{value:#}\n")
}

/// Whether people read what goes to standard error.
pub(crate) fn errors_are_read() -> bool {
    io::stderr().is_terminal()
}

/// Whether people want colour: `NO_COLOR`, when it is set and not empty, says that they do not.
pub(crate) fn colour_is_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// How many characters a line may have: the terminal's, at least 60; 100 where none is there.
pub(crate) fn width() -> usize {
    let size = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal());
    size.map_or(100, |(terminal_size::Width(columns), _)| usize::from(columns).max(60))
}

/// `head`, and then `text` from column `indent` on, broken between words at `width`.
pub(crate) fn paragraph(head: &str, indent: usize, text: &str, width: usize) -> String {
    let mut lines = format!("{head:<indent$}");
    let mut column = indent;
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

/// A table of cells of one line each; columns after the first `left` are aligned to the right.
pub(crate) fn table(head: &[&str], left: usize, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|cell| escaped(cell).into_owned()));
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if number >= left {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> =
        table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

/// What a scheduler counted, for people: keys that end in `_ns` are times.
pub(crate) fn figures(counted: &[(String, u64)]) -> String {
    let figure = |(key, number): &(String, u64)| match key.strip_suffix("_ns") {
        Some(key) => format!("{} {}", key.replace('_', " "), short(Span::from_nanos(*number))),
        None => format!("{} {number}", key.replace('_', " ")),
    };
    counted.iter().map(figure).collect::<Vec<_>>().join(", ")
}

/// Four digits are enough for people.
pub(crate) fn short(span: Span) -> String {
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

/// An exact length of time in decimals, where it is no whole number of nanoseconds rounded down to one.
pub(crate) fn decimal(length: Length) -> String {
    length.floor().map_or_else(|| length.to_string(), |span| span.to_string())
}

/// A share in per cent with two places, rounded to the nearest.
pub(crate) fn percent(part: Span, whole: Span) -> String {
    let whole = u128::from(whole.as_nanos()).max(1);
    let hundredths = (u128::from(part.as_nanos()) * 10_000 + whole / 2) / whole;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
