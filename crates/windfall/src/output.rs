//! Printing: text that survives a closed pipe, colour, how wide a line may be; where results go is `output/destination.rs`.

mod destination;
mod draft;

pub(crate) use destination::{Destination, Destinations, input_name, is_standard};
pub(crate) use draft::{Draft, remove_unfinished};

use crate::VerbError;
use std::io::{self, IsTerminal, Write};
use windfall_trace::escape::{escaped_but_colours, escaped_lines};

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

/// How many characters a line of the terminal has, at least 60; `None` where standard output is none.
pub(crate) fn width() -> Option<usize> {
    let size = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal());
    size.map(|(terminal_size::Width(columns), _)| usize::from(columns).max(60))
}
