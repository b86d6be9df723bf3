//! Printing: text that survives a closed pipe, tables, files that are whole or not there.

use crate::Trouble;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use windfall_time::Span;

/// Prints to standard output. A reader that has gone away is no trouble.
pub(crate) fn print(text: &str) -> Result<(), Trouble> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Trouble(format!("windfall: standard output: {error}"))),
    }
}

/// Whether people read what goes to standard error.
pub(crate) fn errors_are_read() -> bool {
    io::stderr().is_terminal()
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

/// A table; columns after the first `left` are aligned to the right.
pub(crate) fn table(head: &[&str], left: usize, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head.to_vec());
    for row in rows {
        table.add_row(row);
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

/// A share in per cent with two places, rounded to the nearest.
pub(crate) fn percent(part: Span, whole: Span) -> String {
    let whole = u128::from(whole.as_nanos()).max(1);
    let hundredths = (u128::from(part.as_nanos()) * 10_000 + whole / 2) / whole;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Refuses an output that would overwrite what is read.
pub(crate) fn apart(input: &Path, output: &Path) -> Result<(), Trouble> {
    let same = input.canonicalize().ok().zip(output.canonicalize().ok());
    if same.is_some_and(|(input, output)| input == output) {
        let name = output.display();
        return Err(Trouble(format!(
            "windfall: {name} is what is read; write to another file than that"
        )));
    }
    Ok(())
}

/// Writes a file by way of a neighbour, so that it is whole or not there.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<std::fs::File>) -> io::Result<()>,
) -> Result<(), Trouble> {
    let trouble = |error: io::Error| Trouble(format!("windfall: {}: {error}", path.display()));
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = Path::new(&part);
    let file = std::fs::File::create(part).map_err(trouble)?;
    let mut out = BufWriter::new(file);
    let filled = fill(&mut out).and_then(|()| out.flush());
    let moved = filled.and_then(|()| std::fs::rename(part, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(part);
    }
    moved.map_err(trouble)
}
