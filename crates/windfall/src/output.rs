//! Printing: text that survives a closed pipe, colour, how wide a line may be; where results go is `output/destination.rs`.

mod destination;
mod draft;
mod kept;
mod placed;
mod rewritten;
mod stream;

pub(crate) use destination::{Destination, Destinations, input_name, is_standard};
pub(crate) use draft::{Draft, remove_unfinished};
pub(crate) use kept::Kept;

use crate::VerbError;
use std::io::{self, IsTerminal, Write};
use terminal_size::{Height, Width};
use windfall_report::terminal;
use windfall_trace::escape::{escaped_but_colours, escaped_lines};

/// Prints to standard output, with what could steer a terminal written in words. A reader that has gone away is no trouble.
pub(crate) fn print(text: &str) -> Result<(), VerbError> {
    match stream::write(escaped_lines(text).as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| VerbError(format!("windfall: standard output: {error}"))),
    }
}

/// Prints what people read: lines that are too long for the terminal go on below, between words.
pub(crate) fn print_text(text: &str) -> Result<(), VerbError> {
    print(&terminal::fitted(text, width()))
}

/// Prints a JSON document.
pub(crate) fn print_json(value: serde_json::Value) -> Result<(), VerbError> {
    print(&document(value))
}

/// Prints a result: as JSON, or as text for a terminal of so many columns.
pub(crate) fn show(
    json: bool,
    value: impl FnOnce() -> serde_json::Value,
    text: impl FnOnce(Option<usize>) -> String,
) -> Result<(), VerbError> {
    if json { print_json(value()) } else { print_text(&text(width())) }
}

/// Prints to standard error as it is; of control sequences in it, colours are left. A reader that has gone away is ignored.
pub(crate) fn print_error_raw(text: &str) {
    let _ = io::stderr().lock().write_all(escaped_but_colours(text).as_bytes());
}

/// Prints what people read to standard error, in lines that fit the terminal.
pub(crate) fn print_error(text: &str) {
    print_error_raw(&terminal::fitted(text, error_width()));
}

/// The version of every JSON document that the command prints (`docs/STABILITY.md`).
pub(crate) const JSON_VERSION: u64 = 2;

/// A JSON document as it is printed: with its version, in lines.
fn document(mut value: serde_json::Value) -> String {
    if let Some(object) = value.as_object_mut() {
        object.insert("windfall".to_owned(), JSON_VERSION.into());
    }
    format!("{value:#}\n")
}

/// A word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Whether people read what goes to standard error.
pub(crate) fn errors_are_read() -> bool {
    io::stderr().is_terminal()
}

/// Whether people want colour: `NO_COLOR`, when it is set and not empty, says that they do not.
pub(crate) fn colour_is_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// How many characters a line of the terminal has, at least 60; `None` where standard output is none.
pub(crate) fn width() -> Option<usize> {
    let read = Some(io::stdout()).filter(IsTerminal::is_terminal);
    read.and_then(terminal_size::terminal_size_of).map(columns)
}

/// The same for standard error.
pub(crate) fn error_width() -> Option<usize> {
    let read = Some(io::stderr()).filter(IsTerminal::is_terminal);
    read.and_then(terminal_size::terminal_size_of).map(columns)
}

fn columns((Width(columns), _): (Width, Height)) -> usize {
    usize::from(columns).max(60)
}
