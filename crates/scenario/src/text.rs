//! The text of a file that people write, read with a limit: what never ends is refused before memory is full.

use std::io::Read;
use std::path::Path;
use windfall_trace::open_input;

/// The most bytes that a scenario, or a file that belongs to one, may have.
pub const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a file, or standard input where `path` is `-`.
///
/// # Errors
/// Why it cannot be read, or that it is longer than [`MOST_BYTES`], in words without the file's name.
pub fn read_text(path: &Path) -> Result<String, String> {
    let file = open_input(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("longer than {MOST_BYTES} bytes, the most that is read"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line} is not UTF-8 text")
    })
}
