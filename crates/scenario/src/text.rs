//! The text of a file that people write, read with a limit: endless input is refused before memory is full.

use core::fmt;
use std::io::{self, Read};
use std::path::Path;
use windfall_trace::open_input;

/// The most bytes that a scenario, or a file that belongs to one, may have.
pub const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Why the text of a file cannot be read; the message does not contain the file's name.
#[derive(Debug)]
#[non_exhaustive]
pub enum TextError {
    /// It cannot be opened, or not be read to its end.
    Io(io::Error),
    /// It is longer than [`MOST_BYTES`].
    TooLong,
    /// This line, from 1, is not UTF-8 text.
    NotUtf8(usize),
    /// There is no folder to search for it.
    NoFolder,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Io(why) => why.fmt(f),
            TextError::TooLong => {
                write!(f, "longer than {MOST_BYTES} bytes, the most that is read")
            }
            TextError::NotUtf8(line) => write!(f, "line {line} is not UTF-8 text"),
            TextError::NoFolder => f.write_str("there is no folder to look in"),
        }
    }
}

impl std::error::Error for TextError {}

/// Reads a file, or standard input where `path` is `-`.
///
/// # Errors
/// Why it cannot be read, or that it is longer than [`MOST_BYTES`].
pub fn read_text(path: &Path) -> Result<String, TextError> {
    let file = open_input(path).map_err(TextError::Io)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(TextError::Io)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(TextError::TooLong);
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        TextError::NotUtf8(before.iter().filter(|byte| **byte == b'\n').count() + 1)
    })
}
